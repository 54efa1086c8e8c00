// Numbers as text: exact where we wrote them, right everywhere, in any locale.
#include "base/number.h"
#include "scenes/scene.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parse(const char *text) {
  double value = -12345;
  const char *end = text + strlen(text);
  assert_ptr_equal(mi_parse_double(text, end, &value), end);
  return value;
}

static void reads_what_c_reads(void **state) {
  (void)state;
  static const char *const texts[] = {"0",
                                      "-0",
                                      "1",
                                      "+1.5",
                                      ".5",
                                      "5.",
                                      "1e3",
                                      "1E-3",
                                      "0.1",
                                      "1e22",
                                      "1e23",
                                      "3.4e38",
                                      "1e-45",
                                      "1e300",
                                      "1e-300",
                                      "123456789012345678",
                                      "0.1236470118",
                                      "9007199254740993",
                                      "1e-320",
                                      "2.2250738585072014e-308",
                                      "179769313486231570000000000000",
                                      "0.000000000000000000000000000001234567890123456789"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double expected = strtod(texts[i], NULL), got = parse(texts[i]);
    double unit = nextafter(fabs(expected), INFINITY) - fabs(expected);
    if (!(fabs(got - expected) <= unit)) fail_msg("%s read as %.17g", texts[i], got);
    assert_int_equal(signbit(got), signbit(expected));
  }
  assert_true(isnan(parse("nan")));
  assert_true(parse("-inf") == -INFINITY);
  assert_true(parse("1e999") == INFINITY);
  assert_true(parse("1e-99999999999") == 0);
}

static void refuses_what_is_no_number(void **state) {
  (void)state;
  static const char *const texts[] = {"", "-", ".", "e5", "+-1", "abc", "x1"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value;
    assert_null(mi_parse_double(texts[i], texts[i] + strlen(texts[i]), &value));
  }
  double value;
  const char *text = "12ex";
  assert_ptr_equal(mi_parse_double(text, text + 4, &value), text + 2);
  assert_true(value == 12);
  int64_t whole;
  text = "99999999999999999999";
  assert_null(mi_parse_int(text, text + 20, &whole));
}

static void bits_survive(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 200000; i++) {
    mi_random r = mi_random_at(7, i, 0);
    float f;
    double d;
    memcpy(&f, &r.word[0], sizeof f);
    memcpy(&d, &r.word[1], sizeof d);
    char text[MI_NUMBER_CHARS];
    double back;
    if (isfinite(f)) {
      int n = mi_format_float(text, f);
      assert_ptr_equal(mi_parse_double(text, text + n, &back), text + n);
      float narrow = (float)back;
      assert_memory_equal(&narrow, &f, sizeof f);
    }
    if (!isfinite(d) || (d != 0 && fabs(d) < 1e-290)) continue;
    int n = mi_format_double(text, d);
    assert_ptr_equal(mi_parse_double(text, text + n, &back), text + n);
    if (back != d) fail_msg("%.17g became %.17g", d, back);
  }
}

static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  if (!scene_use_decimal_comma()) {
    print_message("skipped: no locale with a decimal comma can be made\n");
    skip();
  }
  char text[MI_NUMBER_CHARS];
  snprintf(text, sizeof text, "%g", 0.5);
  assert_string_equal(text, "0,5");
  mi_format_double(text, 1.5);
  assert_string_equal(text, "1.5");
  assert_true(parse("2.25") == 2.25);
  setlocale(LC_ALL, "C");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_c_reads),
      cmocka_unit_test(refuses_what_is_no_number),
      cmocka_unit_test(bits_survive),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
