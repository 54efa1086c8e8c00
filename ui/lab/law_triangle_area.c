// Area kept within bounds (Bouaziz, 7.4.2 and D.3).
#include "energy/product.h"
#include "lab_laws.h"

#include <math.h>

bool lab_triangle_area_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                              double most) {
  if (!(least > 0 && isfinite(most))) return false;
  return mi_simplex_set_up_bounds(stencil, 3, rest, weight, (const double[]){least, most});
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, mi_product_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, mi_product_reduce, out);
}

const mi_law lab_law_triangle_area = {.name = "triangle_area",
                                      .value = value,
                                      .gradient = gradient,
                                      .hessian = mi_product_hessian,
                                      .reduce = mi_product_reduce};
