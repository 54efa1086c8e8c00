// Weight: -m g . x.
#include "energy/laws.h"
#include "energy/reduce.h"

#include <math.h>
#include <string.h>

bool mi_gravity_set_up(mi_stencil *stencil, double mass, const double *g) {
  if (!(mass >= 0 && isfinite(mass)) || !mi_all_finite(g, 3)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = 1;
  for (int k = 0; k < 3; k++) stencil->parameter[k] = -mass * g[k];
  return true;
}

static double value(const mi_stencil *stencil, const double *x) {
  double sum = 0;
  for (int k = 0; k < 3; k++) sum += stencil->parameter[k] * x[k];
  return sum;
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  (void)x;
  memcpy(out, stencil->parameter, 3 * sizeof *out);
}

const mi_law mi_law_gravity = {"gravity", value, gradient, NULL, NULL};
