#include "scenes/scene.h"

#include "base/base.h"
#include "math/mat3.h"
#include "math/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void assert_rotation(const double *r) {
  double rr[9];
  mi_mat3_multiply_transposed(r, r, rr);
  for (int i = 0; i < 9; i++) assert_near(rr[i], i % 4 == 0, 1e-13);
  assert_near(mi_mat3_det(r), 1, 1e-13);
}

static void check(const double *a) {
  double u[9], s[3], v[9], us[9], back[9], most = 0;
  mi_mat3_svd(a, u, s, v);
  for (int i = 0; i < 9; i++) {
    most = fmax(most, fabs(a[i]));
    us[i] = u[i] * s[i % 3];
  }
  assert_rotation(u);
  assert_rotation(v);
  assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
  mi_mat3_multiply_transposed(us, v, back);
  for (int i = 0; i < 9; i++) assert_near(back[i], a[i], 1e-14 * most);
}

static void singular_values_of_anything(void **state) {
  (void)state;
  static const double fixed[][9] = {
      {0},
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {-1, 0, 0, 0, -1, 0, 0, 0, -1},
      {1, 0, 0, 0, 1, 0, 0, 0, -1},
      {0, 0, 0, 0, 0, 0, 0, 0, 5},
      {1, 2, 3, 2, 4, 6, 3, 6, 9},
      {1, 2, 3, 4, 5, 6, 7, 8, 9},
      {1e300, 0, 0, 0, 1e-300, 0, 0, 0, 1},
      {1e300, 1e299, -1e300, 3e299, 1e300, 0, 1e300, 1e300, 1e300},
      {1e-310, 2e-310, 0, 0, 1e-310, 0, 3e-310, 0, 1e-310},
      {1, 1, 1, 1, 1, 1 + 1e-15, 1, 1, 1},
      {1, 1e-20, 0, 0, 1e-20, 1e-20, 0, 0, 1e-40},
  };
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) check(fixed[i]);
  for (uint32_t n = 0; n < 2000; n++) {
    double a[9];
    for (uint32_t i = 0; i < 9; i++) a[i] = mi_random_unit(1, n, i) - 0.5;
    if (n % 4 == 1)
      for (int k = 0; k < 3; k++) a[6 + k] = a[k] * 2 + a[3 + k]; // rank two
    if (n % 4 == 2)
      for (int k = 0; k < 3; k++) a[k] *= 1e-12;
    check(a);
    double u[9], s[3], v[9];
    mi_mat3_svd(a, u, s, v);
    if (n % 4 != 1) assert_true((s[2] < 0) == (mi_mat3_det(a) < 0));
  }
}

// A = R S with S symmetric: S = R' A
static void rotation_leaves_a_symmetric_part(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 200; n++) {
    double a[9], r[9], s[9], back[9], turned[9], again[9], inverse[9];
    for (uint32_t i = 0; i < 9; i++) a[i] = mi_random_unit(2, n, i) - 0.5;
    mi_mat3_rotation(a, r);
    assert_rotation(r);
    mi_mat3_transpose(r, inverse);
    mi_mat3_multiply(inverse, a, s);
    for (int i = 0; i < 9; i++) assert_near(s[i], s[3 * (i % 3) + i / 3], 1e-14);
    mi_mat3_multiply(r, a, turned); // R(Q A) = Q R(A)
    mi_mat3_rotation(turned, again);
    mi_mat3_multiply(r, r, back);
    for (int i = 0; i < 9; i++) assert_near(again[i], back[i], 1e-10);
  }
}

static void inverse_undoes(void **state) {
  (void)state;
  const double a[9] = {2, 1, 0, -1, 3, 1, 0.5, 0, 4}, flat[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1};
  double inverse[9] = {7}, product[9];
  assert_false(mi_mat3_invert(flat, inverse));
  assert_true(inverse[0] == 7);
  assert_true(mi_mat3_invert(a, inverse));
  mi_mat3_multiply(a, inverse, product);
  for (int i = 0; i < 9; i++) assert_near(product[i], i % 4 == 0, 1e-15);
}

static void two_rows_of_three(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 400; n++) {
    double a[6], u[4], s[2], v[9];
    for (uint32_t i = 0; i < 6; i++) a[i] = n == 0 ? 0 : mi_random_unit(3, n, i) - 0.5;
    if (n % 3 == 1)
      for (int k = 0; k < 3; k++) a[3 + k] = -2 * a[k];
    if (n % 5 == 2)
      for (int k = 0; k < 3; k++) a[k] *= 1e-14;
    mi_mat23_svd(a, u, s, v);
    assert_rotation(v);
    assert_true(s[0] >= s[1] && s[1] >= 0);
    for (int i = 0; i < 2; i++) {
      assert_near(u[2 * i] * u[2 * i] + u[2 * i + 1] * u[2 * i + 1], 1, 1e-14);
      for (int j = 0; j < 3; j++)
        assert_near(u[2 * i] * s[0] * v[3 * j] + u[2 * i + 1] * s[1] * v[3 * j + 1], a[3 * i + j],
                    1e-14);
    }
    assert_near(u[0] * u[1] + u[2] * u[3], 0, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(singular_values_of_anything),
                                     cmocka_unit_test(rotation_leaves_a_symmetric_part),
                                     cmocka_unit_test(inverse_undoes),
                                     cmocka_unit_test(two_rows_of_three)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
