// Contact of two balls of flesh: they flatten, rest, slide and come back; memory that ends.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>

static void press_balls(touch_scene *s, const mien_step_opts *opts, int nframe) {
  for (int frame = 1; frame <= nframe; frame++) {
    s->weights[TOUCH_DOWN] = fminf(1, 2 * (float)frame / (float)nframe);
    touch_step(s, opts);
    assert_true(touch_is_finite(s));
    assert_int_equal(touch_crossings(s) + touch_surface_crossings(s), 0);
  }
}

static void balls_flatten_and_come_back(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  press_balls(&s, &opts, 40);
  const mien_state_info *info = mien_state_get_info(s.state);
  assert_true(info->ncontact > 3 && info->least_gap > 0);
  assert_true(info->max_offset > 1e-3 && info->max_offset < 0.01);
  s.weights[TOUCH_DOWN] = -1;
  for (int frame = 0; frame < 200 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  touch_free(&s);
  assert_true(is_back);
}

static void pressed_balls_rest(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  press_balls(&s, &opts, 56);
  touch_motion(&s, before);
  double most = 0;
  for (int frame = 0; frame < 30; frame++) {
    touch_step(&s, &opts);
    most = fmax(most, touch_motion(&s, before));
  }
  print_message("balls pressed and still: %.3g mm from frame to frame\n", 1e3 * most);
  free(before);
  touch_free(&s);
  assert_true(most < 1e-5);
}

// How far the upper ball's skin is ahead of the lower one's where they touch, when it was pressed
// on and then moved aside by 4 mm.
static double slide(void **state, double friction) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 48);
  opts.friction = friction;
  opts.iterations = *state == &touch_sweeps ? 90 : 30; // sweeps get nearer slowly
  press_balls(&s, &opts, 20);
  int nskin = mien_face_get_info(s.face)->nskin;
  float *before = calloc(3 * (size_t)nskin, sizeof *before);
  touch_motion(&s, before);
  for (int frame = 1; frame <= 20; frame++) {
    s.weights[TOUCH_ASIDE] = 0.02f * (float)frame;
    touch_step(&s, &opts);
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
  }
  const float *now = mien_state_get_info(s.state)->flesh.data;
  const float *rest = mien_face_get_info(s.face)->positions.data;
  double way[2] = {0};
  int count[2] = {0};
  for (int i = 0; i < nskin; i++) { // within 12 mm of the place where the balls meet
    double x = rest[3 * i], y = rest[3 * i + 1] - 0.001, z = rest[3 * i + 2];
    if (x * x + z * z > 1.44e-4 || fabs(y) > 0.005) continue;
    way[y > 0] += (double)now[3 * i] - (double)before[3 * i];
    count[y > 0]++;
  }
  free(before);
  touch_free(&s);
  assert_true(count[0] > 3 && count[1] > 3);
  return way[1] / count[1] - way[0] / count[0];
}

static void friction_holds_back(void **state) {
  double free_way = slide(state, 0), held_way = slide(state, 5);
  print_message("slid %.3f mm without friction, %.3f mm with\n", 1e3 * free_way, 1e3 * held_way);
  assert_true(free_way > 2e-3);
  // springs for sweeps bear a tenth of a plane's weight, and friction is a share of what presses:
  // they take off a seventh to a fourth of the way, the planes of a matrix more than half
  double share = *state == &touch_sweeps ? 0.9 : 0.6;
  assert_true(held_way < share * free_way && held_way > -1e-3);
}

static mien_result step_once(const mien_host *host, void *user) {
  touch_scene *s = user;
  mien_state *made = NULL;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  mien_result result = mien_state_create(s->face, host, &made, NULL);
  if (result >= 0) result = mien_step(made, &s->input, &opts, NULL);
  if (result >= 0) assert_true(mien_state_get_info(made)->ncontact > 0);
  mien_state_free(made);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  touch_scene s = touch_balls(0.002, NULL);
  s.weights[TOUCH_DOWN] = 0.5f; // pressed: contacts are found in the step
  scene_fail_every_allocation(step_once, &s);
  touch_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      EVERY_WAY(balls_flatten_and_come_back),
      EVERY_WAY(pressed_balls_rest),
      EVERY_WAY(friction_holds_back),
      WITH(planes, survives_every_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
