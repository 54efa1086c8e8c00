// A spring of length zero to a target that may move: skin on the skull (Barrielle & Stoiber, 4.2),
// positional constraints (Bouaziz, 7.5).
#include "energy/laws.h"
#include "energy/reduce.h"

#include <math.h>
#include <string.h>

bool mi_attachment_set_up(mi_stencil *stencil, double weight, const double *target) {
  if (!(weight >= 0 && isfinite(weight)) || !mi_all_finite(target, 3)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = stencil->nrow = 1;
  stencil->weight = weight;
  stencil->matrix[0] = 1;
  mi_attachment_set_target(stencil, target);
  return true;
}

void mi_attachment_set_target(mi_stencil *stencil, const double *target) {
  memcpy(stencil->parameter, target, 3 * sizeof *target);
}

static void reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  memcpy(gx, x, 3 * sizeof *x);
  memcpy(p, stencil->parameter, 3 * sizeof *p);
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, reduce, out);
}

static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  (void)x, (void)project;
  for (int i = 0; i < 9; i++) out[i] = i % 4 == 0 ? stencil->weight : 0;
}

const mi_law mi_law_attachment = {"attachment", value, gradient, hessian, reduce};
