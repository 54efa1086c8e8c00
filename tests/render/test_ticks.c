// Axis numbers are round, in range, in order and short.
#include "picture.h"

#include "internal.h"

static void assert_ticks(rd_ticks ticks, const char *wanted) {
  char text[256] = "";
  for (int i = 0; i < ticks.count; i++) {
    if (i) strcat(text, " ");
    strcat(text, ticks.text[i]);
  }
  assert_string_equal(text, wanted);
}

static void linear_ticks_are_round(void **state) {
  (void)state;
  assert_ticks(rd_ticks_between(0.0, 1.0, false, 5), "0 0.2 0.4 0.6 0.8 1.0");
  assert_ticks(rd_ticks_between(-0.013, 0.013, false, 4), "-0.01 0 0.01");
  assert_ticks(rd_ticks_between(3.0, 97.0, false, 4), "25 50 75");
  assert_ticks(rd_ticks_between(0.0, 4e7, false, 2), "0 2e7 4e7");
}

static void log_ticks_are_powers(void **state) {
  (void)state;
  assert_ticks(rd_ticks_between(1e-8, 1.0, true, 4), "1e-8 1e-6 1e-4 0.01 1");
  assert_ticks(rd_ticks_between(1.0, 1e6, true, 3), "1 100 10000 1e6");
  assert_ticks(rd_ticks_between(0.9, 20.0, true, 5), "1 2 5 10 20");
}

static void empty_ranges_have_no_ticks(void **state) {
  (void)state;
  assert_int_equal(rd_ticks_between(1.0, 1.0, false, 5).count, 0);
  assert_int_equal(rd_ticks_between(0.0, INFINITY, false, 5).count, 0);
  assert_int_equal(rd_ticks_between(NAN, 1.0, false, 5).count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_ticks_are_round),
      cmocka_unit_test(log_ticks_are_powers),
      cmocka_unit_test(empty_ranges_have_no_ticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
