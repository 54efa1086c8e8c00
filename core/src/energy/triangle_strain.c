// Singular values of a triangle kept within bounds (Bouaziz, eq. 7.16 and D.2).
#include "energy/laws.h"
#include "energy/limit.h"

bool mi_triangle_strain_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                               double most) {
  return mi_simplex_set_up_bounds(stencil, 3, rest, weight, (const double[]){least, most});
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, mi_limit_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, mi_limit_reduce, out);
}

const mi_law mi_law_triangle_strain = {"triangle_strain", value, gradient, mi_limit_hessian,
                                       mi_limit_reduce};
