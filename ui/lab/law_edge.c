// A spring with a rest length: the one-dimensional strain of Bouaziz, 7.4.1.
#include "lab_laws.h"
#include "law_length.h"

#include <math.h>
#include <string.h>

bool lab_edge_set_up(mi_stencil *stencil, double weight, double length) {
  if (!(weight >= 0 && isfinite(weight) && length >= 0 && isfinite(length))) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = 2;
  stencil->nrow = 1;
  stencil->weight = weight;
  stencil->matrix[0] = -1;
  stencil->matrix[1] = 1;
  stencil->parameter[0] = length;
  return true;
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, lab_length_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, lab_length_reduce, out);
}

const mi_law lab_law_edge = {.name = "edge",
                             .value = value,
                             .gradient = gradient,
                             .hessian = lab_length_hessian,
                             .reduce = lab_length_reduce};
