// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt.
#include "math/kernels.h"

#include "math/wide.h"
#include "math/wide_rows.h"

#include <stddef.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_kernels_body_avx2
#define BODY_NAME "avx2"
#define BODY_SVD3 mi_svd_kernels_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_kernels_body_neon
#define BODY_NAME "neon"
#define BODY_SVD3 mi_svd_kernels_neon
#else
#define BODY_TABLE mi_kernels_body_scalar
#define BODY_NAME "scalar"
#define BODY_SVD3 mi_svd_kernels_scalar
#endif

static void add_scaled(float *y, const float *x, float s, int count) {
  mi_wide scale = mi_wset(s);
  int i = 0;
  for (; i + MI_WIDE <= count; i += MI_WIDE)
    mi_wstore(y + i, mi_wmadd(scale, mi_wload(x + i), mi_wload(y + i)));
  // the tail goes through the same wide operations so that a vertex never depends on its place
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

static inline mi_quad row_sum(const mi_map_row *row, const float *motion) {
  mi_quad a = mi_qmul(mi_qset(row->weight[0]), mi_qload(motion + 4 * (size_t)row->source[0]));
  mi_quad b = mi_qmul(mi_qset(row->weight[1]), mi_qload(motion + 4 * (size_t)row->source[1]));
  for (int k = 2; k < MI_MAP_WIDTH; k += 2) {
    a = mi_qadd(a, mi_qmul(mi_qset(row->weight[k]), mi_qload(motion + 4 * (size_t)row->source[k])));
    b = mi_qadd(
        b, mi_qmul(mi_qset(row->weight[k + 1]), mi_qload(motion + 4 * (size_t)row->source[k + 1])));
  }
  return mi_qadd(a, b);
}

static inline void map_one(const mi_map_row *row, const float *motion, float *at) {
  float sum[4];
  mi_qstore(sum, row_sum(row, motion));
  for (int k = 0; k < 3; k++) at[k] += sum[k];
}

// Four vertices side by side in memory are three quads: none is read again after it was written.
static void map_rows(const mi_map_row *rows, const int32_t *vert, int nrow, const float *motion,
                     float *positions) {
  for (int i = 0; i < nrow;) {
    float *at = positions + 3 * (size_t)vert[i];
    if (i + 3 >= nrow || vert[i + 3] != vert[i] + 3) {
      map_one(rows + i++, motion, at);
      continue;
    }
    mi_quad a = row_sum(rows + i, motion), b = row_sum(rows + i + 1, motion);
    mi_quad c = row_sum(rows + i + 2, motion), d = row_sum(rows + i + 3, motion);
    mi_qstore(at, mi_qadd(mi_qload(at), __builtin_shufflevector(a, b, 0, 1, 2, 4)));
    mi_qstore(at + 4, mi_qadd(mi_qload(at + 4), __builtin_shufflevector(b, c, 1, 2, 4, 5)));
    mi_qstore(at + 8, mi_qadd(mi_qload(at + 8), __builtin_shufflevector(c, d, 2, 4, 5, 6)));
    i += 4;
  }
}

const mi_kernels BODY_TABLE = {BODY_NAME, add_scaled, measure_tets, map_rows, &BODY_SVD3};
