#include "scenes/scene.h"

#include "energy/product.h"

#include <math.h>

static double distance(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

// A fine grid over the surface of constant product: slow, and sure.
static double scan(int n, const double *s, double product) {
  double least = INFINITY, t[3];
  int steps = n == 3 ? 600 : 20000;
  for (int i = 0; i < steps; i++)
    for (int j = 0; j < (n == 3 ? steps : 1); j++) {
      t[0] = exp(-4 + 8.0 * i / steps);
      t[1] = n == 3 ? exp(-4 + 8.0 * j / steps) : product / t[0];
      t[2] = product / (t[0] * t[1]);
      least = fmin(least, distance(n, s, t));
    }
  return least;
}

static void no_point_of_the_surface_is_closer(void **state) {
  (void)state;
  static const double cases[][4] = {
      {1, 1, 1, 1},          {2, 2, 2, 1},         {1.95, 1.95, 1.95, 1}, {2.001, 2, 1.9, 1},
      {1.9, 1.9, 1.85, 1},   {3, 0.4, 0.1, 1},     {1, 0.5, -0.5, 1},     {0, 0, 0, 1},
      {5, 5, 5, 1},          {1.2, 1, 0.9, 0.7},   {4, 1, 1, 1},          {2, 1.4, -1.3, 1.2},
      {1.93, 1.93, 1.93, 1}, {1.97, 1.96, 1.9, 1}, {10, 1.5, 1.4, 1},     {1e-9, 1e-9, -1e-9, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int n = 2; n <= 3; n++) {
      double t[3], product = 1;
      if (n == 2 && cases[c][1] < 0) continue;
      mi_product_closest(n, cases[c], cases[c][3], t);
      for (int k = 0; k < n; k++) {
        assert_true(t[k] > 0);
        product *= t[k];
      }
      assert_near(product, cases[c][3], 1e-12);
      double ours = distance(n, cases[c], t), found = scan(n, cases[c], cases[c][3]);
      assert_true(ours <= found + 1e-12);
      assert_near(sqrt(ours), sqrt(found), 0.03);
    }
}

// Three equal values: pressing all by the same is a minimum only until one of them collapses. The
// printed iteration would stay at the symmetric point.
static void strong_compression_breaks_the_symmetry(void **state) {
  (void)state;
  double t[3];
  mi_product_closest(3, (const double[]){1.5, 1.5, 1.5}, 1, t);
  assert_near(t[0], t[2], 1e-6);
  mi_product_closest(3, (const double[]){3, 3, 3}, 1, t);
  assert_true(t[0] > 2.5 && t[2] < 0.2);
}

static void extremes_are_exact(void **state) {
  (void)state;
  double t[3];
  mi_product_closest(3, (const double[]){1e8, 1e8, 1e8}, 1, t);
  assert_near(t[0] * t[1] * t[2], 1, 1e-9);
  mi_product_closest(3, (const double[]){1e8, 1, -1e6}, 1, t);
  assert_near(t[0] * t[1] * t[2], 1, 1e-9);
  mi_product_closest(3, (const double[]){1e-200, 0, 0}, 1, t);
  for (int k = 0; k < 3; k++) assert_near(t[k], 1, 1e-12);
  const double inside[3] = {1, 1, 1};
  mi_product_closest(3, inside, 1, t);
  for (int k = 0; k < 3; k++) assert_true(t[k] == 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_point_of_the_surface_is_closer),
                                     cmocka_unit_test(strong_compression_breaks_the_symmetry),
                                     cmocka_unit_test(extremes_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
