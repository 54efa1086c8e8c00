// Bouaziz, D.2: the closest matrix with singular values in [least, most] has the same singular
// vectors and clamped values. A negative last value (an inverted tetrahedron) is clamped up like
// any other, so that reflections are not in the set.
#include "law_limit.h"

#include <math.h>
#include <string.h>

void lab_limit_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  double closest[3];
  mi_stretch stretch;
  mi_stretch_of(stencil, x, &stretch);
  memcpy(gx, stretch.d, sizeof(double) * 3 * (size_t)stretch.n);
  for (int k = 0; k < stretch.n; k++)
    closest[k] = fmin(stencil->parameter[1], fmax(stencil->parameter[0], stretch.s[k]));
  mi_stretch_compose(&stretch, closest, p);
}

void lab_limit_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian) {
  double least = stencil->parameter[0], most = stencil->parameter[1], w = stencil->weight;
  mi_stretch stretch;
  mi_curvature curvature = {0};
  mi_stretch_of(stencil, x, &stretch);
  for (int k = 0; k < stretch.n; k++) {
    double s = stretch.s[k];
    bool is_inside = s >= least && s <= most && least < most;
    curvature.first[k] = w * (s - fmin(most, fmax(least, s)));
    curvature.second[k * stretch.n + k] = is_inside ? 0 : w;
  }
  mi_curvature_complete(&stretch, &curvature);
  mi_simplex_hessian(stencil, &stretch, &curvature, project, hessian);
}
