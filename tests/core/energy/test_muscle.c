// Shape targeting with symmetric targets: the stress's slope by the target, the law around them,
// contraction, the frame's turn.
#include "energy/laws.h"
#include "energy/muscle.h"
#include "math/mat3.h"
#include "scenes/scene.h"

#include <math.h>
#include <string.h>

enum { NTRIAL = 40 };

static double draw(int trial, int at) {
  return 2 * mi_random_unit(77, (uint32_t)trial, (uint32_t)at) - 1;
}

static void draw_target(int trial, int at, double size, double t[9]) {
  double a[6];
  for (int k = 0; k < 6; k++) a[k] = (k == 0 || k == 3 || k == 5) + size * draw(trial, at + k);
  mi_symmetric_unpack(a, t);
}

static void draw_gradient(int trial, double f[9]) {
  for (int k = 0; k < 9; k++) f[k] = (k % 4 == 0) + 0.4 * draw(trial, 20 + k);
}

// P = F - R T
static void stress(const double f[9], const double t[9], double p[9]) {
  double turned[9], r[9];
  mi_mat3_multiply_transposed(f, t, turned);
  mi_mat3_rotation(turned, r);
  mi_mat3_multiply(r, t, p);
  for (int k = 0; k < 9; k++) p[k] = f[k] - p[k];
}

static void test_slope_is_difference(void **unused) {
  (void)unused;
  for (int trial = 0; trial < NTRIAL; trial++) {
    double f[9], t[9], dt[9], dp[9], before[9], after[9], low[9], high[9], h = 1e-6;
    mi_shape_slope slope;
    draw_gradient(trial, f);
    draw_target(trial, 0, 0.3, t);
    for (int k = 0; k < 9; k++) dt[k] = draw(trial, 40 + k);
    mi_shape_slope_at(f, t, &slope);
    mi_shape_slope_apply(&slope, dt, dp);
    for (int k = 0; k < 9; k++) low[k] = t[k] - h * dt[k], high[k] = t[k] + h * dt[k];
    stress(f, low, before);
    stress(f, high, after);
    for (int k = 0; k < 9; k++) assert_near(dp[k], (after[k] - before[k]) / (2 * h), 1e-6);
  }
}

static void test_transpose(void **unused) {
  (void)unused;
  for (int trial = 0; trial < NTRIAL; trial++) {
    double f[9], t[9], dt[9], y[9], dp[9], back[9], one = 0, two = 0;
    mi_shape_slope slope;
    draw_gradient(trial, f);
    draw_target(trial, 0, 0.3, t);
    for (int k = 0; k < 9; k++) dt[k] = draw(trial, 40 + k), y[k] = draw(trial, 60 + k);
    mi_shape_slope_at(f, t, &slope);
    mi_shape_slope_apply(&slope, dt, dp);
    mi_shape_slope_apply_transposed(&slope, y, back);
    for (int k = 0; k < 9; k++) one += dp[k] * y[k], two += dt[k] * back[k];
    assert_near(one, two, 1e-12);
  }
}

static const double REST[12] = {0, 0, 0, 0.01, 0, 0, 0.001, 0.012, 0, 0.002, 0, 0.009};

// x = M rest, every corner
static void map_rest(const double m[9], double x[12]) {
  for (int i = 0; i < 12; i++) {
    x[i] = 0.02 * (i % 3);
    for (int k = 0; k < 3; k++) x[i] += m[3 * (i % 3) + k] * REST[i - i % 3 + k];
  }
}

// At rotation times target the law has neither energy nor force, wherever it is turned to.
static void test_rest_and_rigid_motion(void **unused) {
  (void)unused;
  for (int trial = 0; trial < NTRIAL; trial++) {
    double t[9], draft[9], turn[9], shape[9], x[12], g[12], one, two, f[9];
    mi_stencil stencil;
    draw_target(trial, 0, 0.3, t);
    assert_true(mi_strain_set_up(&stencil, REST, 2, t));
    draw_gradient(trial, draft);
    mi_mat3_rotation(draft, turn);
    mi_mat3_multiply(turn, t, shape);
    map_rest(shape, x);
    assert_near(mi_law_strain.value(&stencil, x), 0, 1e-24);
    mi_law_strain.gradient(&stencil, x, g);
    for (int k = 0; k < 12; k++) assert_near(g[k], 0, 1e-10);
    map_rest(draft, x);
    one = mi_law_strain.value(&stencil, x);
    mi_mat3_multiply(turn, draft, f);
    map_rest(f, x);
    two = mi_law_strain.value(&stencil, x);
    assert_near(one, two, 1e-12);
    assert_true(one > 1e-6);
  }
}

static void test_contraction_keeps_volume(void **unused) {
  (void)unused;
  for (double c = -1; c <= 0.7; c += 0.1) {
    float activation[6];
    double a[6];
    mi_muscle_contract(c, activation);
    for (int k = 0; k < 6; k++) a[k] = (double)activation[k] + (k == 0 || k == 3 || k == 5);
    assert_near(mi_symmetric_det(a), 1, 1e-6);
    assert_near(a[0], 1 - c, 1e-6);
  }
}

static void test_frame_turns_there_and_back(void **unused) {
  (void)unused;
  for (int trial = 0; trial < NTRIAL; trial++) {
    double draft[9], turn[9], d[6], there[6], back[6], cofactor[6], h = 1e-6;
    float frame[9], transposed[9];
    draw_gradient(trial, draft);
    mi_mat3_rotation(draft, turn);
    for (int k = 0; k < 9; k++) frame[k] = transposed[3 * (k % 3) + k / 3] = (float)turn[k];
    for (int k = 0; k < 6; k++) d[k] = (k == 0 || k == 3 || k == 5) + 0.3 * draw(trial, k);
    mi_muscle_turn(frame, d, there);
    mi_muscle_turn(transposed, there, back);
    for (int k = 0; k < 6; k++) assert_near(back[k], d[k], 1e-5);
    assert_near(mi_symmetric_det(there), mi_symmetric_det(d), 1e-5);
    mi_symmetric_cofactor(d, cofactor);
    for (int k = 0; k < 6; k++) { // entries off the diagonal stand twice in the matrix
      double moved[6], twice = k == 0 || k == 3 || k == 5 ? 1 : 2;
      memcpy(moved, d, sizeof d);
      moved[k] += h;
      assert_near((mi_symmetric_det(moved) - mi_symmetric_det(d)) / h, twice * cofactor[k], 1e-5);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slope_is_difference),
      cmocka_unit_test(test_transpose),
      cmocka_unit_test(test_rest_and_rigid_motion),
      cmocka_unit_test(test_contraction_keeps_volume),
      cmocka_unit_test(test_frame_turns_there_and_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
