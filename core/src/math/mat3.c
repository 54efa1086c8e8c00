// One-sided Jacobi: columns are turned against each other until all are orthogonal. It keeps small
// singular values as accurate as large ones (down to 1e-30 of the largest), which an eigen solver
// on A'A does not.
#include "math/mat3.h"

#include <float.h>
#include <math.h>
#include <string.h>

void mi_mat3_multiply(const double a[9], const double b[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

void mi_mat3_multiply_transposed(const double a[9], const double b[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] =
          a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}

void mi_mat3_transpose(const double a[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = a[3 * j + i];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

double mi_mat3_det(const double a[9]) {
  double c[3];
  cross(a + 3, a + 6, c);
  return dot(a, c);
}

bool mi_mat3_invert(const double a[9], double out[9]) {
  double inverse[9], column[3];
  double scale = 1 / mi_mat3_det(a);
  for (int j = 0; j < 3; j++) { // column j = cross product of the two other rows / det
    cross(a + 3 * ((j + 1) % 3), a + 3 * ((j + 2) % 3), column);
    for (int i = 0; i < 3; i++) inverse[3 * i + j] = scale * column[i];
  }
  for (int i = 0; i < 9; i++)
    if (!isfinite(inverse[i])) return false;
  memcpy(out, inverse, sizeof inverse);
  return true;
}

static double largest(const double *a, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
  return most;
}

// Turns vectors p and q so that they are orthogonal, and wp and wq (nw numbers) with them. False
// when they already were.
static bool orthogonalise(double *p, double *q, double *wp, double *wq, int nw) {
  double pp = dot(p, p), qq = dot(q, q), pq = dot(p, q);
  // a vector that only rounding has left (the largest is about 1) would be chased for ever
  if (fmin(pp, qq) < 1e-60 || !(fabs(pq) > DBL_EPSILON * sqrt(pp) * sqrt(qq))) return false;
  double zeta = (qq - pp) / (2 * pq);
  double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
  double c = 1 / hypot(1, t), s = c * t;
  for (int k = 0; k < 3; k++) {
    double a = p[k];
    p[k] = c * a - s * q[k];
    q[k] = s * a + c * q[k];
  }
  for (int k = 0; k < nw; k++) {
    double a = wp[k];
    wp[k] = c * a - s * wq[k];
    wq[k] = s * a + c * wq[k];
  }
  return true;
}

static void swap_rows(double *p, double *q, int n) {
  for (int k = 0; k < n; k++) {
    double keep = p[k];
    p[k] = q[k];
    q[k] = keep;
  }
}

// A unit vector along `a`; where a is zero, any that is orthogonal to the unit vector `to`.
static void unit_along(const double *a, const double *to, double *out) {
  double most = largest(a, 3), b[3] = {0};
  if (most > 0) {
    for (int k = 0; k < 3; k++) b[k] = a[k] / most;
    if (to)
      for (int pass = 0; pass < 2; pass++) {
        double along = dot(b, to);
        for (int k = 0; k < 3; k++) b[k] -= along * to[k];
      }
  }
  if (!(dot(b, b) > 1e-8)) { // no direction is left
    double axis[3] = {0};
    int least = 0;
    for (int k = 1; to && k < 3; k++)
      if (fabs(to[k]) < fabs(to[least])) least = k;
    axis[least] = 1;
    if (to)
      cross(to, axis, b);
    else
      memcpy(b, axis, sizeof b);
  }
  double length = sqrt(dot(b, b));
  for (int k = 0; k < 3; k++) out[k] = b[k] / length;
}

void mi_mat3_svd(const double a[9], double u[9], double s[3], double v[9]) {
  double b[9], w[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, x[9]; // rows: columns of A V, of V and of U
  double scale = largest(a, 9);
  mi_mat3_transpose(a, b);
  for (int i = 0; i < 9; i++) b[i] = scale > 0 ? b[i] / scale : 0;
  bool turned = true;
  for (int sweep = 0; turned && sweep < 40; sweep++) {
    turned = orthogonalise(b, b + 3, w, w + 3, 3);
    turned |= orthogonalise(b, b + 6, w, w + 6, 3);
    turned |= orthogonalise(b + 3, b + 6, w + 3, w + 6, 3);
  }
  static const int pair[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    double *p = b + 3 * pair[k][0], *q = b + 3 * pair[k][1];
    if (dot(p, p) >= dot(q, q)) continue;
    swap_rows(p, q, 3);
    swap_rows(w + 3 * pair[k][0], w + 3 * pair[k][1], 3);
    for (int i = 0; i < 3; i++) { // a swap mirrors; turning one sign makes it a rotation again
      p[i] = -p[i];
      w[3 * pair[k][0] + i] = -w[3 * pair[k][0] + i];
    }
  }
  unit_along(b, NULL, x);
  unit_along(b + 3, x, x + 3);
  cross(x, x + 3, x + 6); // U is a rotation, and the last value takes the sign
  for (int k = 0; k < 3; k++) s[k] = scale * dot(b + 3 * k, x + 3 * k);
  s[1] = fmin(s[0], fmax(0, s[1]));
  s[2] = copysign(fmin(s[1], fabs(s[2])), s[2]);
  mi_mat3_transpose(x, u);
  mi_mat3_transpose(w, v);
}

void mi_mat3_rotation(const double a[9], double r[9]) {
  double u[9], s[3], v[9];
  mi_mat3_svd(a, u, s, v);
  mi_mat3_multiply_transposed(u, v, r);
}

void mi_mat23_svd(const double a[6], double u[4], double s[2], double v[9]) {
  double b[6], w[4] = {1, 0, 0, 1}, x[9]; // rows: U' A, columns of U and of V
  double scale = largest(a, 6);
  for (int i = 0; i < 6; i++) b[i] = scale > 0 ? a[i] / scale : 0;
  for (int sweep = 0; sweep < 8; sweep++)
    if (!orthogonalise(b, b + 3, w, w + 2, 2)) break;
  if (dot(b, b) < dot(b + 3, b + 3)) {
    swap_rows(b, b + 3, 3);
    swap_rows(w, w + 2, 2);
  }
  unit_along(b, NULL, x);
  unit_along(b + 3, x, x + 3);
  cross(x, x + 3, x + 6);
  for (int k = 0; k < 2; k++) s[k] = scale * fmax(0, dot(b + 3 * k, x + 3 * k));
  s[1] = fmin(s[0], s[1]);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) u[2 * i + k] = w[2 * k + i];
  mi_mat3_transpose(x, v);
}
