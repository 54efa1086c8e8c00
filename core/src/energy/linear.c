#include "energy/linear.h"

#include "energy/reduce.h"

#include <string.h>

bool mi_linear_set_up(mi_stencil *stencil, int nvert, const double *force, const double *origin) {
  if (!mi_all_finite(force, 3) || (origin && !mi_all_finite(origin, 3))) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = nvert;
  for (int k = 0; k < 3; k++) {
    stencil->parameter[k] = -force[k];
    stencil->parameter[3 + k] = origin ? origin[k] : 0;
  }
  return true;
}

double mi_linear_value(const mi_stencil *stencil, const double *x) {
  const double *q = stencil->parameter, *o = q + 3;
  double sum = 0;
  for (int i = 0; i < 3 * stencil->nvert; i++) sum += q[i % 3] * (x[i] - o[i % 3]);
  return sum;
}

void mi_linear_gradient(const mi_stencil *stencil, const double *x, double *gradient) {
  (void)x;
  for (int i = 0; i < 3 * stencil->nvert; i++) gradient[i] = stencil->parameter[i % 3];
}
