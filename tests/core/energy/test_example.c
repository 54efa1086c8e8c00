#include "scenes/scene.h"

#include "lab_laws.h"

#include <math.h>
#include <string.h>

static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

static void stretch_x(double by, double *x) {
  for (int i = 0; i < 12; i++) x[i] = i % 3 == 0 ? by * tet[i] : tet[i];
}

// Along an example and beyond it there is no force; without examples the same shapes cost energy.
static void examples_are_free(void **state) {
  (void)state;
  double example[12], x[12];
  mi_stencil with, without;
  stretch_x(1.5, example);
  lab_examples examples = {4, tet, 1, example}, none = {4, tet, 0, NULL};
  assert_true(lab_example_set_up(&with, &examples, 2));
  assert_true(lab_example_set_up(&without, &none, 2));
  for (double by = 0.6; by < 2; by += 0.2) {
    stretch_x(by, x);
    assert_near(lab_law_example.value(&with, x), 0, 1e-15);
    assert_near(lab_law_example.value(&without, x), (by - 1) * (by - 1), 1e-12);
  }
  // the same stretch along another axis of the element is not
  for (int i = 0; i < 12; i++) x[i] = i % 3 == 1 ? 1.3 * tet[i] : tet[i];
  assert_near(lab_law_example.value(&with, x), 0.09, 1e-12);
}

static void no_examples_is_as_rigid_as_possible(void **state) {
  (void)state;
  mi_stencil example, strain;
  lab_examples none = {4, tet, 0, NULL};
  assert_true(lab_example_set_up(&example, &none, 1));
  assert_true(mi_strain_set_up(&strain, tet, 1, NULL));
  for (uint32_t n = 0; n < 50; n++) {
    double x[12], h[144], other[144];
    for (uint32_t i = 0; i < 12; i++) x[i] = tet[i] + mi_random_unit(3, n, i) - 0.5;
    double value = mi_law_strain.value(&strain, x);
    assert_near(lab_law_example.value(&example, x), value, 1e-12 * (1 + value));
    mi_law_strain.hessian(&strain, x, false, h);
    lab_law_example.hessian(&example, x, false, other);
    for (int i = 0; i < 144; i++) assert_near(other[i], h[i], 1e-6 * (1 + fabs(h[i])));
  }
}

// A copy of the rest state, and an example twice, add nothing and break nothing.
static void repeated_examples_are_harmless(void **state) {
  (void)state;
  double position[36], x[12];
  mi_stencil one, three;
  memcpy(position, tet, sizeof tet);
  stretch_x(1.5, position + 12);
  stretch_x(2.2, position + 24);
  lab_examples all = {4, tet, 3, position}, single = {4, tet, 1, position + 12};
  assert_true(lab_example_set_up(&three, &all, 1));
  assert_true(lab_example_set_up(&one, &single, 1));
  for (uint32_t n = 0; n < 20; n++) {
    for (uint32_t i = 0; i < 12; i++) x[i] = tet[i] + mi_random_unit(4, n, i) - 0.5;
    assert_near(lab_law_example.value(&three, x), lab_law_example.value(&one, x), 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_free),
                                     cmocka_unit_test(no_examples_is_as_rigid_as_possible),
                                     cmocka_unit_test(repeated_examples_are_harmless)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
