// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt. One chunk at a time:
// positions in, F of six tetrahedra in eight lanes, their projections, forces out.
#include "energy/elastic_chunk.h"
#include "energy/elastic_exact.h"
#include "energy/elastic_free.h"

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

static void project(cell *c, mi_local local) {
  if (local == MI_LOCAL_MEMOIZED && c->memo)
    project_memoized(c);
  else if (local != MI_LOCAL_INVARIANTS)
    project_svd(c);
  else {
    if (c->target)
      project_target(c);
    else
      project_plain(c);
    redo_awkward(c);
  }
}

static void work_on_pair(const mi_elastic *elastic, mi_elastic_chunk *chunk, mi_elastic_pair *p) {
  cell c;
  begin_pair(elastic, chunk, p, &c);
  c.limits = elastic->limits;
  c.memo = elastic->memos ? elastic->memos + 2 * MI_CELL_TETS * (size_t)p->block : NULL;
  project(&c, p->local);
  end_pair(elastic, &c, p);
}

static void evaluate(const mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                     mi_local local, float *gradient) {
  alignas(64) float points[4 * MI_CHUNK_VERTS], forces[4 * MI_CHUNK_VERTS];
  mi_elastic_pair p = {points, gradient ? forces : NULL, {0}, local, chunk->begin};
  begin_chunk(elastic, chunk, x, &p, points);
  for (; p.block < chunk->end; p.block += PAIR) work_on_pair(elastic, chunk, &p);
  end_chunk(elastic, chunk, &p, gradient);
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

const mi_elastic_kernels BODY_TABLE = {BODY_NAME, evaluate, work_on_pair, pose};
