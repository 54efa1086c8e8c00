// The hot loops, as a table of functions: one table per SIMD body, chosen once at run time.
#ifndef MI_KERNELS_H
#define MI_KERNELS_H

#include "math/svd3.h"

#include <stdint.h>

// A few weights over numbered sources, of fixed size: 36 bytes.
enum { MI_MAP_WIDTH = 6, MI_MAP_SOURCES = UINT16_MAX };
typedef struct mi_map_row {
  uint16_t source[MI_MAP_WIDTH];
  float weight[MI_MAP_WIDTH];
} mi_map_row;

typedef struct mi_kernels {
  const char *name; // "avx2", "neon", "scalar"

  // y[i] += s * x[i]
  void (*add_scaled)(float *y, const float *x, float s, int count);

  // Volume and mean ratio (12 (3 V)^(2/3) / sum of squared edges: 1 = regular, 0 = flat, negative =
  // inverted) of tetrahedra of a packed position array. Either output may be NULL.
  void (*measure_tets)(const float *position, const int32_t *tets, int ntet, float *volume,
                       float *ratio);

  // positions[vert[i]] += the sum of row i over `motion`, four floats a source; vert ascends.
  void (*map_rows)(const mi_map_row *rows, const int32_t *vert, int nrow, const float *motion,
                   float *positions);

  const mi_svd_kernels *svd3;
} mi_kernels;

// The best table for this processor. Set the environment variable MIEN_SIMD=scalar to force the
// scalar one (for bug hunts).
const mi_kernels *mi_kernels_best(void);
const mi_kernels *mi_kernels_scalar(void);

extern const mi_kernels mi_kernels_body_scalar, mi_kernels_body_avx2, mi_kernels_body_neon;

#endif
