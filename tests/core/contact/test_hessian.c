#include "contact/barrier.h"
#include "soups.h"

#include "math/small.h"

#include <math.h>
#include <string.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(43, i, j) - 1;
}

// the gradient without mollifier, in double
static void gradient_at(const mi_contact *c, const mi_barrier *barrier, const double *x,
                        double *gradient) {
  mi_closest closest = c->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  double d = sqrt(closest.d2);
  double push =
      barrier->kappa * (double)c->area * mi_barrier_at(d - (double)c->offset, barrier->d_hat).first;
  for (int k = 0; k < 12; k++) gradient[k] = push * closest.coef[k / 3] * closest.r[k % 3] / d;
}

static void difference(const mi_contact *c, const mi_barrier *barrier, const float *position,
                       double *hessian) {
  double x[12], low[12], high[12];
  for (int k = 0; k < 12; k++) x[k] = position[k];
  for (int j = 0; j < 12; j++) {
    double h = 2e-6, keep = x[j];
    x[j] = keep + h;
    gradient_at(c, barrier, x, high);
    x[j] = keep - h;
    gradient_at(c, barrier, x, low);
    x[j] = keep;
    for (int i = 0; i < 12; i++) hessian[12 * i + j] = (high[i] - low[i]) / (2 * h);
  }
  for (int i = 0; i < 12; i++) // symmetric, as it should be
    for (int j = 0; j < i; j++)
      hessian[12 * i + j] = hessian[12 * j + i] = (hessian[12 * i + j] + hessian[12 * j + i]) / 2;
}

static double largest_of(const double *a) {
  double largest = 0;
  for (int i = 0; i < 144; i++) largest = fmax(largest, fabs(a[i]));
  return largest;
}

// Regions near whose border differences would cross it are left out.
static bool is_inside_region(const mi_contact *c) {
  int count = 0;
  for (int k = 0; k < 4; k++) {
    if (c->support >> k & 1 && fabs(c->coef[k]) < 0.02) return false;
    count += c->support >> k & 1;
  }
  return count >= 2;
}

// Points of a clamped closest point must stay clamped: it must not lie on the border either.
static bool is_stable(const mi_contact *c, const float *position) {
  for (uint32_t trial = 0; trial < 12; trial++) {
    float x[12];
    for (int k = 0; k < 12; k++) x[k] = position[k] + (k == (int)trial ? 1e-4f : 0);
    mi_contact moved = *c;
    mi_contact_measure(&moved, x);
    if (moved.support != c->support) return false;
    for (int k = 0; k < 12; k++) x[k] = position[k] - (k == (int)trial ? 1e-4f : 0);
    mi_contact_measure(&moved, x);
    if (moved.support != c->support) return false;
  }
  return true;
}

static void expand(const mi_contact_hessian *hessian, double *dense) {
  memset(dense, 0, 144 * sizeof *dense);
  for (int k = 0; k < hessian->count; k++)
    for (int i = 0; i < 144; i++)
      dense[i] += hessian->weight[k] * hessian->vector[k][i / 12] * hessian->vector[k][i % 12];
}

static void it_is_the_projected_dense_hessian(void **state) {
  (void)state;
  int nregion[2][3] = {{0}};
  for (uint32_t i = 0; i < 6000; i++) {
    const mi_barrier barrier = {0.4 + 0.6 * mi_random_unit(43, i, 30), 2};
    float position[12];
    for (uint32_t k = 0; k < 12; k++) position[k] = (float)number(i, k);
    if (i % 3) position[2] = position[5] = 0.3f; // closer to each other
    mi_contact c = {.vert = {0, 1, 2, 3}, .is_edges = i % 2, .area = 0.7f};
    if (i % 5 == 0) c.offset = 0.02f;
    mi_contact_measure(&c, position);
    double gap = c.distance - (double)c.offset;
    if (gap < 0.05 || gap > barrier.d_hat || !is_inside_region(&c) || !is_stable(&c, position))
      continue;
    double expected[144], found[144];
    difference(&c, &barrier, position, expected);
    double scale = largest_of(expected);
    if (scale > 3e3) continue; // nearly parallel: differences see nothing
    mi_small_make_psd(12, expected);
    mi_contact_hessian hessian;
    mi_contact_hessians_psd(&c, 1, &barrier, position, &hessian);
    expand(&hessian, found);
    for (int k = 0; k < 144; k++) assert_near(found[k], expected[k], 3e-5 * scale + 1e-6);
    for (int k = 0; k < hessian.count; k++) {
      double length = 0;
      for (int j = 0; j < 12; j++) length += hessian.vector[k][j] * hessian.vector[k][j];
      assert_near(length, 1, 1e-12);
      assert_true(hessian.weight[k] > 0 && (!k || hessian.weight[k] <= hessian.weight[k - 1]));
    }
    nregion[c.is_edges][mi_closest_nfree(c.support)]++;
  }
  for (int k = 0; k < 6; k++) assert_true(nregion[k / 3][k % 3] > 40);
}

// Needles, nearly parallel edges, tiny gaps: no NaN, and the push itself is always in it.
static void odd_contacts_stay_finite(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 4000; i++) {
    float x[12];
    double size = pow(10, -4 * mi_random_unit(43, i, 40)),
           flat = pow(10, -8 * mi_random_unit(43, i, 41));
    for (uint32_t k = 0; k < 12; k++) x[k] = (float)(size * number(i, k));
    for (uint32_t k = 0; k < 3; k++) {
      if (i % 2) x[9 + k] = x[6 + k] + x[3 + k] - x[k] + (float)(flat * size * number(i, 50 + k));
      if (i % 4 == 0) x[9 + k] = x[6 + k] + (float)(flat * size * number(i, 50 + k));
      if (i % 7 == 0) x[3 + k] = x[k];
    }
    mi_contact c = {.vert = {0, 1, 2, 3}, .is_edges = i % 2, .area = 1};
    if (c.is_edges) c.parallel = (float)(1e-3 * size * size * size * size);
    mi_contact_measure(&c, x);
    const mi_barrier barrier = {2 * c.distance + 1e-9, 1};
    mi_contact_hessian hessian;
    mi_contact_hessians_psd(&c, 1, &barrier, x, &hessian);
    assert_true(hessian.count >= (c.distance > 0 && c.mollifier > 0) && hessian.count <= 3);
    for (int k = 0; k < hessian.count; k++) {
      assert_true(isfinite(hessian.weight[k]));
      for (int j = 0; j < 12; j++) assert_true(isfinite(hessian.vector[k][j]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_the_projected_dense_hessian),
                                     cmocka_unit_test(odd_contacts_stay_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
