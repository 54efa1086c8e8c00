// Barrielle & Stoiber, eq. 15; Bouaziz, 7.4.2 and D.3: det F kept within bounds.
#include "energy/laws.h"
#include "energy/muscle.h"
#include "energy/product.h"
#include "energy/tetrahedron.h"
#include "math/mat3.h"

#include <math.h>
#include <stddef.h>

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

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  double rest[12], target[9], weight = (double)mi_elastic_volume(flesh->elastic, element);
  mi_tet_corners(flesh, element, rest, vert);
  mi_tet_target(flesh, element, rest, vert, target);
  double det = flesh->actuation ? (double)flesh->actuation->volume[element] : mi_mat3_det(target);
  return mi_volume_set_up(stencil, rest, weight, det, det);
}

// The volume's true curvature is a ninth of w G'G on average, most directions have none, and L-BFGS
// with its line search converges faster on less of it: measured on a jaw stepped by 4 mm, error
// after 10 iterations 1.9 % with a quarter, 1.5 % with 0.06; with 0 the line search works more.
// (Plain projective dynamics needs all of it or it overshoots, and so do lone tetrahedra:
// solve/solver.c.)
const mi_law mi_law_volume = {.name = "volume",
                              .value = value,
                              .gradient = gradient,
                              .hessian = mi_product_hessian,
                              .reduce = mi_product_reduce,
                              .count = mi_tet_count,
                              .set_up = set_up,
                              .body = mi_tet_body,
                              .in_matrix = 0.06,
                              .sum = offsetof(mi_energies, elastic)};
