#include "energy/reduce.h"

#include <math.h>
#include <string.h>

void mi_reduce_apply(const mi_stencil *stencil, const double *x, double *gx) {
  int nvert = stencil->nvert;
  for (int r = 0; r < stencil->nrow; r++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int i = 0; i < nvert; i++) sum += stencil->matrix[r * nvert + i] * x[3 * i + k];
      gx[3 * r + k] = sum;
    }
}

void mi_reduce_pull(const mi_stencil *stencil, const double *d, double scale, double *gradient) {
  int nvert = stencil->nvert;
  for (int i = 0; i < nvert; i++)
    for (int k = 0; k < 3; k++) {
      double sum = 0;
      for (int r = 0; r < stencil->nrow; r++) sum += stencil->matrix[r * nvert + i] * d[3 * r + k];
      gradient[3 * i + k] = scale * sum;
    }
}

void mi_reduce_pull_hessian(const mi_stencil *stencil, const double *h, double *hessian) {
  int nvert = stencil->nvert, nrow = stencil->nrow, width = 3 * nrow;
  double half[MI_REDUCED_MOST * 3 * MI_STENCIL_MOST]; // H G                (3 nrow x 3 nvert)
  for (int a = 0; a < width; a++)
    for (int j = 0; j < 3 * nvert; j++) {
      double sum = 0;
      for (int r = 0; r < nrow; r++)
        sum += h[a * width + 3 * r + j % 3] * stencil->matrix[r * nvert + j / 3];
      half[a * 3 * nvert + j] = sum;
    }
  for (int i = 0; i < 3 * nvert; i++)
    for (int j = 0; j < 3 * nvert; j++) {
      double sum = 0;
      for (int r = 0; r < nrow; r++)
        sum += stencil->matrix[r * nvert + i / 3] * half[(3 * r + i % 3) * 3 * nvert + j];
      hessian[i * 3 * nvert + j] = sum;
    }
}

double mi_reduce_value(const mi_stencil *stencil, const double *x, mi_reduce_fn *reduce) {
  double gx[MI_REDUCED_MOST], p[MI_REDUCED_MOST], sum = 0;
  reduce(stencil, x, gx, p);
  for (int i = 0; i < 3 * stencil->nrow; i++) sum += (gx[i] - p[i]) * (gx[i] - p[i]);
  return stencil->weight / 2 * sum;
}

void mi_reduce_gradient(const mi_stencil *stencil, const double *x, mi_reduce_fn *reduce,
                        double *gradient) {
  double gx[MI_REDUCED_MOST], p[MI_REDUCED_MOST];
  reduce(stencil, x, gx, p);
  for (int i = 0; i < 3 * stencil->nrow; i++) gx[i] -= p[i];
  mi_reduce_pull(stencil, gx, stencil->weight, gradient);
}

bool mi_all_finite(const double *a, int count) {
  for (int i = 0; i < count; i++)
    if (!isfinite(a[i])) return false;
  return true;
}
