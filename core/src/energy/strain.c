// Barrielle & Stoiber, eq. 14; Chao et al.'s energy in Bouaziz, 7.4.1 with M = SO(3).
//
// With D = F' the closest member of the set is p = T'Q, Q = the rotation of the polar decomposition
// of T D, and W = w/2 (|D|^2 + |T|^2) - w sum s(T D): the singular values' sum bends only along the
// three twists, by 2 / (s_i + s_j).
#include "energy/laws.h"
#include "energy/simplex.h"
#include "energy/tetrahedron.h"
#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// The parameters are T.
bool mi_strain_set_up(mi_stencil *stencil, const double *rest, double weight,
                      const double *target) {
  if (!(weight >= 0 && isfinite(weight))) return false;
  if (target && !mi_all_finite(target, 9)) return false;
  if (!mi_simplex_set_up(stencil, 4, rest)) return false;
  stencil->weight = weight;
  memcpy(stencil->parameter, target ? target : identity, sizeof identity);
  return true;
}

static void stretch_against_target(const mi_stencil *stencil, const double *d,
                                   mi_stretch *stretch) {
  stretch->n = 3;
  mi_mat3_multiply(stencil->parameter, d, stretch->d);
  mi_mat3_svd(stretch->d, stretch->u, stretch->s, stretch->v);
}

// out = T'a
static void back_to_target(const mi_stencil *stencil, const double *a, double *out) {
  double transposed[9];
  mi_mat3_transpose(stencil->parameter, transposed);
  mi_mat3_multiply(transposed, a, out);
}

static void reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  static const double ones[3] = {1, 1, 1};
  double rotation[9];
  mi_stretch stretch;
  mi_reduce_apply(stencil, x, gx);
  stretch_against_target(stencil, gx, &stretch);
  mi_stretch_compose(&stretch, ones, rotation);
  back_to_target(stencil, rotation, p);
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, reduce, out);
}

// H = w (I - A A'), the columns of A being the twists times the root of how much each bends. Its
// eigenvalues are 1, and 1 - e for those e of the small matrix A'A, which makes it cheap to clamp.
static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  double d[9], h[81], a[3][9], gram[9], e[3], vector[9];
  mi_stretch stretch;
  mi_reduce_apply(stencil, x, d);
  stretch_against_target(stencil, d, &stretch);
  for (int k = 0; k < 3; k++) {
    double twist[9], bend = 2 / fmax(1e-12, stretch.s[(k + 1) % 3] + stretch.s[(k + 2) % 3]);
    mi_twist_mode(&stretch, k, twist);
    back_to_target(stencil, twist, a[k]);
    for (int i = 0; i < 9; i++) a[k][i] *= sqrt(bend);
  }
  for (int k = 0; k < 9; k++) {
    gram[k] = 0;
    for (int i = 0; i < 9; i++) gram[k] += a[k / 3][i] * a[k % 3][i];
  }
  mi_small_eigen(3, gram, e, vector);
  for (int i = 0; i < 81; i++) h[i] = i % 10 == 0;
  for (int k = 0; k < 3; k++) {
    double q[9], keep = project && e[k] > 1 ? 1 / e[k] : 1;
    for (int i = 0; i < 9; i++)
      q[i] = a[0][i] * vector[k] + a[1][i] * vector[3 + k] + a[2][i] * vector[6 + k];
    for (int i = 0; i < 81; i++) h[i] -= keep * q[i / 9] * q[i % 9];
  }
  for (int i = 0; i < 81; i++) h[i] *= stencil->weight;
  mi_reduce_pull_hessian(stencil, h, out);
}

static bool set_up(const mi_flesh *flesh, int element, mi_stencil *stencil, int32_t *vert) {
  double rest[12], target[9], weight = (double)mi_elastic_strain(flesh->elastic, element);
  mi_tet_corners(flesh, element, rest, vert);
  mi_tet_target(flesh, element, rest, vert, target);
  return mi_strain_set_up(stencil, rest, weight, target);
}

const mi_law mi_law_strain = {.name = "strain",
                              .value = value,
                              .gradient = gradient,
                              .hessian = hessian,
                              .reduce = reduce,
                              .count = mi_tet_count,
                              .set_up = set_up,
                              .body = mi_tet_body,
                              .in_matrix = 1,
                              .sum = offsetof(mi_energies, elastic)};
