// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt. One chunk at a time:
// positions in, F of six tetrahedra in eight lanes, their projections, forces out.
#include "math/wide_rows.h"
#include "solve/elastic_free.h"

#include <stdalign.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_elastic_body_avx2
#define BODY_NAME "avx2"
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_elastic_body_neon
#define BODY_NAME "neon"
#else
#define BODY_TABLE mi_elastic_body_scalar
#define BODY_NAME "scalar"
#endif

static inline void load(const float *points, const int32_t *corner, mi_wide out[3]) {
  mi_wide3 at = mi_wgather(points, corner);
  out[0] = at.x;
  out[1] = at.y;
  out[2] = at.z;
}

static inline void edge(const float *points, const int32_t *corner, const mi_wide origin[3],
                        mi_wide out[3]) {
  load(points, corner, out);
  for (int i = 0; i < 3; i++) out[i] = mi_wsub(out[i], origin[i]);
}

// in the order of the lanes, so that a vertex may come twice
static inline void push(float *forces, const int32_t *corner, const mi_wide force[3]) {
  mi_quad row[MI_WIDE];
  mi_wrows((mi_wide3){force[0], force[1], force[2]}, row);
  for (int i = 0; i < MI_WIDE; i++) {
    float *at = forces + 4 * (size_t)corner[i];
    mi_qstore(at, mi_qadd(mi_qload(at), row[i]));
  }
}

// F = (three edges as columns) x (inverse rest edges)
static inline void gradient_of(const mi_wide u[3], const mi_wide v[3], const mi_wide w[3],
                               const float *inverse, mi_wide f[9]) {
  for (int j = 0; j < 3; j++) {
    mi_wide a = mi_wload(inverse + j * MI_WIDE), b = mi_wload(inverse + (3 + j) * MI_WIDE);
    mi_wide c = mi_wload(inverse + (6 + j) * MI_WIDE);
    for (int i = 0; i < 3; i++)
      f[3 * i + j] = mi_wmadd(u[i], a, mi_wmadd(v[i], b, mi_wmul(w[i], c)));
  }
}

// F of the tetrahedra first, first + 1 and first + 2, which are those of one block
static inline void gather(const mi_elastic *elastic, const float *points, int block, int first,
                          cell *c) {
  const int32_t *corner = elastic->corners + (size_t)block * elastic->ncorner * MI_WIDE;
  const float *inverse = c->tet + first * MI_TET_SIZE * MI_WIDE;
  mi_wide origin[3], q[3], r[4][3];
  if (elastic->ncorner == 6) {
    load(points, corner, origin);
    edge(points, corner + MI_WIDE, origin, q);
    for (int k = 0; k < 4; k++) edge(points, corner + (2 + k) * MI_WIDE, origin, r[k]);
    for (int k = 0; k < MI_CELL_TETS; k++, inverse += MI_TET_SIZE * MI_WIDE)
      gradient_of(q, r[k], r[k + 1], inverse, c->f[first + k]);
    return;
  }
  for (int k = 0; k < MI_CELL_TETS; k++, inverse += MI_TET_SIZE * MI_WIDE) {
    load(points, corner, origin);
    for (int e = 0; e < 3; e++) edge(points, corner + (1 + e) * MI_WIDE, origin, r[e]);
    gradient_of(r[0], r[1], r[2], inverse, c->f[first + k]);
    corner += 4 * MI_WIDE;
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

static inline void scatter(const mi_elastic *elastic, const cell *c, int block, int first,
                           float *forces) {
  const int32_t *corner = elastic->corners + (size_t)block * elastic->ncorner * MI_WIDE;
  mi_wide origin[3], more[3], edges[5][3];
  if (elastic->ncorner == 6) {
    for (int e = 0; e < 3; e++) edge_force(c, first, e, edges[e]);
    for (int k = 1; k < MI_CELL_TETS; k++) {
      edge_force(c, first + k, 0, more);
      add3(edges[0], more);
      edge_force(c, first + k, 1, more);
      add3(edges[1 + k], more);
      edge_force(c, first + k, 2, edges[2 + k]);
    }
    for (int i = 0; i < 3; i++) origin[i] = mi_wset(0);
    for (int e = 0; e < 5; e++) {
      for (int i = 0; i < 3; i++) origin[i] = mi_wsub(origin[i], edges[e][i]);
      push(forces, corner + (1 + e) * MI_WIDE, edges[e]);
    }
    push(forces, corner, origin);
    return;
  }
  for (int k = 0; k < MI_CELL_TETS; k++, corner += 4 * MI_WIDE) {
    for (int i = 0; i < 3; i++) origin[i] = mi_wset(0);
    for (int e = 0; e < 3; e++) {
      edge_force(c, first + k, e, edges[e]);
      for (int i = 0; i < 3; i++) origin[i] = mi_wsub(origin[i], edges[e][i]);
      push(forces, corner + (1 + e) * MI_WIDE, edges[e]);
    }
    push(forces, corner, origin);
  }
}

static void copy_points(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *x,
                        float *points) {
  const int32_t *vert = elastic->verts + chunk->vert;
  for (int i = 0; i < chunk->nvert; i++)
    mi_qstore(points + 4 * i, mi_qload(x + 4 * (size_t)vert[i]));
}

static void hand_over(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *forces,
                      float *gradient) {
  const int32_t *vert = elastic->verts + chunk->vert;
  for (int i = 0; i < chunk->nown; i++) {
    float *at = gradient + 4 * (size_t)vert[i];
    mi_qstore(at, mi_qadd(mi_qload(at), mi_qload(forces + 4 * i)));
  }
  float *overlap = elastic->overlap + 4 * (size_t)chunk->overlap;
  int first = 4 * chunk->nown, count = 4 * (chunk->nvert - chunk->nown);
  memcpy(overlap, forces + first, sizeof(float) * (size_t)count);
}

static void project(cell *c, mi_local local) {
  if (local == MI_LOCAL_MEMOIZED && c->memo)
    project_memoized(c);
  else if (local != MI_LOCAL_INVARIANTS)
    project_svd(c);
  else if (c->target)
    project_target(c);
  else
    project_plain(c);
}

static inline void sum_up(cell *c, double energy[MI_WIDE]) {
  mi_wide sum = c->energy[0];
  float lane[MI_WIDE];
  for (int k = 1; k < TETS; k++) sum = mi_wadd(sum, c->energy[k]);
  mi_wstore(lane, sum);
  for (int l = 0; l < MI_WIDE; l++) energy[l] += (double)lane[l];
  for (int k = 0; k < TETS; k++) {
    unsigned bits = ~mi_wmask_bits(mi_wless(mi_wset(0.01f), c->det[k])) & c->lanes[k];
    if (bits) c->into->nflat += count_bits(bits);
  }
}

// The processor's own prefetching stops at every page, which holds less than two blocks.
static inline void fetch(const float *at, int count) {
  for (int i = 0; i < count; i += 16) __builtin_prefetch(at + i);
}

static void evaluate(const mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                     mi_local local, float *gradient) {
  alignas(64) float points[4 * MI_CHUNK_VERTS], forces[4 * MI_CHUNK_VERTS];
  double energy[MI_WIDE] = {0};
  copy_points(elastic, chunk, x, points);
  memset(forces, 0, sizeof(float) * 4 * (size_t)chunk->nvert);
  chunk->nflat = 0;
  for (int i = 0; i < 3; i++) chunk->count[i] = 0;
  cell c = {.into = chunk, .limits = elastic->limits};
  for (int block = chunk->begin; block < chunk->end; block += PAIR) {
    size_t first = MI_CELL_TETS * (size_t)block;
    c.tet = elastic->tets + first * MI_TET_SIZE * MI_WIDE;
    c.target = elastic->is_posed ? elastic->targets + first * MI_TARGET_SIZE * MI_WIDE : NULL;
    c.lanes = elastic->lanes + first;
    c.memo = elastic->memos ? elastic->memos + 2 * first : NULL;
    fetch(c.tet + TETS * MI_TET_SIZE * MI_WIDE, TETS * MI_TET_SIZE * MI_WIDE);
    if (c.target)
      fetch(c.target + TETS * MI_TARGET_SIZE * MI_WIDE, TETS * MI_TARGET_SIZE * MI_WIDE);
    for (int i = 0; i < PAIR; i++) gather(elastic, points, block + i, i * MI_CELL_TETS, &c);
    project(&c, local);
    sum_up(&c, energy);
    for (int i = 0; i < PAIR; i++) scatter(elastic, &c, block + i, i * MI_CELL_TETS, forces);
  }
  hand_over(elastic, chunk, forces, gradient);
  chunk->energy = 0;
  for (int l = 0; l < MI_WIDE; l++) chunk->energy += energy[l];
}

static void pose(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *posed) {
  alignas(64) float points[4 * MI_CHUNK_VERTS];
  copy_points(elastic, chunk, posed, points);
  cell c;
  for (int block = chunk->begin; block < chunk->end; block++) {
    size_t first = MI_CELL_TETS * (size_t)block;
    c.tet = elastic->tets + first * MI_TET_SIZE * MI_WIDE;
    float *target = elastic->targets + first * MI_TARGET_SIZE * MI_WIDE;
    gather(elastic, points, block, 0, &c);
    for (int k = 0; k < MI_CELL_TETS; k++, target += MI_TARGET_SIZE * MI_WIDE) {
      mi_wide g[9];
      mi_cofactor(c.f[k], g);
      for (int i = 0; i < 9; i++) mi_wstore(target + i * MI_WIDE, c.f[k][i]);
      float *det = target + MI_TARGET_DET * MI_WIDE, *span = target + MI_TARGET_SPAN * MI_WIDE;
      const mi_wide *f = c.f[k];
      mi_wstore(det, mi_wmadd(f[0], g[0], mi_wmadd(f[1], g[1], mi_wmul(f[2], g[2]))));
      mi_wstore(span, mi_dot9(g, g));
    }
  }
}

const mi_elastic_kernels BODY_TABLE = {BODY_NAME, evaluate, pose};
