// Every kind of matrix, a million of them, against Jacobi rotations in double.
#include "bodies.h"
#include "math/svd3.h"

#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NBLOCK = 10001, LANES = MI_SVD_LANES }; // odd: the last block goes alone

static double uniform(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(5, i, j) - 1;
}

static double determinant(const double *m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// from a quaternion of four numbers in [-1, 1]
static void random_rotation(uint32_t i, uint32_t j, double r[9]) {
  double q[4], n = 0;
  for (uint32_t k = 0; k < 4; k++) {
    q[k] = uniform(i, j + k);
    n += q[k] * q[k];
  }
  double w = q[0], x = q[1], y = q[2], z = q[3], s = 2 / (n + 1e-30);
  const double m[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                       s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                       s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
  memcpy(r, m, sizeof m);
}

static void compose(uint32_t i, double a, double b, double c, double out[9]) {
  double u[9], v[9], d[9] = {a, 0, 0, 0, b, 0, 0, 0, c}, ud[9];
  random_rotation(i, 100, u);
  random_rotation(i, 104, v);
  multiply(u, d, ud);
  multiply(ud, v, out);
}

typedef enum kind {
  NEAR_IDENTITY,
  NEARER_IDENTITY,
  RANDOM,
  ROTATION,
  RANK_TWO,
  RANK_ONE,
  INVERTED,
  GRADED,
  EQUAL_PAIR,
  SCALED,
  DENORMAL,
  LARGEST,
  SIGNS,
  NKIND
} kind;

static void make(kind what, uint32_t i, double m[9]) {
  double e[12];
  for (uint32_t k = 0; k < 12; k++) e[k] = uniform(i, k + 20 * (uint32_t)what);
  double small = pow(10, -8 * fabs(e[9])), pick = fabs(e[10]);
  for (int k = 0; k < 9; k++) {
    double one = k % 4 == 0;
    if (what == NEAR_IDENTITY) m[k] = one + 0.2 * e[k];
    if (what == NEARER_IDENTITY) m[k] = one + small * e[k];
    if (what == RANDOM) m[k] = e[k];
    if (what == RANK_TWO) m[k] = k % 3 == 2 ? e[9] * e[k - 2] + e[10] * e[k - 1] : e[k];
    if (what == RANK_ONE) m[k] = e[k / 3] * e[3 + k % 3];
    if (what == INVERTED) m[k] = (k == 8 ? -one : one) + 0.2 * e[k];
    if (what == SCALED) m[k] = e[k] * pow(10, 30 * e[9]);
    if (what == DENORMAL) m[k] = e[k] * pow(10, -38 - 6 * pick);
    if (what == LARGEST) m[k] = e[k] * 3.4e38;
    if (what == SIGNS) m[k] = e[k] < -0.4 ? -1 : e[k] > 0.4;
  }
  if (what == ROTATION) compose(i, 1, 1, 1, m);
  if (what == GRADED) compose(i, 1, small, small * pow(10, -4 * pick), m);
  if (what == EQUAL_PAIR) compose(i, pick < 0.5 ? 1 : 2, 1, e[11] < 0 ? -1 : 0.5 * pick, m);
}

// One-sided Jacobi; singular values with their sign, largest first.
static void reference(const double m[9], double s[3]) {
  double b[9], most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(m[i]));
  for (int i = 0; i < 9; i++) b[i] = most > 0 ? m[i] / most : 0;
  double det = determinant(b);
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        double pp = 0, qq = 0, pq = 0;
        for (int i = 0; i < 9; i += 3) {
          pp += b[i + p] * b[i + p];
          qq += b[i + q] * b[i + q];
          pq += b[i + p] * b[i + q];
        }
        double angle = 0.5 * atan2(2 * pq, pp - qq), c = cos(angle), n = sin(angle);
        for (int i = 0; i < 9; i += 3) {
          double one = b[i + p], other = b[i + q];
          b[i + p] = c * one + n * other;
          b[i + q] = c * other - n * one;
        }
      }
  for (int k = 0; k < 3; k++)
    s[k] = most * sqrt(b[k] * b[k] + b[3 + k] * b[3 + k] + b[6 + k] * b[6 + k]);
  if (det < 0) s[2] = -s[2];
}

static double orthogonality(const double *m) {
  double worst = fabs(determinant(m) - 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double dot = 0;
      for (int k = 0; k < 3; k++) dot += m[3 * i + k] * m[3 * j + k];
      worst = fmax(worst, fabs(dot - (i == j)));
    }
  return worst;
}

typedef struct lane {
  double f[9], u[9], s[3], v[9];
} lane;

static lane lane_of(const float *f, const mi_svd3 *svd, int l) {
  lane a;
  for (int i = 0; i < 9; i++) {
    a.f[i] = f[8 * i + l];
    a.u[i] = svd->u[8 * i + l];
    a.v[i] = svd->v[8 * i + l];
  }
  for (int i = 0; i < 3; i++) a.s[i] = svd->s[8 * i + l];
  return a;
}

static double rebuild_error(const lane *a) {
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double x = 0;
      for (int k = 0; k < 3; k++) x += a->u[3 * i + k] * a->s[k] * a->v[3 * j + k];
      worst = fmax(worst, fabs(x - a->f[3 * i + j]));
    }
  return worst;
}

static void check(kind what, const lane *a) {
  double expected[3];
  for (int i = 0; i < 9; i++) assert_true(isfinite(a->u[i]) && isfinite(a->v[i]));
  for (int i = 0; i < 3; i++) assert_true(isfinite(a->s[i]));
  assert_true(orthogonality(a->u) < 2e-6);
  assert_true(orthogonality(a->v) < 2e-6);
  assert_true(a->s[0] >= a->s[1] && a->s[1] >= fabs(a->s[2]));
  reference(a->f, expected);
  // a few units in the last place of the largest; below the normal numbers there is no such thing
  double tolerance = 1.5e-6 * expected[0] + 8 * 0x1p-149;
  if (what == NEAR_IDENTITY) tolerance = 2e-6;
  if (expected[0] > FLT_MAX) {
    assert_true(a->s[0] == FLT_MAX);
    return;
  }
  assert_true(rebuild_error(a) <= tolerance);
  for (int k = 0; k < 2; k++) assert_true(fabs(a->s[k] - expected[k]) <= tolerance);
  assert_true(fabs(a->s[2] - expected[2]) <= tolerance ||
              fabs(expected[2]) <= tolerance); // the sign of nothing is any
  assert_true(fabs(fabs(a->s[2]) - fabs(expected[2])) <= tolerance);
}

static void decomposes_every_kind(void **state) {
  const mi_kernels *body = *state;
  float *f = malloc(72 * NBLOCK * sizeof *f);
  mi_svd3 *out = malloc((NBLOCK + 1) * sizeof *out);
  assert_non_null(f);
  assert_non_null(out);
  for (int what = 0; what < NKIND; what++) {
    for (int b = 0; b < NBLOCK; b++)
      for (int l = 0; l < LANES; l++) {
        double m[9];
        make((kind)what, (uint32_t)(LANES * b + l), m);
        for (int i = 0; i < 9; i++) f[72 * b + 8 * i + l] = (float)m[i];
      }
    memset(out + NBLOCK, 0x55, sizeof *out);
    body->svd3->full(f, out, NBLOCK);
    for (size_t i = 0; i < sizeof *out; i++) assert_int_equal(((char *)(out + NBLOCK))[i], 0x55);
    for (int b = 0; b < NBLOCK; b++)
      for (int l = 0; l < LANES; l++) {
        lane a = lane_of(f + 72 * (size_t)b, out + b, l);
        check((kind)what, &a);
      }
  }
  free(f);
  free(out);
}

// the same matrix gives the same bits in any lane, alone or in company
static void does_not_depend_on_place(void **state) {
  const mi_kernels *body = *state;
  float f[3 * 72];
  mi_svd3 out[3];
  for (uint32_t i = 0; i < 2000; i++) {
    double m[9];
    make((kind)(i % NKIND), i, m);
    for (int k = 0; k < 3 * 72; k++) f[k] = (float)m[k % 72 / 8];
    body->svd3->full(f, out, 3);
    for (int b = 0; b < 3; b++)
      for (int k = 0; k < 9 * 8; k++) {
        assert_memory_equal(out[b].u + k, out[0].u + k / 8 * 8, sizeof(float));
        assert_memory_equal(out[b].v + k, out[0].v + k / 8 * 8, sizeof(float));
        assert_memory_equal(out[b].s + k % 24, out[0].s + k % 24 / 8 * 8, sizeof(float));
      }
  }
}

static void knows_simple_matrices(void **state) {
  const mi_kernels *body = *state;
  const float cases[][4] = {// the diagonal, and its smallest singular value
                            {0, 0, 0, 0},
                            {1, 1, 1, 1},
                            {1, 1, -1, -1},
                            {-1, -1, -1, -1},
                            {-3, 2, 1, -1},
                            {0, 0, 7, 0},
                            {1e18f, 1, 1e-18f, 1e-18f}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    float f[72] = {0};
    mi_svd3 out;
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < LANES; l++) f[32 * k + l] = cases[i][k];
    body->svd3->full(f, &out, 1);
    lane a = lane_of(f, &out, 3);
    assert_true(orthogonality(a.u) < 1e-6 && orthogonality(a.v) < 1e-6);
    assert_true(rebuild_error(&a) <= 1e-6 * a.s[0]);
    assert_true(fabs(a.s[2] - (double)cases[i][3]) <= 1e-6 * fabs((double)cases[i][3]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      on_each_body(decomposes_every_kind),
      on_each_body(does_not_depend_on_place),
      on_each_body(knows_simple_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
