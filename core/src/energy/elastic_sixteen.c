// elastic_body.c with sixteen lanes (AVX-512): two blocks per pass, with the bits of the AVX2 body,
// which handles pairs that need singular values.
#include "energy/elastic_chunk.h"
#include "energy/elastic_free.h"

#include <stdalign.h>

static void work_on_pair(const mi_elastic *elastic, mi_elastic_chunk *chunk, mi_elastic_pair *p) {
  cell c;
  unsigned good = MI_WIDE_ALL;
  begin_pair(elastic, chunk, p, &c);
  if (c.target)
    project_target(&c);
  else
    project_plain(&c);
  for (int k = 0; k < TETS; k++) good &= mi_wmask_bits(c.good[k]);
  if (good == MI_WIDE_ALL)
    end_pair(elastic, &c, p);
  else
    mi_elastic_body_avx2.pair(elastic, chunk, p);
}

static void evaluate(const mi_elastic *elastic, mi_elastic_chunk *chunk, const float *x,
                     mi_local local, float *gradient) {
  alignas(64) float points[4 * MI_CHUNK_VERTS], forces[4 * MI_CHUNK_VERTS];
  mi_elastic_pair p = {points, gradient ? forces : NULL, {0}, local, chunk->begin};
  bool by_pairs = local == MI_LOCAL_INVARIANTS;
  begin_chunk(elastic, chunk, x, &p, points);
  for (; p.block < chunk->end; p.block += PAIR)
    if (by_pairs)
      work_on_pair(elastic, chunk, &p);
    else
      mi_elastic_body_avx2.pair(elastic, chunk, &p);
  end_chunk(elastic, chunk, &p, gradient);
}

static void pose(const mi_elastic *elastic, const mi_elastic_chunk *chunk, const float *posed) {
  mi_elastic_body_avx2.pose(elastic, chunk, posed);
}

const mi_elastic_kernels mi_elastic_body_avx512 = {"avx512", evaluate, work_on_pair, pose};
