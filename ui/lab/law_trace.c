// The term that keeps volume in Dinev, eq. 4.1, to the first order: w/2 tr(S - 1)^2, S from the
// polar decomposition F = R S. With singular values s it is w/2 (s0 + s1 + s2 - 3)^2. The thesis
// prints lambda / v; w is lambda times the rest volume (energy/muscle.h says why).
#include "lab_laws.h"

#include "energy/simplex.h"

#include <math.h>

bool lab_trace_set_up(mi_stencil *stencil, const double *rest, double weight) {
  if (!(weight >= 0 && isfinite(weight)) || !mi_simplex_set_up(stencil, 4, rest)) return false;
  stencil->weight = weight;
  return true;
}

static double find_excess(const mi_stencil *stencil, const double *x, mi_stretch *stretch) {
  mi_stretch_of(stencil, x, stretch);
  return stretch->s[0] + stretch->s[1] + stretch->s[2] - 3;
}

static double value(const mi_stencil *stencil, const double *x) {
  mi_stretch stretch;
  double excess = find_excess(stencil, x, &stretch);
  return 0.5 * stencil->weight * excess * excess;
}

// dW/dD = w (tr S - 3) U V', pulled back through D = G x
static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  static const double ones[3] = {1, 1, 1};
  mi_stretch stretch;
  double turn[9], push = stencil->weight * find_excess(stencil, x, &stretch);
  mi_stretch_compose(&stretch, ones, turn);
  for (int i = 0; i < 12; i++) {
    out[i] = 0;
    for (int r = 0; r < 3; r++)
      out[i] += push * stencil->matrix[r * stencil->nvert + i / 3] * turn[3 * r + i % 3];
  }
}

static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  mi_stretch stretch;
  mi_curvature curvature = {0};
  double push = stencil->weight * find_excess(stencil, x, &stretch);
  for (int k = 0; k < 3; k++) curvature.first[k] = push;
  for (int k = 0; k < 9; k++) curvature.second[k] = stencil->weight;
  mi_curvature_complete(&stretch, &curvature);
  mi_simplex_hessian(stencil, &stretch, &curvature, project, out);
}

const mi_law lab_law_trace = {
    .name = "trace", .value = value, .gradient = gradient, .hessian = hessian};
