// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt.
#include "math/kernels.h"

#include "math/wide.h"
#include "math/wide_rows.h"

#include <stddef.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_kernels_body_avx2
#define BODY_NAME "avx2"
#define BODY_SVD3 mi_svd_kernels_avx2
#define BODY_MOMENTA mi_momenta_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_kernels_body_neon
#define BODY_NAME "neon"
#define BODY_SVD3 mi_svd_kernels_neon
#define BODY_MOMENTA mi_momenta_body_neon
#else
#define BODY_TABLE mi_kernels_body_scalar
#define BODY_NAME "scalar"
#define BODY_SVD3 mi_svd_kernels_scalar
#define BODY_MOMENTA mi_momenta_body_scalar
#endif

static void add_scaled(float *y, const float *x, float s, int count) {
  mi_wide scale = mi_wset(s);
  int i = 0;
  for (; i + MI_WIDE <= count; i += MI_WIDE)
    mi_wstore(y + i, mi_wmadd(scale, mi_wload(x + i), mi_wload(y + i)));
  // The tail uses the same wide operations, so that a vertex's bits do not depend on its index.
  if (i < count) {
    float tail_y[MI_WIDE] = {0}, tail_x[MI_WIDE] = {0};
    for (int k = i; k < count; k++) {
      tail_y[k - i] = y[k];
      tail_x[k - i] = x[k];
    }
    mi_wstore(tail_y, mi_wmadd(scale, mi_wload(tail_x), mi_wload(tail_y)));
    for (int k = i; k < count; k++) y[k] = tail_y[k - i];
  }
}

typedef struct wide3 {
  mi_wide x, y, z;
} wide3;

static wide3 sub3(wide3 a, wide3 b) {
  return (wide3){mi_wsub(a.x, b.x), mi_wsub(a.y, b.y), mi_wsub(a.z, b.z)};
}

static mi_wide dot3(wide3 a, wide3 b) {
  return mi_wmadd(a.x, b.x, mi_wmadd(a.y, b.y, mi_wmul(a.z, b.z)));
}

static wide3 cross3(wide3 a, wide3 b) {
  return (wide3){mi_wsub(mi_wmul(a.y, b.z), mi_wmul(a.z, b.y)),
                 mi_wsub(mi_wmul(a.z, b.x), mi_wmul(a.x, b.z)),
                 mi_wsub(mi_wmul(a.x, b.y), mi_wmul(a.y, b.x))};
}

// corner `corner` of up to eight tetrahedra, lane by lane; missing lanes repeat the last one
static wide3 gather(const float *position, const int32_t *tets, int count, int corner) {
  float lane[3][MI_WIDE];
  for (int i = 0; i < MI_WIDE; i++) {
    const float *at = position + 3 * (size_t)tets[4 * (i < count ? i : count - 1) + corner];
    for (int k = 0; k < 3; k++) lane[k][i] = at[k];
  }
  return (wide3){mi_wload(lane[0]), mi_wload(lane[1]), mi_wload(lane[2])};
}

static void measure_tets(const float *position, const int32_t *tets, int ntet, float *volume,
                         float *ratio) {
  for (int begin = 0; begin < ntet; begin += MI_WIDE) {
    int count = ntet - begin < MI_WIDE ? ntet - begin : MI_WIDE;
    const int32_t *block = tets + 4 * (size_t)begin;
    wide3 a = gather(position, block, count, 0);
    wide3 u = sub3(gather(position, block, count, 1), a);
    wide3 v = sub3(gather(position, block, count, 2), a);
    wide3 w = sub3(gather(position, block, count, 3), a);
    float six_volume[MI_WIDE], edge_sum[MI_WIDE];
    mi_wstore(six_volume, dot3(cross3(u, v), w));
    for (int i = 0; volume && i < count; i++) volume[begin + i] = six_volume[i] / 6;
    if (!ratio) continue;
    wide3 uv = sub3(v, u), uw = sub3(w, u), vw = sub3(w, v);
    mi_wstore(edge_sum, mi_wadd(mi_wadd(mi_wadd(dot3(u, u), dot3(v, v)), dot3(w, w)),
                                mi_wadd(mi_wadd(dot3(uv, uv), dot3(uw, uw)), dot3(vw, vw))));
    for (int i = 0; i < count; i++) {
      float part = six_volume[i] / 6, root = cbrtf(3 * part);
      ratio[begin + i] = edge_sum[i] > 0 ? copysignf(12 * root * root / edge_sum[i], part) : 0;
    }
  }
}

static inline mi_wide load_weights(const int16_t *at) {
#if defined(MI_BODY_AVX2)
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)at)));
#else
  float lane[MI_WIDE];
  for (int k = 0; k < MI_WIDE; k++) lane[k] = at[k];
  return mi_wload(lane);
#endif
}

static inline mi_wide3 add_source(mi_wide3 sum, mi_wide weight, const float *motion) {
  return (mi_wide3){mi_wmadd(weight, mi_wset(motion[0]), sum.x),
                    mi_wmadd(weight, mi_wset(motion[1]), sum.y),
                    mi_wmadd(weight, mi_wset(motion[2]), sum.z)};
}

// Two independent sums: a single one would wait for each addition.
static inline mi_wide3 block_sum(const mi_map_block *block, const int16_t *stream,
                                 const float *motion) {
  const int16_t *source = stream + block->stream, *weight = source + block->nsource;
  mi_wide zero = mi_wset(0), one = mi_wset(1.0f / MI_MAP_ONE);
  mi_wide3 sum[2] = {{zero, zero, zero}, {zero, zero, zero}};
  int k = 0;
  for (; k + 2 <= block->nsource; k += 2)
    for (int i = 0; i < 2; i++, weight += MI_MAP_LANES) {
      const float *m = motion + 4 * (size_t)(uint16_t)source[k + i];
      sum[i] = add_source(sum[i], load_weights(weight), m);
    }
  if (k < block->nsource)
    sum[0] = add_source(sum[0], load_weights(weight), motion + 4 * (size_t)(uint16_t)source[k]);
  return (mi_wide3){mi_wmul(one, mi_wadd(sum[0].x, sum[1].x)),
                    mi_wmul(one, mi_wadd(sum[0].y, sum[1].y)),
                    mi_wmul(one, mi_wadd(sum[0].z, sum[1].z))};
}

// four rows x y z 0 are three quads of packed vertices
static inline void add_four(const mi_quad r[4], float *at) {
  mi_qstore(at, mi_qadd(mi_qload(at), __builtin_shufflevector(r[0], r[1], 0, 1, 2, 4)));
  mi_qstore(at + 4, mi_qadd(mi_qload(at + 4), __builtin_shufflevector(r[1], r[2], 1, 2, 4, 5)));
  mi_qstore(at + 8, mi_qadd(mi_qload(at + 8), __builtin_shufflevector(r[2], r[3], 2, 4, 5, 6)));
}

static void map_blocks(const mi_map_block *blocks, int nblock, const int16_t *stream,
                       const float *motion, float *positions) {
  for (int b = 0; b < nblock; b++) {
    float *at = positions + 3 * (size_t)blocks[b].vert;
    mi_quad row[MI_MAP_LANES];
    mi_wrows(block_sum(blocks + b, stream, motion), row);
    if (blocks[b].nlane == MI_MAP_LANES) {
      add_four(row, at);
      add_four(row + 4, at + 12);
      continue;
    }
    for (int l = 0; l < blocks[b].nlane; l++) {
      float one[4];
      mi_qstore(one, row[l]);
      for (int k = 0; k < 3; k++) at[3 * l + k] += one[k];
    }
  }
}

const mi_kernels BODY_TABLE = {BODY_NAME,  add_scaled, measure_tets,
                               map_blocks, &BODY_SVD3, &BODY_MOMENTA};
