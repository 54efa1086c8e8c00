#include "scenes/scene.h"
#include "sparse/sparse.h"

#include <math.h>

enum { N = 24 };

typedef struct dense {
  double a[N][N];
} dense;

static void apply_dense(const void *matrix, const double *x, double *y) {
  const dense *d = matrix;
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < N; j++) y[i] += d->a[i][j] * x[j];
  }
}

// Gaussian elimination, the slow reference
static void eliminate(dense d, double *b) {
  for (int k = 0; k < N; k++)
    for (int i = k + 1; i < N; i++) {
      double f = d.a[i][k] / d.a[k][k];
      for (int j = k; j < N; j++) d.a[i][j] -= f * d.a[k][j];
      b[i] -= f * b[k];
    }
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++) b[i] -= d.a[i][j] * b[j];
    b[i] /= d.a[i][i];
  }
}

static void agrees_with_elimination(void **state) {
  (void)state;
  dense root, d;
  double b[N], x[N] = {0}, expected[N], diagonal[N];
  for (uint32_t i = 0; i < N; i++) {
    b[i] = expected[i] = mi_random_unit(5, i, 0) - 0.5;
    for (uint32_t j = 0; j < N; j++) root.a[i][j] = mi_random_unit(5, i, j + 1) - 0.5;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      d.a[i][j] = i == j ? 0.5 : 0;
      for (int k = 0; k < N; k++) d.a[i][j] += root.a[i][k] * root.a[j][k];
      if (i == j) diagonal[i] = d.a[i][i];
    }
  eliminate(d, expected);
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena scratch;
  mi_arena_init(&scratch, &host);
  mi_pcg pcg = {apply_dense, &d, N, diagonal, 1e-12, 200};
  mi_pcg_info info;
  assert_true(mi_pcg_solve(&pcg, b, x, &scratch, &info));
  assert_true(info.residual <= 1e-12);
  assert_in_range(info.iterations, 1, 100);
  for (int i = 0; i < N; i++) assert_near(x[i], expected[i], 1e-9);
  // a right-hand side of zero has the solution zero and needs no division by its norm
  double zero[N] = {0}, still[N] = {0};
  assert_true(mi_pcg_solve(&pcg, zero, still, &scratch, &info));
  for (int i = 0; i < N; i++) assert_true(still[i] == 0);
  mi_arena_free(&scratch);
}

static void products_match_the_dense_matrix(void **state) {
  (void)state;
  int32_t first[] = {0, 2, 2, 5}, column[] = {0, 2, 0, 1, 2};
  double value[] = {1, 2, 3, 4, 5};
  mi_csr a = {3, first, column, value};
  const double full[3][3] = {{1, 0, 2}, {0, 0, 0}, {3, 4, 5}};
  double x[6] = {1, -1, 2, 0.5, -3, 4}, y[6], z[6] = {0};
  mi_csr_multiply(&a, 2, x, y);
  mi_csr_multiply_transposed(&a, 2, -2, x, z);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) {
      double row = 0, col = 0;
      for (int j = 0; j < 3; j++) {
        row += full[i][j] * x[2 * j + k];
        col += -2 * full[j][i] * x[2 * j + k];
      }
      assert_near(y[2 * i + k], row, 1e-12);
      assert_near(z[2 * i + k], col, 1e-12);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_elimination),
                                     cmocka_unit_test(products_match_the_dense_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
