#include "scenes/scene.h"

#include "base/base.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

static void draw_symmetric(int n, uint32_t seed, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      a[i * n + j] = a[j * n + i] = mi_random_unit(seed, (uint32_t)i, (uint32_t)j) - 0.5;
}

static void eigen_vectors_take_it_apart(void **state) {
  (void)state;
  for (int n = 1; n <= MI_SMALL_MOST; n++) {
    static double a[MI_SMALL_MOST * MI_SMALL_MOST], value[MI_SMALL_MOST],
        q[MI_SMALL_MOST * MI_SMALL_MOST];
    draw_symmetric(n, (uint64_t)n, a);
    mi_small_eigen(n, a, value, q);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0, dot = 0;
        for (int k = 0; k < n; k++) {
          sum += q[i * n + k] * value[k] * q[j * n + k];
          dot += q[k * n + i] * q[k * n + j];
        }
        assert_near(sum, a[i * n + j], 1e-13);
        assert_near(dot, i == j, 1e-13);
      }
  }
}

static void negative_parts_are_cut_off(void **state) {
  (void)state;
  double a[81], before[81], value[9], q[81], was[9], wq[81];
  draw_symmetric(9, 77, a);
  memcpy(before, a, sizeof a);
  mi_small_eigen(9, before, was, wq);
  mi_small_make_psd(9, a);
  mi_small_eigen(9, a, value, q);
  double kept = 0, expected = 0;
  for (int k = 0; k < 9; k++) {
    assert_true(value[k] > -1e-13);
    kept += value[k];
    expected += fmax(0, was[k]);
  }
  assert_near(kept, expected, 1e-12);
  assert_true(expected > 0.1);
  memcpy(before, a, sizeof a);
  mi_small_make_psd(9, a); // what is positive stays
  for (int i = 0; i < 81; i++) assert_near(a[i], before[i], 1e-13);
  double zero[9] = {0};
  mi_small_make_psd(3, zero);
  for (int i = 0; i < 9; i++) assert_true(zero[i] == 0);
}

static void solves_and_says_when_it_cannot(void **state) {
  (void)state;
  double a[64], keep[64], b[16], x[16];
  for (uint32_t i = 0; i < 64; i++) a[i] = keep[i] = mi_random_unit(5, i, 0) - 0.5;
  a[0] = keep[0] = 0; // pivoting is needed
  for (uint32_t i = 0; i < 16; i++) b[i] = x[i] = mi_random_unit(6, i, 0);
  assert_true(mi_small_solve(8, a, 2, x));
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 2; c++) {
      double sum = 0;
      for (int j = 0; j < 8; j++) sum += keep[i * 8 + j] * x[j * 2 + c];
      assert_near(sum, b[i * 2 + c], 1e-12);
    }
  double singular[4] = {1, 2, 2, 4}, zero[4] = {0}, y[2] = {1, 1};
  assert_false(mi_small_solve(2, singular, 1, y));
  assert_false(mi_small_solve(2, zero, 1, y));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(eigen_vectors_take_it_apart),
                                     cmocka_unit_test(negative_parts_are_cut_off),
                                     cmocka_unit_test(solves_and_says_when_it_cannot)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
