// Barrielle & Stoiber, eq. 15; Bouaziz, 7.4.2 and D.3: det F kept within bounds.
#include "energy/laws.h"
#include "energy/product.h"

#include <math.h>

bool mi_volume_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                      double most) {
  if (!(least > 0 && isfinite(most))) return false;
  return mi_simplex_set_up_bounds(stencil, 4, rest, weight, (const double[]){least, most});
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, mi_product_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, mi_product_reduce, out);
}

const mi_law mi_law_volume = {"volume", value, gradient, mi_product_hessian, mi_product_reduce};
