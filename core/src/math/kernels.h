// The hot loops, as a table of functions: one table per SIMD body, chosen once at run time.
#ifndef MI_KERNELS_H
#define MI_KERNELS_H

#include "math/momenta.h"
#include "math/svd3.h"

#include <stdbool.h>
#include <stdint.h>

// Weighted sums for eight vertices that lie side by side in memory: they share most of their
// sources, so each source is read once. `stream` holds the numbers of the sources, then for each
// source eight weights in units of 1 / MI_MAP_ONE.
enum { MI_MAP_ONE = 16384, MI_MAP_LANES = 8 };
typedef struct mi_map_block {
  int32_t vert;            // of the first lane
  uint32_t stream;         // where its numbers begin
  uint16_t nsource, nlane; // 8 lanes, fewer where vertices are not side by side
} mi_map_block;

typedef struct mi_kernels {
  const char *name; // "avx2", "neon", "scalar"

  // y[i] += s * x[i]
  void (*add_scaled)(float *y, const float *x, float s, int count);

  // Volume and mean ratio (12 (3 V)^(2/3) / sum of squared edges: 1 = regular, 0 = flat, negative =
  // inverted) of tetrahedra of a packed position array. Either output may be NULL.
  void (*measure_tets)(const float *position, const int32_t *tets, int ntet, float *volume,
                       float *ratio);

  // positions of the blocks' vertices += their sums over `motion`, four floats a source
  void (*map_blocks)(const mi_map_block *blocks, int nblock, const int16_t *stream,
                     const float *motion, float *positions);

  const mi_svd_kernels *svd3;
  const mi_momenta_kernels *momenta;
} mi_kernels;

// The best table for this processor. Set the environment variable MIEN_SIMD=scalar to force the
// scalar one (for bug hunts).
const mi_kernels *mi_kernels_best(void);
// Sixteen lanes (AVX-512) for the kernels that have them; MIEN_SIMD=avx2 keeps to eight. Same bits.
bool mi_kernels_sixteen(void);
const mi_kernels *mi_kernels_scalar(void);

extern const mi_kernels mi_kernels_body_scalar, mi_kernels_body_avx2, mi_kernels_body_neon;

#endif
