#include "math/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

// One Jacobi turn that makes a[p][q] zero, in A and in the vectors Q.
static void turn(int n, double *a, double *q, int i, int j) {
  double theta = (a[j * n + j] - a[i * n + i]) / (2 * a[i * n + j]);
  double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
  double c = 1 / hypot(1, t), s = c * t;
  for (int k = 0; k < n; k++) { // A <- A J, Q <- Q J
    double x = a[k * n + i], y = a[k * n + j];
    a[k * n + i] = c * x - s * y;
    a[k * n + j] = s * x + c * y;
    x = q[k * n + i], y = q[k * n + j];
    q[k * n + i] = c * x - s * y;
    q[k * n + j] = s * x + c * y;
  }
  for (int k = 0; k < n; k++) { // A <- J' A
    double x = a[i * n + k], y = a[j * n + k];
    a[i * n + k] = c * x - s * y;
    a[j * n + k] = s * x + c * y;
  }
  a[i * n + j] = a[j * n + i] = 0;
}

void mi_small_eigen(int n, const double *a, double *value, double *vector) {
  double b[MI_SMALL_MOST * MI_SMALL_MOST], norm = 0;
  memcpy(b, a, sizeof *a * (size_t)(n * n));
  for (int i = 0; i < n * n; i++) {
    vector[i] = i % (n + 1) == 0;
    norm = fmax(norm, fabs(b[i]));
  }
  double negligible = norm * DBL_EPSILON * 1e-3;
  bool turned = true;
  for (int sweep = 0; turned && sweep < 60; sweep++) {
    turned = false;
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        if (fabs(b[i * n + j]) > negligible) {
          turn(n, b, vector, i, j);
          turned = true;
        }
  }
  for (int k = 0; k < n; k++) value[k] = b[k * n + k];
}

void mi_small_make_psd(int n, double *a) {
  double value[MI_SMALL_MOST], q[MI_SMALL_MOST * MI_SMALL_MOST];
  mi_small_eigen(n, a, value, q);
  bool is_psd = true;
  for (int k = 0; k < n; k++) is_psd &= value[k] >= 0;
  if (is_psd) return;
  memset(a, 0, sizeof *a * (size_t)(n * n));
  for (int k = 0; k < n; k++) // A = sum over positive values  value q q'
    for (int i = 0; value[k] > 0 && i < n; i++)
      for (int j = 0; j < n; j++) a[i * n + j] += value[k] * q[i * n + k] * q[j * n + k];
}

bool mi_small_solve(int n, double *a, int width, double *b) {
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(a[i]));
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (!(fabs(a[best * n + k]) > most * DBL_EPSILON * n)) return false;
    for (int j = 0; best != k && j < n + width; j++) {
      double *p = j < n ? a + k * n + j : b + k * width + j - n;
      double *q = j < n ? a + best * n + j : b + best * width + j - n;
      double keep = *p;
      *p = *q;
      *q = keep;
    }
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
      for (int j = 0; j < width; j++) b[i * width + j] -= f * b[k * width + j];
    }
  }
  for (int i = n - 1; i >= 0; i--)
    for (int c = 0; c < width; c++) {
      for (int j = i + 1; j < n; j++) b[i * width + c] -= a[i * n + j] * b[j * width + c];
      b[i * width + c] /= a[i * n + i];
    }
  return true;
}
