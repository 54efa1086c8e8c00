// Bouaziz, 7.4.3. Every example, turned to match the rest state best, is a symmetric stretch; the
// shapes allowed are the plane through the rest state (the identity) and all of them, turned in any
// way. Since example weights have no bounds, an orthonormal basis of that plane says the same and
// does not mind examples that repeat each other.
#include "lab_laws.h"
#include "law_example_fit.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { NDIRECTION = 0, DIRECTIONS = 1 }; // parameters: their count, nine numbers each

// Adds the part of `direction` that is orthogonal to those in the stencil, if there is one.
static void add_direction(mi_stencil *stencil, int n, double *direction) {
  int count = (int)stencil->parameter[NDIRECTION];
  double *basis = stencil->parameter + DIRECTIONS, before = 0, after = 0;
  for (int i = 0; i < 3 * n; i++) before += direction[i] * direction[i];
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < count; k++) {
      double along = 0;
      for (int i = 0; i < 3 * n; i++) along += direction[i] * basis[9 * k + i];
      for (int i = 0; i < 3 * n; i++) direction[i] -= along * basis[9 * k + i];
    }
  for (int i = 0; i < 3 * n; i++) after += direction[i] * direction[i];
  // less than this is rounding, in the example's positions or against the others
  if (!(after > 1e-12 && after > 1e-12 * before)) return;
  for (int i = 0; i < 3 * n; i++) basis[9 * count + i] = direction[i] / sqrt(after);
  stencil->parameter[NDIRECTION] = count + 1;
}

bool lab_example_set_up(mi_stencil *stencil, const lab_examples *examples, double weight) {
  int nvert = examples->nvert, n = nvert - 1;
  if (!(weight >= 0 && isfinite(weight)) || (nvert != 3 && nvert != 4)) return false;
  if (examples->count < 0 || examples->count > LAB_EXAMPLES_MOST) return false;
  if (!mi_all_finite(examples->position, 3 * nvert * examples->count)) return false;
  if (!mi_simplex_set_up(stencil, nvert, examples->rest)) return false;
  stencil->weight = weight;
  for (int e = 0; e < examples->count; e++) {
    mi_stretch t;
    double direction[9] = {0};
    mi_stretch_of(stencil, examples->position + 3 * nvert * e, &t);
    for (int i = 0; i < n; i++) // U diag(s) U' - I, in the first n columns
      for (int j = 0; j < n; j++) {
        direction[3 * i + j] = -(i == j);
        for (int k = 0; k < n; k++)
          direction[3 * i + j] += t.u[i * n + k] * t.s[k] * t.u[j * n + k];
      }
    add_direction(stencil, n, direction);
  }
  return true;
}

static lab_example_set set_of(const mi_stencil *stencil) {
  return (lab_example_set){stencil->nrow, (int)stencil->parameter[NDIRECTION],
                           stencil->parameter + DIRECTIONS};
}

static void reduce(const mi_stencil *stencil, const double *x, double *gx, double *p) {
  lab_example_set set = set_of(stencil);
  lab_example_fit fit;
  mi_stretch stretch;
  mi_stretch_of(stencil, x, &stretch);
  lab_example_fit_closest(&set, &stretch, &fit);
  memcpy(gx, stretch.d, sizeof *gx * (size_t)(3 * set.n));
  memcpy(p, fit.p, sizeof *p * (size_t)(3 * set.n));
}

static double value(const mi_stencil *stencil, const double *x) {
  return mi_reduce_value(stencil, x, reduce);
}

static void gradient(const mi_stencil *stencil, const double *x, double *out) {
  mi_reduce_gradient(stencil, x, reduce, out);
}

static void hessian(const mi_stencil *stencil, const double *x, bool project, double *out) {
  lab_example_set set = set_of(stencil);
  lab_example_fit fit;
  mi_stretch stretch;
  double h[81];
  int width = 3 * set.n;
  mi_stretch_of(stencil, x, &stretch);
  lab_example_fit_closest(&set, &stretch, &fit);
  lab_example_fit_derive(&set, stretch.d, &fit, h);
  for (int i = 0; i < width * width; i++) h[i] = (i % (width + 1) == 0) - h[i];
  if (project) mi_small_make_psd(width, h);
  for (int i = 0; i < width * width; i++) h[i] *= stencil->weight;
  mi_reduce_pull_hessian(stencil, h, out);
}

const mi_law lab_law_example = {
    .name = "example", .value = value, .gradient = gradient, .hessian = hessian, .reduce = reduce};
