#include "sparse/sparse.h"

void mi_csr_multiply(const mi_csr *a, int width, const double *x, double *y) {
  for (int i = 0; i < a->nrow; i++) {
    double *row = y + (size_t)i * (size_t)width;
    for (int k = 0; k < width; k++) row[k] = 0;
    for (int p = a->first[i]; p < a->first[i + 1]; p++) // y_i = sum a_ij x_j
      for (int k = 0; k < width; k++)
        row[k] += a->value[p] * x[(size_t)a->column[p] * (size_t)width + (size_t)k];
  }
}

void mi_csr_multiply_transposed(const mi_csr *a, int width, double s, const double *x, double *y) {
  for (int i = 0; i < a->nrow; i++) {
    const double *row = x + (size_t)i * (size_t)width;
    for (int p = a->first[i]; p < a->first[i + 1]; p++) // y_j += s a_ij x_i
      for (int k = 0; k < width; k++)
        y[(size_t)a->column[p] * (size_t)width + (size_t)k] += s * a->value[p] * row[k];
  }
}
