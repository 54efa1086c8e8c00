// Dense linear algebra without LAPACK: short loops that need no memory, for small builds.
#include "math/linear.h"

#include <float.h>
#include <math.h>

enum { MOST_SWEEPS = 60 };

void mi_linear_multiply(const mi_product *p, double *c) {
  size_t nrow = (size_t)p->nrow, ncol = (size_t)p->ncol, depth = (size_t)p->depth;
  size_t a_row = p->transpose_a ? 1 : depth, a_column = p->transpose_a ? nrow : 1;
  size_t b_row = p->transpose_b ? 1 : ncol, b_column = p->transpose_b ? depth : 1;
  for (size_t i = 0; i < nrow; i++) {
    for (size_t j = 0; j < ncol; j++)
      c[i * ncol + j] = p->beta == 0 ? 0 : p->beta * c[i * ncol + j];
    for (size_t k = 0; k < depth; k++)
      for (size_t j = 0; j < ncol; j++)
        c[i * ncol + j] += p->a[i * a_row + k * a_column] * p->b[k * b_row + j * b_column];
  }
}

// L in place of the lower triangle.
static bool factor(size_t n, double *a) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double left = a[i * n + j];
      for (size_t k = 0; k < j; k++) left -= a[i * n + k] * a[j * n + k];
      if (i == j && !(left > 0 && isfinite(left))) return false;
      a[i * n + j] = i == j ? sqrt(left) : left / a[j * n + j];
    }
  return true;
}

bool mi_linear_solve_spd(int side, double *a, int columns, double *b) {
  size_t n = (size_t)side, width = (size_t)columns;
  if (!mi_linear_is_finite(b, side, columns) || !factor(n, a)) return false;
  for (size_t c = 0; c < width; c++) {
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < i; k++) b[i * width + c] -= a[i * n + k] * b[k * width + c];
      b[i * width + c] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
      for (size_t k = i + 1; k < n; k++) b[i * width + c] -= a[k * n + i] * b[k * width + c];
      b[i * width + c] /= a[i * n + i];
    }
  }
  return true;
}

// -- Singular values by Jacobi's rotations --------------------------------------------------------

static void rotate_columns(double *a, size_t nrow, size_t ncol, size_t i, size_t j, double c,
                           double s) {
  for (size_t k = 0; k < nrow; k++) {
    double x = a[k * ncol + i], y = a[k * ncol + j];
    a[k * ncol + i] = c * x - s * y;
    a[k * ncol + j] = s * x + c * y;
  }
}

static void rotate_rows(double *a, size_t ncol, size_t i, size_t j, double c, double s) {
  for (size_t k = 0; k < ncol; k++) {
    double x = a[i * ncol + k], y = a[j * ncol + k];
    a[i * ncol + k] = c * x - s * y;
    a[j * ncol + k] = s * x + c * y;
  }
}

static double columns_dot(const double *a, size_t nrow, size_t ncol, size_t i, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < nrow; k++) sum += a[k * ncol + i] * a[k * ncol + j];
  return sum;
}

// Makes columns i and j of U orthogonal, and turns the rows of V' with them. False where they are.
static bool make_orthogonal(double *u, double *vt, size_t nrow, size_t ncol, size_t i, size_t j) {
  double a = columns_dot(u, nrow, ncol, i, i), b = columns_dot(u, nrow, ncol, j, j);
  double dot = columns_dot(u, nrow, ncol, i, j);
  if (fabs(dot) <= DBL_EPSILON * sqrt(a * b)) return false;
  double theta = (b - a) / (2 * dot), t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
  double c = 1 / hypot(1, t), s = c * t;
  rotate_columns(u, nrow, ncol, i, j, c, s);
  rotate_rows(vt, ncol, i, j, c, s);
  return true;
}

// Descending values, by exchanging columns of U and rows of V'.
static void sort_values(double *u, double *s, double *vt, size_t nrow, size_t ncol) {
  for (size_t k = 0; k + 1 < ncol; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < ncol; j++)
      if (s[j] > s[best]) best = j;
    if (best == k) continue;
    double value = s[k];
    s[k] = s[best], s[best] = value;
    rotate_columns(u, nrow, ncol, k, best, 0, 1); // (x, y) -> (-y, x) in both
    rotate_rows(vt, ncol, k, best, 0, 1);
  }
}

bool mi_linear_svd(int rows, int columns, double *a, double *s, double *vt) {
  size_t nrow = (size_t)rows, ncol = (size_t)columns;
  if (!mi_linear_is_finite(a, rows, columns)) return false;
  for (size_t i = 0; i < ncol * ncol; i++) vt[i] = i % (ncol + 1) == 0;
  bool turned = true;
  for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
    turned = false;
    for (size_t i = 0; i < ncol; i++)
      for (size_t j = i + 1; j < ncol; j++) turned |= make_orthogonal(a, vt, nrow, ncol, i, j);
  }
  for (size_t k = 0; k < ncol; k++) {
    s[k] = sqrt(columns_dot(a, nrow, ncol, k, k));
    for (size_t i = 0; s[k] > 0 && i < nrow; i++) a[i * ncol + k] /= s[k];
  }
  sort_values(a, s, vt, nrow, ncol);
  return true;
}

// -- Eigenvalues ----------------------------------------------------------------------------------

static void sort_eigen(size_t n, double *value, double *vector) {
  for (size_t k = 0; k + 1 < n; k++) {
    size_t best = k;
    for (size_t j = k + 1; j < n; j++)
      if (value[j] < value[best]) best = j;
    double keep = value[k];
    value[k] = value[best], value[best] = keep;
    if (best != k) rotate_columns(vector, n, n, k, best, 0, 1);
  }
}

bool mi_linear_eigen(int side, double *a, double *value, double *vector) {
  size_t n = (size_t)side;
  double norm = 0;
  if (!mi_linear_is_finite(a, side, side)) return false;
  for (size_t i = 0; i < n * n; i++) vector[i] = i % (n + 1) == 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      a[j * n + i] = a[i * n + j];
      norm = fmax(norm, fabs(a[i * n + j]));
    }
  bool turned = true;
  for (int sweep = 0; turned && sweep < MOST_SWEEPS; sweep++) {
    turned = false;
    for (size_t i = 0; i < n; i++)
      for (size_t j = i + 1; j < n; j++) {
        if (!(fabs(a[i * n + j]) > norm * DBL_EPSILON * 1e-3)) continue;
        double theta = (a[j * n + j] - a[i * n + i]) / (2 * a[i * n + j]);
        double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
        double c = 1 / hypot(1, t), s = c * t;
        rotate_columns(a, n, n, i, j, c, s);
        rotate_rows(a, n, i, j, c, s);
        rotate_columns(vector, n, n, i, j, c, s);
        a[i * n + j] = a[j * n + i] = 0;
        turned = true;
      }
  }
  for (size_t k = 0; k < n; k++) value[k] = a[k * n + k];
  sort_eigen(n, value, vector);
  return true;
}
