// Bouaziz, D.7: the closest vector of length l to d is l d / |d|.
#include "law_length.h"

#include <math.h>

static double norm(const double *a) {
  return hypot(hypot(a[0], a[1]), a[2]);
}

void lab_length_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  mi_reduce_apply(stencil, x, gx);
  double length = norm(gx), wanted = stencil->parameter[0];
  // from zero all directions are as close: take the first axis
  for (int k = 0; k < 3; k++) p[k] = length > 0 ? wanted * (gx[k] / length) : wanted * (k == 0);
}

void lab_length_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian) {
  double d[3], h[9], wanted = stencil->parameter[0];
  mi_reduce_apply(stencil, x, d);
  double length = norm(d);
  // w (n n' + (1 - l / |d|) (I - n n'))
  double across = wanted > 0 ? 1 - wanted / fmax(length, 1e-12 * wanted) : 1;
  if (project) across = fmax(0, across);
  for (int i = 0; i < 9; i++) {
    double nn = length > 0 ? (d[i / 3] / length) * (d[i % 3] / length) : i == 0;
    h[i] = stencil->weight * (nn + across * ((i % 4 == 0) - nn));
  }
  mi_reduce_pull_hessian(stencil, h, hessian);
}
