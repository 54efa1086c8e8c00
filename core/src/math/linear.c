#include "math/linear.h"

#include <math.h>

bool mi_linear_is_finite(const double *a, int nrow, int ncol) {
  for (size_t i = 0; i < (size_t)nrow * (size_t)ncol; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

// X = V diag(1 / s) U' B
bool mi_linear_least_squares(int nrow, int ncol, double *a, int width, const double *b,
                             double rcond, double *x, mi_arena *scratch) {
  double *s = MI_PUSH(scratch, double, ncol);
  double *vt = MI_PUSH(scratch, double, (size_t)ncol *(size_t)ncol);
  double *t = MI_PUSH(scratch, double, (size_t)ncol *(size_t)width);
  if (!s || !vt || !t || !mi_linear_svd(nrow, ncol, a, s, vt)) return false;
  mi_linear_multiply(
      &(mi_product){
          .nrow = ncol, .ncol = width, .depth = nrow, .a = a, .b = b, .transpose_a = true},
      t);
  for (int k = 0; k < ncol; k++) {
    double inverse = s[k] > rcond * s[0] ? 1 / s[k] : 0;
    for (int j = 0; j < width; j++) t[(size_t)k * (size_t)width + (size_t)j] *= inverse;
  }
  mi_linear_multiply(
      &(mi_product){
          .nrow = ncol, .ncol = width, .depth = ncol, .a = vt, .b = t, .transpose_a = true},
      x);
  return true;
}
