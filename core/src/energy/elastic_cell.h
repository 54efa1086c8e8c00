// Operands of the projections in elastic_body.c.
#ifndef MI_ELASTIC_CELL_H
#define MI_ELASTIC_CELL_H

#include "energy/elastic_layout.h"
#include "energy/elastic_project.h"
#include "math/svd3.h"

// Two blocks are worked on together: each step of Newton waits for the one before it, and six
// tetrahedra of eight lanes at a time (or three of sixteen) keep the processor busy meanwhile.
enum { PAIR = 2, TETS = PAIR * MI_CELL_TETS * MI_CELL_LANES / MI_WIDE };

typedef struct cell {
  mi_wide f[TETS][9];   // deformation gradients
  mi_wide h[TETS][9];   // dE/dF
  mi_wide energy[TETS]; // J
  mi_wide det[TETS];    // of F, or with its sign
  mi_wmask good[TETS];  // lanes that elastic_free.h could do
  const float *tet;     // constants
  const float *target;  // NULL = identity
  const uint8_t *lanes; // lanes that are not padding
  bool has_forces;      // `h` is wanted
  mi_svd_memo *memo;    // two a tetrahedron
  mi_svd_limits limits;
  mi_elastic_chunk *into; // counts
} cell;

// Eight lanes of the block, or those of two blocks that are `next` floats apart.
static inline mi_wide lanes_at(const float *at, size_t next) {
#if defined(MI_BODY_AVX512)
  return mi_wjoin(_mm256_loadu_ps(at), _mm256_loadu_ps(at + next));
#else
  (void)next;
  return mi_wload(at);
#endif
}

static inline mi_wide constant(const cell *c, int k, int which) {
  return lanes_at(c->tet + (k * MI_TET_SIZE + which) * MI_CELL_LANES,
                  (size_t)(MI_CELL_TETS * MI_TET_SIZE * MI_CELL_LANES));
}

static inline mi_wide wanted(const cell *c, int k, int which) {
  return lanes_at(c->target + (k * MI_TARGET_SIZE + which) * MI_CELL_LANES,
                  (size_t)(MI_CELL_TETS * MI_TARGET_SIZE * MI_CELL_LANES));
}

// out = a b
static inline void multiply(const mi_wide a[9], const mi_wide b[9], mi_wide out[9]) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++)
      out[i + j] = mi_wmadd(a[i], b[j], mi_wmadd(a[i + 1], b[3 + j], mi_wmul(a[i + 2], b[6 + j])));
}

// out = a b'
static inline void multiply_turned(const mi_wide a[9], const mi_wide b[9], mi_wide out[9]) {
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 9; j += 3)
      out[i + j / 3] =
          mi_wmadd(a[i], b[j], mi_wmadd(a[i + 1], b[j + 1], mi_wmul(a[i + 2], b[j + 2])));
}

static inline void target_matrix(const cell *c, int k, mi_wide t[9]) {
  for (int i = 0; i < 9; i++) t[i] = wanted(c, k, i);
}

static inline void target_volume(const cell *c, int k, mi_volume *v) {
  v->d = c->target ? wanted(c, k, MI_TARGET_DET) : mi_wset(1);
  v->span = c->target ? wanted(c, k, MI_TARGET_SPAN) : mi_wset(3);
}

static inline int count_bits(unsigned bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

static inline mi_wmask accept(const mi_volume *v, const mi_stretch *s, mi_wide step) {
  mi_wmask good = mi_volume_end(v, s, step, mi_least_square(s, 0));
  // far too large: refine the estimate before a decomposition
  if (mi_wmask_bits(good) != MI_WIDE_ALL) good = mi_volume_end(v, s, step, mi_least_square(s, 4));
  return good;
}

#endif
