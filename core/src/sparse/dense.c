// Small dense positive definite matrices, lower triangle, row after row.
#include "sparse/factor.h"

#include <math.h>

bool mi_dense_factor(double *m, int side) {
  const mi_sparse_kernels *kernels = mi_sparse_kernels_best();
  for (int i = 0; i < side; i++) {
    double *row = m + (size_t)i * (size_t)side;
    for (int j = 0; j <= i; j++) {
      const double *other = m + (size_t)j * (size_t)side;
      double left = row[j] - kernels->dot_double(row, other, j);
      if (j == i && !(left > 0)) return false;
      row[j] = j == i ? sqrt(left) : left / other[j];
    }
  }
  return true;
}

void mi_dense_solve(const double *m, int side, double *x) {
  const mi_sparse_kernels *kernels = mi_sparse_kernels_best();
  for (int i = 0; i < side; i++) {
    const double *row = m + (size_t)i * (size_t)side;
    x[i] = (x[i] - kernels->dot_double(row, x, i)) / row[i];
  }
  for (int i = side - 1; i >= 0; i--) {
    const double *row = m + (size_t)i * (size_t)side;
    x[i] /= row[i];
    for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
}
