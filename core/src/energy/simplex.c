// The closed-form Hessian of an isotropic law: along singular values it is the Hessian of W(s); a
// change that twists or flips a pair of singular vectors is an eigenvector of its own. With all
// eigenvalues known, making it positive semi-definite costs a clamp each.
#include "energy/simplex.h"

#include "energy/laws.h"
#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

static const double TINY = 1e-12; // singular values below this do not divide

double mi_tet_volume(const double *rest) {
  double edge[9];
  for (int i = 0; i < 9; i++) edge[i] = rest[3 + i] - rest[i % 3];
  return mi_mat3_det(edge) / 6;
}

// The triangle in its own plane: a at the origin, b on the first axis, c above it.
static void lay_flat(const double *rest, double flat[4]) {
  double e[6], length = 0, along = 0, across = 0;
  for (int i = 0; i < 6; i++) e[i] = rest[3 + i] - rest[i % 3];
  for (int k = 0; k < 3; k++) length += e[k] * e[k];
  length = sqrt(length);
  for (int k = 0; k < 3; k++) along += e[k] * e[3 + k] / length;
  for (int k = 0; k < 3; k++) {
    double rest_of_it = e[3 + k] - along * e[k] / length;
    across += rest_of_it * rest_of_it;
  }
  flat[0] = length;
  flat[1] = 0;
  flat[2] = along;
  flat[3] = sqrt(across);
}

// D = E^-1 (edges of x), E = edges at rest as rows, so G = E^-1 [-1 | I].
static bool invert_edges(int n, const double *rest, double *inverse) {
  if (n == 3) {
    double edge[9];
    for (int i = 0; i < 9; i++) edge[i] = rest[3 + i] - rest[i % 3];
    return mi_mat3_det(edge) > 0 && mi_mat3_invert(edge, inverse);
  }
  double flat[4];
  lay_flat(rest, flat);
  if (!(flat[0] > 0 && flat[3] > 0)) return false;
  inverse[0] = 1 / flat[0];
  inverse[1] = 0;
  inverse[2] = -flat[2] / (flat[0] * flat[3]);
  inverse[3] = 1 / flat[3];
  return mi_all_finite(inverse, 4);
}

bool mi_simplex_set_up(mi_stencil *stencil, int nvert, const double *rest) {
  int n = nvert - 1;
  double inverse[9];
  if (!mi_all_finite(rest, 3 * nvert) || !invert_edges(n, rest, inverse)) return false;
  memset(stencil, 0, sizeof *stencil);
  stencil->nvert = nvert;
  stencil->nrow = n;
  for (int r = 0; r < n; r++)
    for (int i = 0; i < n; i++) {
      stencil->matrix[r * nvert + i + 1] = inverse[r * n + i];
      stencil->matrix[r * nvert] -= inverse[r * n + i];
    }
  return true;
}

bool mi_simplex_set_up_bounds(mi_stencil *stencil, int nvert, const double *rest, double weight,
                              const double bounds[2]) {
  if (!(weight >= 0 && isfinite(weight) && bounds[0] >= 0 && bounds[0] <= bounds[1])) return false;
  if (!mi_simplex_set_up(stencil, nvert, rest)) return false;
  stencil->weight = weight;
  memcpy(stencil->parameter, bounds, 2 * sizeof *bounds);
  return true;
}

void mi_stretch_of(const mi_stencil *stencil, const double *x, mi_stretch *stretch) {
  stretch->n = stencil->nrow;
  mi_reduce_apply(stencil, x, stretch->d);
  if (stretch->n == 3)
    mi_mat3_svd(stretch->d, stretch->u, stretch->s, stretch->v);
  else
    mi_mat23_svd(stretch->d, stretch->u, stretch->s, stretch->v);
}

void mi_stretch_compose(const mi_stretch *stretch, const double *s, double *out) {
  int n = stretch->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += stretch->u[i * n + k] * s[k] * stretch->v[3 * j + k];
      out[3 * i + j] = sum;
    }
}

void mi_curvature_complete(const mi_stretch *stretch, mi_curvature *c) {
  int n = stretch->n;
  const double *s = stretch->s;
  for (int k = n == 3 ? 0 : 2; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double difference = s[i] - s[j];
    c->twist[k] = (c->first[i] + c->first[j]) / fmax(s[i] + s[j], TINY);
    // the limit of equal values
    double equal = (c->second[i * n + i] + c->second[j * n + j]) / 2 - c->second[i * n + j];
    c->flip[k] =
        fabs(difference) > TINY * fabs(s[0]) ? (c->first[i] - c->first[j]) / difference : equal;
  }
  for (int i = 0; n == 2 && i < 2; i++) c->lift[i] = c->first[i] / fmax(s[i], TINY);
}

// q = (u_i v_j' + sign u_j v_i') * scale
static void pair_mode(const mi_stretch *t, int i, int j, double sign, double *q) {
  for (int a = 0; a < t->n; a++)
    for (int b = 0; b < 3; b++)
      q[3 * a + b] = sqrt(0.5) * (t->u[a * t->n + i] * t->v[3 * b + j] +
                                  sign * t->u[a * t->n + j] * t->v[3 * b + i]);
}

void mi_twist_mode(const mi_stretch *stretch, int pair, double *q) {
  pair_mode(stretch, (pair + 1) % 3, (pair + 2) % 3, -1, q);
}

// H += value a b'
static void add_outer(int width, double value, const double *a, const double *b, double *h) {
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) h[i * width + j] += value * a[i] * b[j];
}

void mi_simplex_hessian(const mi_stencil *stencil, const mi_stretch *t, const mi_curvature *c,
                        bool project, double *hessian) {
  int n = t->n, width = 3 * n;
  double h[81] = {0}, q[3][9], second[9], least = project ? 0 : -INFINITY;
  memcpy(second, c->second, sizeof second);
  if (project) mi_small_make_psd(n, second);
  for (int k = 0; k < n; k++)
    for (int a = 0; a < n; a++)
      for (int b = 0; b < 3; b++) q[k][3 * a + b] = t->u[a * n + k] * t->v[3 * b + k];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) add_outer(width, second[i * n + j], q[i], q[j], h);
  for (int k = n == 3 ? 0 : 2; k < 3; k++) {
    mi_twist_mode(t, k, q[0]);
    add_outer(width, fmax(least, c->twist[k]), q[0], q[0], h);
    pair_mode(t, (k + 1) % 3, (k + 2) % 3, 1, q[0]);
    add_outer(width, fmax(least, c->flip[k]), q[0], q[0], h);
  }
  for (int k = 0; n == 2 && k < 2; k++) { // u_k times the normal
    for (int i = 0; i < 6; i++) q[0][i] = t->u[2 * (i / 3) + k] * t->v[3 * (i % 3) + 2];
    add_outer(width, fmax(least, c->lift[k]), q[0], q[0], h);
  }
  mi_reduce_pull_hessian(stencil, h, hessian);
}
