// Both bodies of math/linear.h do the same; the plain one is compiled in under other names.
#include "scenes/scene.h"

#include "math/linear.h"

#include <math.h>
#include <string.h>

static void plain_multiply(const mi_product *product, double *c);
static bool plain_solve_spd(int n, double *a, int width, double *b);
static bool plain_eigen(int n, double *a, double *value, double *vector);
static bool plain_svd(int nrow, int ncol, double *a, double *s, double *vt);

typedef struct body {
  void (*multiply)(const mi_product *product, double *c);
  bool (*solve_spd)(int n, double *a, int width, double *b);
  bool (*eigen)(int n, double *a, double *value, double *vector);
  bool (*svd)(int nrow, int ncol, double *a, double *s, double *vt);
} body;

static const body bodies[] = {
    {mi_linear_multiply, mi_linear_solve_spd, mi_linear_eigen, mi_linear_svd},
    {plain_multiply, plain_solve_spd, plain_eigen, plain_svd},
};
enum { NBODY = 2, MOST = 70 };

#define mi_linear_multiply plain_multiply
#define mi_linear_solve_spd plain_solve_spd
#define mi_linear_eigen plain_eigen
#define mi_linear_svd plain_svd
#include "math/linear_plain.c"
#undef mi_linear_multiply
#undef mi_linear_solve_spd
#undef mi_linear_eigen
#undef mi_linear_svd

static void draw(int count, uint32_t seed, double *a) {
  for (int i = 0; i < count; i++) a[i] = mi_random_unit(seed, (uint32_t)i, 1) - 0.5;
}

// Entry (i, j) of op(A) where A has `ld` columns.
static double entry(const double *a, int ld, bool transposed, int i, int j) {
  return transposed ? a[j * ld + i] : a[i * ld + j];
}

static void products(void **state) {
  (void)state;
  enum { M = 5, N = 7, K = 3 };
  double a[M * K], b[K * N], c[M * N], before[M * N];
  draw(M * K, 1, a);
  draw(K * N, 2, b);
  draw(M * N, 3, before);
  for (int which = 0; which < 8 * NBODY; which++) {
    bool ta = which & 1, tb = which & 2;
    mi_product p = {M, N, K, a, b, ta, tb, which & 4 ? 0.75 : 0};
    memcpy(c, before, sizeof c);
    if (!(which & 4)) c[0] = NAN; // beta = 0: C is not read
    bodies[which / 8].multiply(&p, c);
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        double sum = which & 4 ? 0.75 * before[i * N + j] : 0;
        for (int k = 0; k < K; k++)
          sum += entry(a, ta ? M : K, ta, i, k) * entry(b, tb ? K : N, tb, k, j);
        assert_near(c[i * N + j], sum, 1e-14);
      }
  }
}

// A = R' R + 0.1
static void draw_spd(int n, double *a) {
  static double r[MOST * MOST];
  draw(n * n, 11, r);
  mi_linear_multiply(
      &(mi_product){.nrow = n, .ncol = n, .depth = n, .a = r, .b = r, .transpose_a = true}, a);
  for (int i = 0; i < n; i++) a[i * n + i] += 0.1;
}

static void positive_definite_systems(void **state) {
  (void)state;
  enum { N = 40, WIDTH = 3 };
  static double a[N * N], lower[N * N];
  double b[N * WIDTH], x[N * WIDTH];
  draw_spd(N, a);
  draw(N * WIDTH, 5, b);
  for (int k = 0; k < NBODY; k++) {
    memcpy(lower, a, sizeof a);
    for (int i = 0; i < N; i++)
      for (int j = i + 1; j < N; j++) lower[i * N + j] = 1e9; // is not read
    memcpy(x, b, sizeof b);
    assert_true(bodies[k].solve_spd(N, lower, WIDTH, x));
    for (int i = 0; i < N; i++)
      for (int c = 0; c < WIDTH; c++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += a[i * N + j] * x[j * WIDTH + c];
        assert_near(sum, b[i * WIDTH + c], 1e-11);
      }
    memcpy(lower, a, sizeof a);
    lower[N + 1] = -1;
    assert_false(bodies[k].solve_spd(N, lower, WIDTH, x));
    memcpy(lower, a, sizeof a);
    x[4] = NAN;
    assert_false(bodies[k].solve_spd(N, lower, WIDTH, x));
  }
}

static void eigenvectors(void **state) {
  (void)state;
  static double a[MOST * MOST], used[MOST * MOST], q[MOST * MOST];
  double value[MOST];
  for (int n = 1; n <= MOST; n += 23)
    for (int k = 0; k < NBODY; k++) {
      draw(n * n, 7, a);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) a[j * n + i] = a[i * n + j];
      memcpy(used, a, sizeof a);
      assert_true(bodies[k].eigen(n, used, value, q));
      for (int i = 0; i < n; i++) {
        assert_true(i == 0 || value[i] >= value[i - 1]);
        for (int j = 0; j < n; j++) {
          double sum = 0, dot = 0;
          for (int c = 0; c < n; c++) {
            sum += q[i * n + c] * value[c] * q[j * n + c];
            dot += q[c * n + i] * q[c * n + j];
          }
          assert_near(sum, a[i * n + j], 1e-12);
          assert_near(dot, i == j, 1e-12);
        }
      }
      a[0] = INFINITY;
      assert_false(bodies[k].eigen(n, a, value, q));
    }
}

static void singular_values(void **state) {
  (void)state;
  enum { M = 60, N = 17 };
  static double a[M * N], u[M * N];
  double s[N], vt[N * N], first[N] = {0};
  draw(M * N, 9, a);
  for (int k = 0; k < NBODY; k++) {
    memcpy(u, a, sizeof a);
    assert_true(bodies[k].svd(M, N, u, s, vt));
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        double sum = 0;
        for (int c = 0; c < N; c++) sum += u[i * N + c] * s[c] * vt[c * N + j];
        assert_near(sum, a[i * N + j], 1e-12);
      }
    for (int c = 0; c < N; c++) {
      assert_true(s[c] > 0 && (c == 0 || s[c] <= s[c - 1]));
      if (k) assert_near(s[c], first[c], 1e-12);
      first[c] = s[c];
    }
    u[3] = NAN;
    assert_false(bodies[k].svd(M, N, u, s, vt));
  }
}

// One column is the sum of two others: of all solutions the shortest is found.
static void least_squares(void **state) {
  (void)state;
  enum { M = 30, N = 4, WIDTH = 2 };
  mien_host host = {0};
  mi_host_resolve(NULL, &host, NULL);
  mi_arena scratch;
  double a[M * N], used[M * N], b[M * WIDTH], x[N * WIDTH];
  mi_arena_init(&scratch, &host);
  draw(M * N, 21, a);
  draw(M * WIDTH, 22, b);
  for (int i = 0; i < M; i++) a[i * N + 3] = a[i * N] + a[i * N + 1];
  memcpy(used, a, sizeof a);
  assert_true(mi_linear_least_squares(M, N, used, WIDTH, b, 1e-12, x, &scratch));
  for (int c = 0; c < WIDTH; c++) {
    for (int j = 0; j < N; j++) { // A' (A x - b) = 0
      double slope = 0;
      for (int i = 0; i < M; i++) {
        double left = -b[i * WIDTH + c];
        for (int k = 0; k < N; k++) left += a[i * N + k] * x[k * WIDTH + c];
        slope += a[i * N + j] * left;
      }
      assert_near(slope, 0, 1e-12);
    }
    // (1, 1, 0, -1) changes nothing: the shortest solution has no part of it
    assert_near(x[c] + x[WIDTH + c] - x[3 * WIDTH + c], 0, 1e-12);
    assert_true(fabs(x[c]) > 1e-3);
  }
  mi_arena_free(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),      cmocka_unit_test(positive_definite_systems),
      cmocka_unit_test(eigenvectors),  cmocka_unit_test(singular_values),
      cmocka_unit_test(least_squares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
