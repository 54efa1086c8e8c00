// Lines that a host draws: contacts, sticky springs, attachments, where the state is.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>

static double length_of(const mien_line *line) {
  double d2 = 0;
  for (int k = 0; k < 3; k++) d2 += pow((double)line->to[k] - (double)line->from[k], 2);
  return sqrt(d2);
}

static int count_of(const mien_state *state, mien_line_kind kind) {
  return mien_state_lines(state, 1u << kind, NULL, 0);
}

// Lips pressed and sticking: as many springs as the step says, at the lips, none longer than a
// spring gets; contacts where skin is close.
static void lips_that_stick_have_lines(void **state) {
  touch_scene s = touch_head("press.csv", NULL);
  const mien_state_info *info = mien_state_get_info(s.state);
  assert_int_equal(mien_state_lines(s.state, 7, NULL, 0), 0); // nothing was simulated yet
  mien_step_opts opts = touch_options(*state, 24);
  opts.sticky = 1;
  for (int frame = 15; frame <= 28; frame++) {
    touch_pose(&s, frame * opts.dt);
    touch_step(&s, &opts);
  }
  int nstuck = count_of(s.state, MIEN_LINE_STICKY), ncontact = count_of(s.state, MIEN_LINE_CONTACT);
  int nattached = count_of(s.state, MIEN_LINE_ATTACHMENT);
  print_message("%d contacts (the step counts %d), %d springs, %d attachments\n", ncontact,
                info->ncontact, nstuck, nattached);
  assert_true(info->nstuck > 10 && info->ncontact > 10);
  assert_int_equal(nstuck, info->nstuck);
  assert_true(ncontact >= info->ncontact && ncontact < 20 * info->ncontact);
  assert_true(nattached > 100 && nattached <= info->flesh.count);
  int count = mien_state_lines(s.state, 7, NULL, 0);
  assert_int_equal(count, nstuck + ncontact + nattached);
  mien_line *lines = malloc(sizeof *lines * (size_t)count);
  assert_int_equal(mien_state_lines(s.state, 7, lines, count), count);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 3; k++) assert_true(isfinite(lines[i].from[k]) && isfinite(lines[i].to[k]));
    if (lines[i].kind == MIEN_LINE_CONTACT) assert_true(length_of(lines + i) < 0.005);
    if (lines[i].kind == MIEN_LINE_STICKY) assert_true(length_of(lines + i) < 0.01);
    if (lines[i].kind == MIEN_LINE_ATTACHMENT)
      assert_true(lines[i].value > 0 && lines[i].value <= 1);
  }
  mien_line one = {.kind = MIEN_LINE_CONTACT};
  assert_int_equal(mien_state_lines(s.state, 1u << MIEN_LINE_STICKY, &one, 1), nstuck);
  assert_int_equal(one.kind, MIEN_LINE_STICKY);
  // with contact off there is nothing of the step before
  opts.contact = MIEN_CONTACT_OFF;
  opts.sticky = 0;
  touch_step(&s, &opts);
  assert_int_equal(count_of(s.state, MIEN_LINE_CONTACT), 0);
  free(lines);
  touch_free(&s);
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  mien_line line;
  touch_scene s = touch_head("press.csv", NULL);
  assert_int_equal(mien_state_lines(NULL, 7, &line, 1), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_lines(s.state, 7, NULL, 1), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_state_lines(s.state, 7, &line, -1), MIEN_ERR_ARGUMENT);
  touch_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(planes, lips_that_stick_have_lines),
      cmocka_unit_test(bad_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
