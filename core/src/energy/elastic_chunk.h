// Around the projections: positions of a chunk in, deformation gradients of two blocks, and with
// what elastic_free.h and elastic_exact.h make of them, forces out. For eight lanes or sixteen.
#ifndef MI_ELASTIC_CHUNK_H
#define MI_ELASTIC_CHUNK_H

#include "energy/elastic_cell.h"
#include "math/wide_rows.h"

enum { HALVES = MI_WIDE / MI_CELL_LANES };

// -- corners of cells -----------------------------------------------------------------------------

// x, y, z of one corner of all cells; those of the second block are `next` numbers on.
static inline void load(const float *points, const int32_t *corner, size_t next, mi_wide out[3]) {
#if defined(MI_BODY_AVX512)
  mi_wide3 at = mi_wgather_two(points, corner, corner + next);
#else
  mi_wide3 at = mi_wgather(points, corner);
  (void)next;
#endif
  out[0] = at.x;
  out[1] = at.y;
  out[2] = at.z;
}

static inline void edge(const float *points, const int32_t *corner, size_t next,
                        const mi_wide origin[3], mi_wide out[3]) {
  load(points, corner, next, out);
  for (int i = 0; i < 3; i++) out[i] = mi_wsub(out[i], origin[i]);
}

// in the order of the lanes, so that a vertex may come twice
static inline void push(float *forces, const int32_t *corner, const mi_wide force[3], int half) {
  mi_quad row[MI_CELL_LANES];
#if defined(MI_BODY_AVX512)
  mi_wrows_half((mi_wide3){force[0], force[1], force[2]}, half, row);
#else
  mi_wrows((mi_wide3){force[0], force[1], force[2]}, row);
  (void)half;
#endif
  for (int i = 0; i < MI_CELL_LANES; i++) {
    float *at = forces + 4 * (size_t)corner[i];
    mi_qstore(at, mi_qadd(mi_qload(at), row[i]));
  }
}

// -- F, and forces from dE/dF ---------------------------------------------------------------------

// F = (three edges as columns) x (inverse rest edges)
static inline void gradient_of(const mi_wide u[3], const mi_wide v[3], const mi_wide w[3], cell *c,
                               int k) {
  for (int j = 0; j < 3; j++) {
    mi_wide a = constant(c, k, MI_TET_INVERSE + j), b = constant(c, k, MI_TET_INVERSE + 3 + j);
    mi_wide d = constant(c, k, MI_TET_INVERSE + 6 + j);
    for (int i = 0; i < 3; i++)
      c->f[k][3 * i + j] = mi_wmadd(u[i], a, mi_wmadd(v[i], b, mi_wmul(w[i], d)));
  }
}

// F of the tetrahedra first, first + 1 and first + 2, which are those of one block (or of two)
static inline void gather(const mi_elastic *elastic, const float *points, int block, int first,
                          cell *c) {
  size_t next = (size_t)elastic->ncorner * MI_CELL_LANES;
  const int32_t *corner = elastic->corners + (size_t)block * next;
  mi_wide origin[3], q[3], r[4][3];
  if (elastic->ncorner == 6) {
    load(points, corner, next, origin);
    edge(points, corner + MI_CELL_LANES, next, origin, q);
    for (int k = 0; k < 4; k++) edge(points, corner + (2 + k) * MI_CELL_LANES, next, origin, r[k]);
    for (int k = 0; k < MI_CELL_TETS; k++) gradient_of(q, r[k], r[k + 1], c, first + k);
    return;
  }
  for (int k = 0; k < MI_CELL_TETS; k++, corner += 4 * MI_CELL_LANES) {
    load(points, corner, next, origin);
    for (int e = 0; e < 3; e++) edge(points, corner + (1 + e) * MI_CELL_LANES, next, origin, r[e]);
    gradient_of(r[0], r[1], r[2], c, first + k);
  }
}

// force on edge e of tetrahedron k
static inline void edge_force(const cell *c, int k, int e, mi_wide out[3]) {
  mi_wide row[3];
  for (int j = 0; j < 3; j++) row[j] = constant(c, k, MI_TET_INVERSE + 3 * e + j);
  const mi_wide *h = c->h[k];
  for (int i = 0; i < 3; i++)
    out[i] =
        mi_wmadd(h[3 * i], row[0], mi_wmadd(h[3 * i + 1], row[1], mi_wmul(h[3 * i + 2], row[2])));
}

static inline void add3(mi_wide sum[3], const mi_wide a[3]) {
  for (int i = 0; i < 3; i++) sum[i] = mi_wadd(sum[i], a[i]);
}

static inline void subtract3(mi_wide sum[3], const mi_wide a[3]) {
  for (int i = 0; i < 3; i++) sum[i] = mi_wsub(sum[i], a[i]);
}

// of a prism: its five edges from the origin, then the origin
static inline void scatter_prism(const cell *c, const int32_t *corner, size_t next, int first,
                                 float *forces) {
  mi_wide zero = mi_wset(0), origin[3] = {zero, zero, zero}, more[3], edges[5][3];
  for (int e = 0; e < 3; e++) edge_force(c, first, e, edges[e]);
  for (int k = 1; k < MI_CELL_TETS; k++) {
    edge_force(c, first + k, 0, more);
    add3(edges[0], more);
    edge_force(c, first + k, 1, more);
    add3(edges[1 + k], more);
    edge_force(c, first + k, 2, edges[2 + k]);
  }
  for (int e = 0; e < 5; e++) subtract3(origin, edges[e]);
  for (int half = 0; half < HALVES; half++, corner += next) {
    for (int e = 0; e < 5; e++) push(forces, corner + (1 + e) * MI_CELL_LANES, edges[e], half);
    push(forces, corner, origin, half);
  }
}

static inline void scatter(const mi_elastic *elastic, const cell *c, int block, int first,
                           float *forces) {
  size_t next = (size_t)elastic->ncorner * MI_CELL_LANES;
  const int32_t *corner = elastic->corners + (size_t)block * next;
  if (elastic->ncorner == 6) {
    scatter_prism(c, corner, next, first, forces);
    return;
  }
  mi_wide zero = mi_wset(0), force[MI_CELL_TETS][4][3]; // of the origin, then of the edges
  for (int k = 0; k < MI_CELL_TETS; k++) {
    for (int i = 0; i < 3; i++) force[k][0][i] = zero;
    for (int e = 0; e < 3; e++) {
      edge_force(c, first + k, e, force[k][1 + e]);
      subtract3(force[k][0], force[k][1 + e]);
    }
  }
  for (int half = 0; half < HALVES; half++, corner += next)
    for (int k = 0; k < MI_CELL_TETS; k++)
      for (int e = 1; e <= 4; e++)
        push(forces, corner + (4 * k + e % 4) * MI_CELL_LANES, force[k][e % 4], half);
}

// -- pairs of blocks ------------------------------------------------------------------------------

// The processor's own prefetching stops at every page, which holds less than two blocks. (Those
// with AVX-512 do it better without help.)
static inline void fetch(const float *at, int count) {
  for (int i = 0; i < count && HALVES == 1; i += 16) __builtin_prefetch(at + i);
}

static inline void begin_pair(const mi_elastic *elastic, mi_elastic_chunk *chunk,
                              const mi_elastic_pair *p, cell *c) {
  enum {
    TET_FLOATS = PAIR * MI_CELL_TETS * MI_TET_SIZE * MI_CELL_LANES,
    TARGET_FLOATS = PAIR * MI_CELL_TETS * MI_TARGET_SIZE * MI_CELL_LANES
  };
  size_t pair = (size_t)p->block / PAIR;
  c->into = chunk;
  c->has_forces = p->forces != NULL;
  c->tet = elastic->tets + pair * TET_FLOATS;
  c->target = elastic->is_posed ? elastic->targets + pair * TARGET_FLOATS : NULL;
  c->lanes = elastic->lanes + pair * PAIR * MI_CELL_TETS;
  fetch(c->tet + TET_FLOATS, TET_FLOATS);
  if (c->target) fetch(c->target + TARGET_FLOATS, TARGET_FLOATS);
  for (int i = 0; i < PAIR / HALVES; i++)
    gather(elastic, p->points, p->block + i, i * MI_CELL_TETS, c);
}

// eight lanes, tetrahedron after tetrahedron
static inline void add_energies(const cell *c, double energy[MI_CELL_LANES]) {
  float lane[MI_CELL_LANES];
#if defined(MI_BODY_AVX512)
  __m256 sum = mi_whalf(c->energy[0], 0);
  for (int k = 1; k < PAIR * TETS; k++)
    sum = _mm256_add_ps(sum, mi_whalf(c->energy[k % TETS], k >= TETS));
  _mm256_storeu_ps(lane, sum);
#else
  mi_wide sum = c->energy[0];
  for (int k = 1; k < TETS; k++) sum = mi_wadd(sum, c->energy[k]);
  mi_wstore(lane, sum);
#endif
  for (int l = 0; l < MI_CELL_LANES; l++) energy[l] += (double)lane[l];
}

static inline unsigned filled_lanes(const cell *c, int k) {
  return HALVES == 1 ? c->lanes[k] : c->lanes[k] | (unsigned)c->lanes[k + MI_CELL_TETS] << 8;
}

static inline void end_pair(const mi_elastic *elastic, const cell *c, mi_elastic_pair *p) {
  add_energies(c, p->energy);
  for (int k = 0; k < TETS; k++) {
    unsigned bits = ~mi_wmask_bits(mi_wless(mi_wset(0.01f), c->det[k])) & filled_lanes(c, k);
    if (bits) c->into->nflat += count_bits(bits);
  }
  for (int i = 0; i < PAIR / HALVES && c->has_forces; i++)
    scatter(elastic, c, p->block + i, i * MI_CELL_TETS, p->forces);
}

// -- chunks ---------------------------------------------------------------------------------------

static inline void copy_points(const mi_elastic *elastic, const mi_elastic_chunk *chunk,
                               const float *x, float *points) {
  const int32_t *vert = elastic->verts + chunk->vert;
  for (int i = 0; i < chunk->nvert; i++)
    mi_qstore(points + 4 * i, mi_qload(x + 4 * (size_t)vert[i]));
}

static inline void begin_chunk(const mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                               const mi_elastic_pair *p, float *points) {
  copy_points(elastic, chunk, x, points);
  if (p->forces) memset(p->forces, 0, sizeof(float) * 4 * (size_t)chunk->nvert);
  chunk->nflat = 0;
  for (int i = 0; i < 3; i++) chunk->count[i] = 0;
}

static inline void end_chunk(const mi_elastic *elastic, mi_elastic_chunk *chunk,
                             const mi_elastic_pair *p, float *gradient) {
  const int32_t *vert = elastic->verts + chunk->vert;
  chunk->energy = 0;
  for (int l = 0; l < MI_CELL_LANES; l++) chunk->energy += p->energy[l];
  if (!gradient) return;
  for (int i = 0; i < chunk->nown; i++) {
    float *at = gradient + 4 * (size_t)vert[i];
    mi_qstore(at, mi_qadd(mi_qload(at), mi_qload(p->forces + 4 * i)));
  }
  float *overlap = elastic->overlap + 4 * (size_t)chunk->overlap;
  int first = 4 * chunk->nown, count = 4 * (chunk->nvert - chunk->nown);
  memcpy(overlap, p->forces + first, sizeof(float) * (size_t)count);
}

#endif
