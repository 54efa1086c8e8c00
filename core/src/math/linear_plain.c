// Dense linear algebra without LAPACK: short loops that need no memory, for small builds.
#include "math/linear.h"

#include <math.h>

void mi_linear_multiply(const mi_product *p, double *c) {
  size_t nrow = (size_t)p->nrow, ncol = (size_t)p->ncol, depth = (size_t)p->depth;
  size_t a_row = p->transpose_a ? 1 : depth, a_column = p->transpose_a ? nrow : 1;
  size_t b_row = p->transpose_b ? 1 : ncol, b_column = p->transpose_b ? depth : 1;
  for (size_t i = 0; i < nrow; i++) {
    for (size_t j = 0; j < ncol; j++)
      c[i * ncol + j] = p->beta == 0 ? 0 : p->beta * c[i * ncol + j];
    for (size_t k = 0; k < depth; k++)
      for (size_t j = 0; j < ncol; j++)
        c[i * ncol + j] += p->a[i * a_row + k * a_column] * p->b[k * b_row + j * b_column];
  }
}

// L in place of the lower triangle.
static bool factor(size_t n, double *a) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double left = a[i * n + j];
      for (size_t k = 0; k < j; k++) left -= a[i * n + k] * a[j * n + k];
      if (i == j && !(left > 0 && isfinite(left))) return false;
      a[i * n + j] = i == j ? sqrt(left) : left / a[j * n + j];
    }
  return true;
}

bool mi_linear_solve_spd(int side, double *a, int columns, double *b) {
  size_t n = (size_t)side, width = (size_t)columns;
  if (!mi_linear_is_finite(b, side, columns) || !factor(n, a)) return false;
  for (size_t c = 0; c < width; c++) {
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < i; k++) b[i * width + c] -= a[i * n + k] * b[k * width + c];
      b[i * width + c] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; k++) b[i * width + c] -= a[k * n + i] * b[k * width + c];
      b[i * width + c] /= a[i * n + i];
    }
  }
  return true;
}
