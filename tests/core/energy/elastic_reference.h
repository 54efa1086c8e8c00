// The projections of energy/elastic.h one matrix at a time, plainly and in double.
#ifndef MIEN_TESTS_ELASTIC_REFERENCE_H
#define MIEN_TESTS_ELASTIC_REFERENCE_H

#include "energy/elastic_layout.h"

#include <math.h>
#include <string.h>

static double random_unit(int a, int b) {
  return mi_random_unit(7, (uint32_t)a, (uint32_t)b);
}

static double random_signed(int a, int b) {
  return 2 * random_unit(a, b) - 1;
}

static double det3(const double m[9]) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void multiply(const double a[9], const double b[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) out[3 * i + j] += a[3 * i + k] * b[3 * k + j];
    }
}

// out = a b'
static void multiply_turned(const double a[9], const double b[9], double out[9]) {
  double turned[9];
  for (int i = 0; i < 9; i++) turned[i] = b[3 * (i % 3) + i / 3];
  multiply(a, turned, out);
}

// One-sided Jacobi: the columns of f v become orthogonal.
static void rotate_columns(double a[9], double v[9], int p, int q) {
  double pp = 0, qq = 0, pq = 0;
  for (int i = 0; i < 9; i += 3) {
    pp += a[i + p] * a[i + p];
    qq += a[i + q] * a[i + q];
    pq += a[i + p] * a[i + q];
  }
  double angle = 0.5 * atan2(2 * pq, pp - qq), c = cos(angle), s = sin(angle);
  for (int i = 0; i < 9; i += 3)
    for (int k = 0; k < 2; k++) {
      double *m = k ? v : a, x = m[i + p], y = m[i + q];
      m[i + p] = c * x + s * y;
      m[i + q] = c * y - s * x;
    }
}

static void cross(const double a[9], int p, int q, double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
    out[i] = a[j + p] * a[k + q] - a[k + p] * a[j + q];
  }
}

// f = u diag(s) v' with rotations u and v and only s[2] perhaps negative.
static void svd(const double f[9], double u[9], double s[3], double v[9]) {
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double a[9];
  memcpy(a, f, sizeof a);
  memcpy(v, one, sizeof one);
  // a rotation puts the larger column first, so the values end up sorted and v is a rotation
  for (int sweep = 0; sweep < 30; sweep++) {
    rotate_columns(a, v, 0, 1);
    rotate_columns(a, v, 0, 2);
    rotate_columns(a, v, 1, 2);
  }
  for (int k = 0; k < 3; k++) s[k] = sqrt(a[k] * a[k] + a[3 + k] * a[3 + k] + a[6 + k] * a[6 + k]);
  double least = 1e-14 * s[0];
  memcpy(u, one, sizeof one);
  if (!(s[0] > 0)) return;
  for (int i = 0; i < 3; i++) u[3 * i] = a[3 * i] / s[0];
  double second[3];
  if (s[1] > least) {
    for (int i = 0; i < 3; i++) second[i] = a[3 * i + 1] / s[1];
  } else {
    int small = fabs(u[0]) < 0.6 ? 0 : 1;
    double length = 0, along = u[3 * small];
    for (int i = 0; i < 3; i++) second[i] = (i == small) - along * u[3 * i];
    for (int i = 0; i < 3; i++) length += second[i] * second[i];
    for (int i = 0; i < 3; i++) second[i] /= sqrt(length);
  }
  for (int i = 0; i < 3; i++) u[3 * i + 1] = second[i];
  double third[3], along = 0;
  cross(u, 0, 1, third);
  for (int i = 0; i < 3; i++) {
    u[3 * i + 2] = third[i];
    along += third[i] * a[3 * i + 2];
  }
  s[2] = along;
}

static void rotation_of(const double f[9], double r[9]) {
  double u[9], s[3], v[9];
  svd(f, u, s, v);
  multiply_turned(u, v, r);
}

static void closest_of(const double f[9], double product, double p[9]) {
  double u[9], s[3], v[9], star[3];
  svd(f, u, s, v);
  mi_closest_diagonal(s, product, star);
  for (int i = 0; i < 9; i++) u[i] *= star[i % 3];
  multiply_turned(u, v, p);
}

#endif
