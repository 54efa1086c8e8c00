// Bouaziz, 7.4.4, eq. 7.21: the Laplacian of the position is the mean curvature vector, and its
// length is kept as at rest. The law sees how much a surface bends, not which way (eq. 7.19
// compares absolute values).
#include "lab_laws.h"
#include "law_length.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

bool lab_bending_set_up(mi_stencil *stencil, int nvert, const double *rest, const double *cotangent,
                        double weight) {
  if (nvert < 3 || nvert > MI_STENCIL_MOST || !(weight >= 0 && isfinite(weight))) return false;
  if (!mi_all_finite(rest, 3 * nvert) || !mi_all_finite(cotangent, nvert - 1)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = nvert;
  stencil->nrow = 1;
  stencil->weight = weight;
  for (int i = 1; i < nvert; i++) {
    stencil->matrix[i] = cotangent[i - 1];
    stencil->matrix[0] -= cotangent[i - 1];
  }
  double d[3];
  mi_reduce_apply(stencil, rest, d);
  stencil->parameter[0] = hypot(hypot(d[0], d[1]), d[2]);
  return true;
}

static mi_vec3 load(const double *at) {
  return (mi_vec3){at[0], at[1], at[2]};
}

// The cotangent of the angle at b in the triangle a, b, c.
static double cotangent_at(mi_vec3 a, mi_vec3 b, mi_vec3 c) {
  mi_vec3 u = mi_sub(a, b), v = mi_sub(c, b);
  return mi_dot(u, v) / mi_length(mi_cross(u, v));
}

// A triangle's share of the Voronoi area of its corner a; mixed where an angle is obtuse (Meyer et
// al. 2003), since circumcentres then lie outside.
static double area_share(mi_vec3 a, mi_vec3 b, mi_vec3 c) {
  mi_vec3 ab = mi_sub(b, a), ac = mi_sub(c, a), bc = mi_sub(c, b);
  double area = mi_length(mi_cross(ab, ac)) / 2;
  if (mi_dot(ab, ac) < 0) return area / 2;
  if (mi_dot(ab, bc) > 0 || mi_dot(ac, bc) < 0) return area / 4;
  return (cotangent_at(a, c, b) * mi_dot(ab, ab) + cotangent_at(a, b, c) * mi_dot(ac, ac)) / 8;
}

double lab_bending_cotangents(int nvert, const double *rest, double *cotangent) {
  int n = nvert - 1;
  double area = 0;
  mi_vec3 a = load(rest);
  for (int i = 0; i < n; i++) {
    mi_vec3 before = load(rest + 3 * (1 + (i + n - 1) % n)), at = load(rest + 3 * (1 + i));
    mi_vec3 after = load(rest + 3 * (1 + (i + 1) % n));
    cotangent[i] = (cotangent_at(a, before, at) + cotangent_at(a, after, at)) / 2;
    area += area_share(a, at, after);
  }
  for (int i = 0; i < n; i++) cotangent[i] /= area;
  return area > 0 && mi_all_finite(cotangent, n) ? area : 0;
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, lab_length_reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, lab_length_reduce, out);
}

const mi_law lab_law_bending = {.name = "bending",
                                .value = value,
                                .gradient = gradient,
                                .hessian = lab_length_hessian,
                                .reduce = lab_length_reduce};
