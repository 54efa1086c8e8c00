// Singular values of a triangle kept within bounds (Bouaziz, eq. 7.16 and D.2).
#include "lab_laws.h"
#include "law_limit.h"

bool lab_triangle_strain_set_up(mi_stencil *stencil, const double *rest, double weight,
                                double least, double most) {
  return mi_simplex_set_up_bounds(stencil, 3, rest, weight, (const double[]){least, most});
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, lab_limit_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, lab_limit_reduce, out);
}

const mi_law lab_law_triangle_strain = {.name = "triangle_strain",
                                        .value = value,
                                        .gradient = gradient,
                                        .hessian = lab_limit_hessian,
                                        .reduce = lab_limit_reduce};
