// Singular values of 3x3 matrices, eight at a time.
//
// F = U diag(s) V' with U and V rotations, |s0| >= |s1| >= |s2|, and only s2 may be negative (it is
// when det F < 0). Robust for zero, rank one, rank two, inverted, huge and denormal input: finite
// in, finite out (a singular value above the largest float is given as that float).
//
// Also the cheap ways of Barrielle & Stoiber, section 6, to follow a matrix that changes a little:
// keep the last decomposition, correct it to first order (taylor_wide.h), or do it again.
#ifndef MI_SVD3_H
#define MI_SVD3_H

#include <stdint.h>

// Matrices in blocks of eight: entry (row, column) of lane l is at [(3 * row + column) * 8 + l].
enum { MI_SVD_LANES = 8 };
typedef struct mi_svd3 {
  float u[9 * 8], s[3 * 8], v[9 * 8];
} mi_svd3;

// The last full decomposition, and its matrix.
typedef struct mi_svd_memo {
  float f[9 * 8];
  mi_svd3 svd;
  float reach[8]; // |J|_F of eq. 24: radians that U and V turn, per unit that F changes
} mi_svd_memo;

// With d = |J|_F |F' - F|_F: d < keep: the last decomposition stays; d < taylor: it is corrected to
// first order; else it is computed again. {0, 0} always computes. The comparison is with the last
// full decomposition, so errors do not accumulate.
typedef struct mi_svd_limits {
  float keep, taylor; // radians
} mi_svd_limits;

// The limits are halved after each iteration (6.3).
static inline mi_svd_limits mi_svd_limits_halve(mi_svd_limits limits) {
  return (mi_svd_limits){0.5f * limits.keep, 0.5f * limits.taylor};
}

// Add-only counters. A block does what its most demanding lane needs, so `run` costs more than
// `needed` asks for.
enum { MI_SVD_KEPT = 0, MI_SVD_TAYLOR = 1, MI_SVD_FULL = 2 };
typedef struct mi_svd_shares {
  int64_t needed[3]; // matrices
  int64_t run[3];    // matrices
} mi_svd_shares;

// Derivatives of angles, eq. 32: j0 to j5 of eight matrices.
typedef struct mi_svd_jacobian {
  float j[6 * 8];
} mi_svd_jacobian;

// Derivatives of every entry of U, s, V by every entry of F (Papadopoulo & Lourakis 2000, eq. 25 to
// 27): the yardstick for the six above. [i] is the derivative by entry i of F.
typedef struct mi_svd_jacobian_full {
  mi_svd3 by[9];
} mi_svd_jacobian_full;

// In the table of a SIMD body: mi_kernels_best()->svd3->full(f, out, nblock). A block of f is 72
// floats.
typedef struct mi_svd_kernels {
  void (*full)(const float *f, mi_svd3 *out, int nblock);
  // out = first-order decomposition of f around `from`; out may be from
  void (*taylor)(const float *f, const mi_svd3 *from, mi_svd3 *out, int nblock);
  // the cheapest of the three that the limits allow; shares may be NULL
  void (*memo)(const float *f, mi_svd_memo *memo, mi_svd_limits limits, mi_svd3 *out, int nblock,
               mi_svd_shares *shares);
  void (*jacobian)(const mi_svd3 *at, mi_svd_jacobian *out, int nblock);
  void (*jacobian_full)(const mi_svd3 *at, mi_svd_jacobian_full *out, int nblock);
} mi_svd_kernels;

extern const mi_svd_kernels mi_svd_kernels_scalar, mi_svd_kernels_avx2, mi_svd_kernels_neon;

#endif
