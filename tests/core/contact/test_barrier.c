#include "contact/barrier.h"
#include "soups.h"

#include <math.h>
#include <string.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(41, i, j) - 1;
}

static void the_law_has_its_slopes(void **state) {
  (void)state;
  const double d_hat = 0.3e-3;
  for (int i = 1; i < 390; i++) {
    double gap = d_hat * i / 400, h = 1e-5 * gap;
    mi_barrier_value b = mi_barrier_at(gap, d_hat), low = mi_barrier_at(gap - h, d_hat),
                     high = mi_barrier_at(gap + h, d_hat);
    assert_near(b.first / ((high.value - low.value) / (2 * h)), 1, 1e-6);
    assert_near(b.second / ((high.first - low.first) / (2 * h)), 1, 1e-6);
    assert_true(b.value > 0 && b.first < 0 && b.second > 0);
  }
  // nothing from d_hat on, smoothly; everything at 0, and no NaN
  assert_true(mi_barrier_at(d_hat, d_hat).value == 0 && mi_barrier_at(1, d_hat).first == 0);
  assert_true(fabs(mi_barrier_at(d_hat * (1 - 1e-9), d_hat).first) < 1e-15 * d_hat);
  assert_true(mi_barrier_at(0, d_hat).value == INFINITY && mi_barrier_at(-1, d_hat).first == 0);
  assert_true(mi_barrier_at(NAN, d_hat).value == INFINITY);
}

// A contact of random kind and region, in float as positions are.
static mi_contact make(uint32_t i, float *x) {
  for (uint32_t k = 0; k < 12; k++) x[k] = (float)number(i, k);
  mi_contact c = {.vert = {0, 1, 2, 3}, .is_edges = i % 2, .area = 0.5f};
  if (i % 3 == 0) c.offset = 0.01f;
  if (c.is_edges) c.parallel = 1e-3f;
  if (c.is_edges && i % 4 == 1) { // nearly parallel
    c.parallel = 0.05f;
    for (uint32_t k = 0; k < 3; k++)
      x[9 + k] = x[6 + k] + x[3 + k] - x[k] + (float)(0.1 * number(i, 20 + k));
  }
  mi_contact_measure(&c, x);
  return c;
}

// energy of displaced positions, in double: floats are too coarse to difference
static double energy_at(const mi_contact *c, const mi_barrier *barrier, const double *x) {
  mi_closest closest = c->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  double u[3], v[3], m = 1;
  for (int k = 0; k < 3; k++) u[k] = x[3 + k] - x[k], v[k] = x[9 + k] - x[6 + k];
  double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double share = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / (double)c->parallel;
  if (c->is_edges && share < 1) m = share * (2 - share);
  double gap = sqrt(closest.d2) - (double)c->offset;
  return barrier->kappa * (double)c->area * m * mi_barrier_at(gap, barrier->d_hat).value;
}

static void gradients_are_differences(void **state) {
  (void)state;
  const mi_barrier barrier = {0.9, 3};
  int nchecked = 0, nmollified = 0;
  for (uint32_t i = 0; i < 3000; i++) {
    float position[12];
    double x[12], gradient[12], largest = 0;
    mi_contact c = make(i, position);
    if (c.distance < 0.05 || c.distance - (double)c.offset > barrier.d_hat) continue;
    for (int k = 0; k < 12; k++) x[k] = position[k];
    assert_near(mi_contact_energy(&c, &barrier) / energy_at(&c, &barrier, x), 1, 1e-9);
    mi_contact_gradient(&c, &barrier, position, gradient);
    for (int k = 0; k < 12; k++) largest = fmax(largest, fabs(gradient[k]));
    for (int k = 0; k < 12; k++) {
      double h = 1e-6, keep = x[k];
      x[k] = keep + h;
      double high = energy_at(&c, &barrier, x);
      x[k] = keep - h;
      double low = energy_at(&c, &barrier, x);
      x[k] = keep;
      assert_near(gradient[k], (high - low) / (2 * h), 2e-5 * largest + 1e-7);
    }
    nchecked++;
    nmollified += c.mollifier < 1;
  }
  assert_true(nchecked > 800 && nmollified > 100);
}

// Forces sum to nothing and turn nothing: the gradient of something that only knows distances.
static void contacts_do_not_move_or_turn_themselves(void **state) {
  (void)state;
  const mi_barrier barrier = {0.9, 3};
  for (uint32_t i = 0; i < 1000; i++) {
    float x[12];
    double g[12], force[3] = {0}, torque[3] = {0}, largest = 0;
    mi_contact c = make(i, x);
    mi_contact_gradient(&c, &barrier, x, g);
    for (int p = 0; p < 4; p++)
      for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        largest = fmax(largest, fabs(g[3 * p + k]));
        force[k] += g[3 * p + k];
        torque[k] += (double)x[3 * p + a] * g[3 * p + b] - (double)x[3 * p + b] * g[3 * p + a];
      }
    for (int k = 0; k < 3; k++) {
      assert_near(force[k], 0, 1e-12 * (1 + largest));
      assert_near(torque[k], 0, 1e-11 * (1 + largest));
    }
  }
}

// Two edges turn through parallel: energy and gradient have no jump, though the closest points do.
static void turning_through_parallel_is_smooth(void **state) {
  (void)state;
  const mi_barrier barrier = {0.5, 1};
  double before[12] = {0}, energy_before = 0;
  for (int step = -2000; step <= 2000; step++) {
    double angle = 2e-5 * step;
    float x[12] = {-1,
                   0.2f,
                   0,
                   1,
                   0.2f,
                   0,
                   (float)-cos(angle),
                   0,
                   (float)-sin(angle),
                   (float)cos(angle),
                   0,
                   (float)sin(angle)};
    mi_contact c = {.vert = {0, 1, 2, 3}, .is_edges = 1, .area = 1, .parallel = 16e-3f};
    double g[12];
    mi_contact_measure(&c, x);
    mi_contact_gradient(&c, &barrier, x, g);
    double energy = mi_contact_energy(&c, &barrier);
    for (int k = 0; step > -2000 && k < 12; k++) assert_near(g[k], before[k], 0.02);
    if (step > -2000) assert_near(energy, energy_before, 2e-3);
    if (step == 0) assert_near(energy, 0, 1e-9);
    memcpy(before, g, sizeof before);
    energy_before = energy;
  }
  assert_true(energy_before > 0.05);
}

static void closed_gaps_are_infinite_and_finite_in_slope(void **state) {
  (void)state;
  const mi_barrier barrier = {0.1, 1};
  for (int is_edges = 0; is_edges < 2; is_edges++)
    for (int kind = 0; kind < 3; kind++) {
      float x[12] = {0}; // all in one point
      if (kind) x[3] = x[7] = 1;
      if (kind == 2) x[9] = 1, x[10] = 1;
      mi_contact c = {.vert = {0, 1, 2, 3},
                      .is_edges = (unsigned char)is_edges,
                      .area = 1,
                      .parallel = is_edges ? 1e-3f : 0};
      double g[12];
      mi_contact_measure(&c, x);
      if (c.distance > 0) continue;
      mi_contact_gradient(&c, &barrier, x, g);
      assert_true(mi_contact_energy(&c, &barrier) == INFINITY);
      for (int k = 0; k < 12; k++) assert_true(g[k] == 0);
      mi_contact_hessian hessian;
      mi_contact_hessians_psd(&c, 1, &barrier, x, &hessian);
      assert_int_equal(hessian.count, 0);
    }
}

static void stiffness_adapts(void **state) {
  (void)state;
  const double d_hat = 0.2e-3, area = 1e-7;
  double kappa = mi_kappa_for_stiffness(50, area, d_hat, 0.1);
  assert_near(kappa * area * mi_barrier_at(0.1 * d_hat, d_hat).second, 50, 1e-9);
  assert_near(mi_kappa_adapt(2, 100, 1e-6, 0.9e-6, 2e-6), 4, 0);
  assert_near(mi_kappa_adapt(2, 3, 1e-6, 0.9e-6, 2e-6), 3, 0);
  assert_near(mi_kappa_adapt(2, 100, 1e-6, 1.1e-6, 2e-6), 2, 0);
  assert_near(mi_kappa_adapt(2, 100, 3e-6, 1e-6, 2e-6), 2, 0);
  assert_near(mi_kappa_adapt(5, 3, 1e-6, 0.9e-6, 2e-6), 5, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_law_has_its_slopes),
                                     cmocka_unit_test(gradients_are_differences),
                                     cmocka_unit_test(contacts_do_not_move_or_turn_themselves),
                                     cmocka_unit_test(turning_through_parallel_is_smooth),
                                     cmocka_unit_test(closed_gaps_are_infinite_and_finite_in_slope),
                                     cmocka_unit_test(stiffness_adapts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
