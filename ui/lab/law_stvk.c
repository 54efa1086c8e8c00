// Kozlov et al., eq. 5: St. Venant-Kirchhoff with a volume term that recovers from inversion,
//   W = V (mu tr(E^2) + lambda/2 (det F - 1)^2),  E = (F'F - I) / 2.
// The paper prints tr(E)^2, which would leave shear without any stiffness. By singular values
// tr(E^2) = sum (s^2 - 1)^2 / 4.
#include "energy/simplex.h"
#include "lab_laws.h"

#include <math.h>

bool lab_stvk_set_up(mi_stencil *stencil, const double *rest, double mu, double lambda) {
  if (!(mu >= 0 && isfinite(mu) && lambda >= 0 && isfinite(lambda))) return false;
  if (!mi_simplex_set_up(stencil, 4, rest)) return false;
  double volume = mi_tet_volume(rest);
  stencil->parameter[0] = mu * volume;
  stencil->parameter[1] = lambda * volume;
  return true;
}

static double value(const mi_stencil *stencil, const double *x) {
  mi_stretch t;
  mi_stretch_of(stencil, x, &t);
  double sum = 0, change = t.s[0] * t.s[1] * t.s[2] - 1;
  for (int k = 0; k < 3; k++) sum += (t.s[k] * t.s[k] - 1) * (t.s[k] * t.s[k] - 1) / 4;
  return stencil->parameter[0] * sum + stencil->parameter[1] / 2 * change * change;
}

static void derive(const mi_stencil *stencil, const mi_stretch *t, mi_curvature *out) {
  double mu = stencil->parameter[0], lambda = stencil->parameter[1];
  double pressure = lambda * (t->s[0] * t->s[1] * t->s[2] - 1);
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double a = t->s[i], b = t->s[j], s = t->s[k];
    out->first[k] = mu * s * (s * s - 1) + pressure * a * b;
    out->second[4 * k] = mu * (3 * s * s - 1) + lambda * a * b * a * b;
    out->second[3 * i + j] = out->second[3 * j + i] = lambda * (b * s) * (a * s) + pressure * s;
    out->twist[k] = mu * (a * a - a * b + b * b - 1) + pressure * s;
    out->flip[k] = mu * (a * a + a * b + b * b - 1) - pressure * s;
  }
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  double d[9];
  mi_stretch t;
  mi_curvature curvature;
  mi_stretch_of(stencil, x, &t);
  derive(stencil, &t, &curvature);
  mi_stretch_compose(&t, curvature.first, d);
  mi_reduce_pull(stencil, d, 1, out);
}

static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  mi_stretch t;
  mi_curvature curvature;
  mi_stretch_of(stencil, x, &t);
  derive(stencil, &t, &curvature);
  mi_simplex_hessian(stencil, &t, &curvature, project, out);
}

const mi_law lab_law_stvk = {
    .name = "stvk", .value = value, .gradient = gradient, .hessian = hessian, .reduce = NULL};
