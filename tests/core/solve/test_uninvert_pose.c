// Flesh that the sum of shapes turns inside out: uninverted to the same bits for any caller and
// however often, and within a step's time where that has a limit.
#include "drive/pose.h"
#include "scenes/touch.h"
#include "solve/uninvert.h"

#include <stdlib.h>
#include <string.h>

static const float WEIGHT = 0.6f;

// A mouth that is pressed, pulled back and funnelled at once: more than a step over budget can
// uninvert.
static touch_scene open_knot(void) {
  static const char *const names[] = {"mouthSmileLeft",  "mouthSmileRight", "mouthPressLeft",
                                      "mouthPressRight", "mouthFunnel",     "mouthClose"};
  touch_scene s = touch_head("press.csv", NULL);
  for (int k = 0; k < 6; k++) *touch_weight(&s, names[k]) = WEIGHT;
  return s;
}

typedef struct mended_pose {
  float *posed;
  int nmended, ninverted;
} mended_pose;

static size_t size_of(const touch_scene *s) {
  return 3 * (size_t)mien_face_get_info(s->face)->nvert * sizeof(float);
}

// The artist's pose; with a deadline, that many seconds from now.
static mended_pose pose(touch_scene *s, bool has_deadline, double seconds) {
  mended_pose made = {.posed = malloc(size_of(s))};
  assert_non_null(made.posed);
  mi_input_pose(s->state, &s->input, has_deadline ? mi_clock() + seconds : 0, made.posed);
  made.nmended = s->state->info.nposed_mended;
  made.ninverted = s->state->info.nposed_inverted;
  return made;
}

static bool is_same(const touch_scene *s, mended_pose a, mended_pose b) {
  return a.nmended == b.nmended && a.ninverted == b.ninverted &&
         !memcmp(a.posed, b.posed, size_of(s));
}

static void a_held_pose_is_mended_once(void **state) {
  (void)state;
  touch_scene s = open_knot();
  mended_pose first = pose(&s, false, 0), again = pose(&s, false, 0);
  *touch_weight(&s, "mouthFunnel") = WEIGHT / 2;
  mended_pose other = pose(&s, false, 0);
  *touch_weight(&s, "mouthFunnel") = WEIGHT;
  mended_pose back = pose(&s, false, 0);
  print_message("%d, %d inverted\n", first.nmended, first.ninverted);
  assert_true(first.nmended > 20 && first.ninverted < first.nmended / 4);
  assert_true(is_same(&s, first, again) && is_same(&s, first, back));
  assert_false(is_same(&s, first, other));
  free(first.posed);
  free(again.posed);
  free(other.posed);
  free(back.posed);
  touch_free(&s);
}

// A late step leaves some of it, the steps after it go on, and none of that is left in steps that
// have no limit; a limit that is not reached changes nothing.
static void a_late_step_mends_what_it_can(void **state) {
  (void)state;
  touch_scene s = open_knot(), fresh = open_knot();
  mended_pose early = pose(&fresh, true, 1000), whole = pose(&fresh, false, 0);
  mended_pose late = pose(&s, true, -1);
  assert_true(is_same(&s, early, whole));
  print_message("%d inverted when late, %d when not\n", late.ninverted, whole.ninverted);
  assert_true(late.ninverted > whole.ninverted && late.ninverted < late.nmended);
  int nstep = 1;
  for (mended_pose last = late; nstep < 40; nstep++) {
    mended_pose next = pose(&s, true, -1);
    bool is_done = is_same(&s, last, next); // no more is tried
    if (last.posed != late.posed) free(last.posed);
    last = next;
    if (!is_done) continue;
    assert_true(next.ninverted <= whole.ninverted + 2);
    free(next.posed);
    break;
  }
  print_message("done in %d steps\n", nstep);
  assert_in_range(nstep, 2, 39);
  mended_pose after = pose(&s, false, 0);
  assert_true(is_same(&s, whole, after));
  free(early.posed);
  free(whole.posed);
  free(late.posed);
  free(after.posed);
  touch_free(&s);
  touch_free(&fresh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_held_pose_is_mended_once),
      cmocka_unit_test(a_late_step_mends_what_it_can),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
