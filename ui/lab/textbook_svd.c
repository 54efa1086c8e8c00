#include "textbook.h"

#include <math.h>

enum { MOST_SWEEPS = 8 };

// one rotation in the plane (p, q) that makes c[p][q] zero; V collects it
static void rotate(double c[3][3], double v[9], int p, int q) {
  if (c[p][q] == 0) return;
  double theta = (c[q][q] - c[p][p]) / (2 * c[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double cs = 1 / sqrt(t * t + 1), sn = t * cs, along = t * c[p][q];
  int r = 3 - p - q;
  double rp = c[r][p], rq = c[r][q];
  c[p][p] -= along;
  c[q][q] += along;
  c[p][q] = c[q][p] = 0;
  c[r][p] = c[p][r] = cs * rp - sn * rq;
  c[r][q] = c[q][r] = sn * rp + cs * rq;
  for (int k = 0; k < 3; k++) {
    double vp = v[3 * k + p], vq = v[3 * k + q];
    v[3 * k + p] = cs * vp - sn * vq;
    v[3 * k + q] = sn * vp + cs * vq;
  }
}

static void swap_columns(double c[3][3], double v[9], int p, int q) {
  double d = c[p][p];
  c[p][p] = c[q][q], c[q][q] = d;
  for (int k = 0; k < 3; k++) { // one sign turns, so that V stays a rotation
    double at = v[3 * k + p];
    v[3 * k + p] = v[3 * k + q];
    v[3 * k + q] = -at;
  }
}

// the first two columns of A V, made unit and right-angled; the third closes the rotation
static void find_u(const double a[9], const double v[9], double u[9], double s[3]) {
  double w[3][3];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      w[j][i] = a[3 * i] * v[j] + a[3 * i + 1] * v[3 + j] + a[3 * i + 2] * v[6 + j];
  for (int j = 0; j < 2; j++) {
    double along = 0;
    if (j == 1)
      for (int i = 0; i < 3; i++) along += w[1][i] * u[3 * i];
    for (int i = 0; i < 3; i++) w[j][i] -= j == 1 ? along * u[3 * i] : 0;
    double length = sqrt(w[j][0] * w[j][0] + w[j][1] * w[j][1] + w[j][2] * w[j][2]);
    s[j] = length;
    for (int i = 0; i < 3; i++) u[3 * i + j] = length > 0 ? w[j][i] / length : (i == j);
  }
  u[2] = u[3] * u[7] - u[6] * u[4];
  u[5] = u[6] * u[1] - u[0] * u[7];
  u[8] = u[0] * u[4] - u[3] * u[1];
  s[2] = w[2][0] * u[2] + w[2][1] * u[5] + w[2][2] * u[8];
}

void textbook_svd(const double a[9], double u[9], double s[3], double v[9]) {
  double c[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      c[i][j] = a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
      v[3 * i + j] = i == j;
    }
  double size = c[0][0] + c[1][1] + c[2][2];
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double off = c[0][1] * c[0][1] + c[0][2] * c[0][2] + c[1][2] * c[1][2];
    if (off <= 1e-28 * size * size) break;
    rotate(c, v, 0, 1);
    rotate(c, v, 0, 2);
    rotate(c, v, 1, 2);
  }
  if (c[0][0] < c[1][1]) swap_columns(c, v, 0, 1);
  if (c[0][0] < c[2][2]) swap_columns(c, v, 0, 2);
  if (c[1][1] < c[2][2]) swap_columns(c, v, 1, 2);
  find_u(a, v, u, s);
}
