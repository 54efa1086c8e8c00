#include "contact/pair_kernels.h"

#include "math/kernels.h"

const mi_pair_kernels *mi_pair_kernels_best(void) {
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2) return &mi_pair_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (mi_kernels_best() == &mi_kernels_body_neon) return &mi_pair_body_neon;
#endif
  return &mi_pair_body_scalar;
}

static void set_lane(const int32_t vert[4], const float *position, float *lane) {
  for (int i = 0; i < 4; i++) {
    const float *at = position + 3 * (size_t)vert[i];
    lane[8 * (3 * i)] = at[0];
    lane[8 * (3 * i + 1)] = at[1];
    lane[8 * (3 * i + 2)] = at[2];
  }
}

int mi_pair_gather(const mi_surface *surface, const mi_candidates *candidates, int begin, int end,
                   const float *from, const float *to, mi_pair_batch *batch) {
  batch->is_edges = begin >= candidates->nvt;
  if (!batch->is_edges && end > candidates->nvt) end = candidates->nvt;
  if (end > begin + MI_PAIRS) end = begin + MI_PAIRS;
  batch->count = end - begin;
  for (int l = 0; l < MI_PAIRS; l++) {
    bool is_edges;
    mi_pair pair = mi_candidate(candidates, l < batch->count ? begin + l : begin, &is_edges);
    int32_t vert[4];
    mi_surface_vertices(surface, pair, is_edges, vert);
    set_lane(vert, from, batch->from + l);
    if (to) set_lane(vert, to, batch->to + l);
    batch->offset[l] = (float)mi_surface_offset(surface, pair, is_edges);
  }
  return end;
}
