// A half space that pushes out and never pulls in: contact planes (Bouaziz, 7.5).
#include "energy/reduce.h"
#include "lab_laws.h"

#include <math.h>
#include <string.h>

enum { POINT = 0, NORMAL = 3 }; // parameters

bool lab_plane_set_up(mi_stencil *stencil, double weight, const double *point,
                      const double *normal) {
  if (!(weight >= 0 && isfinite(weight)) || !mi_all_finite(point, 3)) return false;
  double length = hypot(hypot(normal[0], normal[1]), normal[2]);
  if (!(fabs(length - 1) < 1e-6)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = stencil->nrow = 1;
  stencil->weight = weight;
  stencil->matrix[0] = 1;
  memcpy(stencil->parameter + POINT, point, 3 * sizeof *point);
  for (int k = 0; k < 3; k++) stencil->parameter[NORMAL + k] = normal[k] / length;
  return true;
}

static double depth(const mi_stencil *stencil, const double *x) {
  double sum = 0;
  for (int k = 0; k < 3; k++)
    sum += stencil->parameter[NORMAL + k] * (stencil->parameter[POINT + k] - x[k]);
  return fmax(0, sum);
}

static void reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  double out = depth(stencil, x);
  for (int k = 0; k < 3; k++) {
    gx[k] = x[k];
    p[k] = x[k] + out * stencil->parameter[NORMAL + k];
  }
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, reduce, out);
}

static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  (void)project; // w n n' has no negative eigenvalue
  double w = depth(stencil, x) > 0 ? stencil->weight : 0;
  const double *n = stencil->parameter + NORMAL;
  for (int i = 0; i < 9; i++) out[i] = w * n[i / 3] * n[i % 3];
}

const mi_law lab_law_plane = {
    .name = "plane", .value = value, .gradient = gradient, .hessian = hessian, .reduce = reduce};
