#include "base/base.h"
#include "scenes/scene.h"

#include <math.h>

// Known answers of Philox 4x32-10 for the counter and key all zero, from the authors' Random123.
static void matches_the_published_vector(void **state) {
  (void)state;
  mi_random zero = mi_random_at(0, 0, 0);
  const uint32_t expected[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (int i = 0; i < 4; i++) assert_int_equal(zero.word[i], expected[i]);
}

static void is_uniform_and_independent_of_order(void **state) {
  (void)state;
  double sum = 0, sum2 = 0, product = 0, before = 0;
  enum { COUNT = 20000 };
  for (uint32_t i = 0; i < COUNT; i++) {
    double value = mi_random_unit(7, i, 3);
    assert_true(value >= 0 && value < 1);
    sum += value;
    sum2 += value * value;
    product += (value - 0.5) * (before - 0.5);
    before = value;
  }
  assert_true(fabs(sum / COUNT - 0.5) < 0.01);
  assert_true(fabs(sum2 / COUNT - 1.0 / 3) < 0.01);
  assert_true(fabs(product / COUNT) < 0.005);
  assert_true(mi_random_unit(7, 5, 3) == mi_random_unit(7, 5, 3));
  assert_true(mi_random_unit(7, 5, 3) != mi_random_unit(8, 5, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(matches_the_published_vector),
                                     cmocka_unit_test(is_uniform_and_independent_of_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
