// Both bodies of math/linear.h do the same; the plain one is compiled in under other names.
#include "scenes/scene.h"

#include "math/linear.h"

#include <math.h>
#include <string.h>

static void plain_multiply(const mi_product *product, double *c);
static bool plain_solve_spd(int n, double *a, int width, double *b);

typedef struct body {
  void (*multiply)(const mi_product *product, double *c);
  bool (*solve_spd)(int n, double *a, int width, double *b);
} body;

static const body bodies[] = {
    {mi_linear_multiply, mi_linear_solve_spd},
    {plain_multiply, plain_solve_spd},
};
enum { NBODY = 2, MOST = 70 };

#define mi_linear_multiply plain_multiply
#define mi_linear_solve_spd plain_solve_spd
#include "math/linear_plain.c"
#undef mi_linear_multiply
#undef mi_linear_solve_spd

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(products),
                                     cmocka_unit_test(positive_definite_systems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
