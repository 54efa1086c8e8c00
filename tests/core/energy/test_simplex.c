#include "scenes/scene.h"

#include "energy/simplex.h"
#include "lab_laws.h"
#include "math/mat3.h"

#include <math.h>

static const double tet[12] = {0, 0, 0, 1, 0, 0, 0.2, 1, 0.1, 0, 0.3, 1};

// G x is the deformation gradient, transposed.
static void gradient_of_an_affine_map_is_the_map(void **state) {
  (void)state;
  const double map[9] = {1.1, 0.2, -0.3, 0.4, 0.9, 0.1, -0.2, 0.3, 1.2};
  double x[12], gx[9], p[9];
  mi_stencil s;
  assert_true(mi_strain_set_up(&s, tet, 1, NULL));
  for (int i = 0; i < 12; i++) {
    x[i] = 5;
    for (int k = 0; k < 3; k++) x[i] += map[3 * (i % 3) + k] * tet[i - i % 3 + k];
  }
  mi_law_strain.reduce(&s, x, gx, p);
  for (int i = 0; i < 9; i++) assert_near(gx[3 * (i % 3) + i / 3], map[i], 1e-12);
  // aimed at the map itself there is no energy, turned or not
  assert_true(mi_strain_set_up(&s, tet, 1, map));
  assert_near(mi_law_strain.value(&s, x), 0, 1e-24);
  for (int i = 0; i < 4; i++) { // a quarter turn about z
    double keep = x[3 * i];
    x[3 * i] = -x[3 * i + 1];
    x[3 * i + 1] = keep;
  }
  assert_near(mi_law_strain.value(&s, x), 0, 1e-24);
  assert_true(mi_law_strain.value(&s, tet) > 0.01);
}

static void measures_are_right(void **state) {
  (void)state;
  const double unit[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_near(mi_tet_volume(unit), 1.0 / 6, 1e-15);
}

// Limits: nothing inside, the clamped distance outside, inversion as far as from the lower limit.
static void limits_hold(void **state) {
  (void)state;
  const double unit[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double cases[][2] = {{1, 0}, {0.95, 0}, {1.3, 0.2}, {0.5, 0.4}, {-0.5, 1.4}};
  mi_stencil s, t;
  assert_true(lab_strain_limit_set_up(&s, unit, 2, 0.9, 1.1));
  assert_true(lab_triangle_strain_set_up(&t, unit, 2, 0.9, 1.1));
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double x[12], d = cases[c][1];
    for (int i = 0; i < 12; i++) x[i] = i % 3 == 0 ? cases[c][0] * unit[i] : unit[i];
    assert_near(lab_law_strain_limit.value(&s, x), d * d, 1e-12);
    // a triangle in space has no inside to turn out: its values are positive
    double flat = cases[c][0] < 0 ? 0.4 : d;
    assert_near(lab_law_triangle_strain.value(&t, x), flat * flat, 1e-12);
  }
}

// Twice as many elements, same body, same stretch: same energy (Bouaziz, 7.4).
static void energy_does_not_depend_on_the_mesh(void **state) {
  (void)state;
  double coarse[12], halves[2][12], x[12], value[2] = {0};
  mi_stencil s;
  for (int i = 0; i < 12; i++) coarse[i] = halves[0][i] = halves[1][i] = tet[i];
  for (int k = 0; k < 3; k++) // split at the middle of an edge
    halves[0][k] = halves[1][3 + k] = (tet[k] + tet[3 + k]) / 2;
  for (int part = -1; part < 2; part++) {
    const double *rest = part < 0 ? coarse : halves[part];
    assert_true(mi_strain_set_up(&s, rest, 1e4 * mi_tet_volume(rest), NULL));
    for (int i = 0; i < 12; i++) x[i] = rest[i] * (1 + 0.2 * (i % 3));
    value[part < 0 ? 0 : 1] += mi_law_strain.value(&s, x);
  }
  assert_near(value[0], value[1], 1e-9 * value[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradient_of_an_affine_map_is_the_map), cmocka_unit_test(measures_are_right),
      cmocka_unit_test(limits_hold), cmocka_unit_test(energy_does_not_depend_on_the_mesh)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
