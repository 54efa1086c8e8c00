// Figures that are not finite fail a claim, with a sentence.
#include "reproduce.h"

#include "scenes/scene.h"

#include <math.h>
#include <string.h>

static void finite_figures_decide_nothing(void **state) {
  (void)state;
  static experiment e;
  const double figures[] = {0, -1e300, 4e-320};
  e = (experiment){.holds = true, .ours = "as it was"};
  assert_true(experiment_is_finite(&e, "figures", figures, 3));
  assert_true(experiment_is_finite(&e, "no figures", NULL, 0));
  assert_true(e.holds);
  assert_string_equal(e.ours, "as it was");
}

static void a_broken_figure_fails_the_claim(void **state) {
  (void)state;
  static experiment e;
  const double broken[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++)
    for (int at = 0; at < 4; at++) {
      double figures[4] = {1, 2, 3, 4};
      char where[32];
      figures[at] = broken[k];
      e = (experiment){.holds = true};
      assert_false(experiment_is_finite(&e, "times of a frame", figures, 4));
      assert_false(e.holds);
      snprintf(where, sizeof where, "figure %d of 4", at + 1);
      assert_non_null(strstr(e.ours, "times of a frame"));
      assert_non_null(strstr(e.ours, where));
    }
}

static void notes_end_where_their_room_ends(void **state) {
  (void)state;
  static experiment e;
  memset(&e, 0, sizeof e);
  for (int k = 0; k < 1000; k++) experiment_note(&e, "line %d of many", k);
  assert_true(strlen(e.rows) < sizeof e.rows);
  assert_int_equal(strncmp(e.rows, "line 0 of many\nline 1", 21), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finite_figures_decide_nothing),
                                     cmocka_unit_test(a_broken_figure_fails_the_claim),
                                     cmocka_unit_test(notes_end_where_their_room_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
