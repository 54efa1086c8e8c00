#include "scenes/scene.h"

#include "lab_laws.h"

#include <math.h>

static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

// From the matrices, not from singular values: V (mu E:E + lambda/2 (det F - 1)^2).
static double by_definition(const double *f, double mu, double lambda) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double e = -(i == j);
      for (int k = 0; k < 3; k++) e += f[3 * k + i] * f[3 * k + j];
      sum += e * e / 4;
    }
  double det = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
               f[2] * (f[3] * f[7] - f[4] * f[6]);
  return (mu * sum + lambda / 2 * (det - 1) * (det - 1)) / 6;
}

static void agrees_with_its_definition(void **state) {
  (void)state;
  mi_stencil s;
  assert_true(lab_stvk_set_up(&s, tet, 3, 7));
  for (uint32_t n = 0; n < 50; n++) {
    double f[9], x[12] = {0};
    for (uint32_t i = 0; i < 9; i++) f[i] = 3 * mi_random_unit(9, n, i) - 1.5;
    for (int i = 0; i < 9; i++) x[3 + 3 * (i % 3) + i / 3] = f[i];
    double expected = by_definition(f, 3, 7);
    assert_near(lab_law_stvk.value(&s, x), expected, 1e-12 * (1 + expected));
  }
}

// The printed tr(E)^2 would let pure shear go free; tr(E^2) does not.
static void shear_costs_energy(void **state) {
  (void)state;
  mi_stencil s;
  double x[12];
  assert_true(lab_stvk_set_up(&s, tet, 1, 0));
  for (int i = 0; i < 12; i++) x[i] = tet[i];
  x[6] += 0.1; // F = I + 0.1 e_x e_y', E = 0.05 on two places and 0.005 on one
  assert_near(lab_law_stvk.value(&s, x), (2 * 0.05 * 0.05 + 0.005 * 0.005) / 6, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_its_definition),
                                     cmocka_unit_test(shear_costs_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
