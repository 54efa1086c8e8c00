// Keeping the energy of a face: shaken, blown at, and while lips and lids touch.
#include "scenes/touch.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mien_step_opts opts_of(int projection) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 24;
  opts.contact = MIEN_CONTACT_PLANE;
  opts.energy_projection = projection;
  opts.damping = 2;
  opts.drag = 0.5;
  return opts;
}

// Frames of 1/24 s are long for flesh that swings at 20 Hz. What keeps its energy goes no farther
// than the same flesh in short steps.
static void a_shaken_face_keeps_its_energy_within_a_hundredth(void **state) {
  (void)state;
  double most[2] = {0}, worst = 0;
  for (int run = 0; run < 2; run++) {
    touch_scene s = touch_head("press.csv", NULL);
    const mien_state_info *info = mien_state_get_info(s.state);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.dt = 1.0 / 24;
    opts.integrator = run ? MIEN_INTEGRATOR_STABILISED_MIDPOINT : MIEN_INTEGRATOR_BDF2;
    opts.substeps = run ? 1 : 16;
    for (int frame = 0; frame < 48; frame++) {
      double phase = 0.65 * frame, a = 0.4 * sin(phase);
      s.input.head = (mien_rigid){{0, sin(a / 2), 0, cos(a / 2)}, {0.012 * sin(phase), 0, 0}};
      touch_step(&s, &opts);
      assert_true(touch_is_finite(&s));
      most[run] = fmax(most[run], info->max_offset);
      if (run && info->energy_wanted > 1e-6)
        worst = fmax(worst, fabs(info->energy_error) / info->energy_wanted);
    }
    touch_free(&s);
  }
  print_message("off by %.1f mm in short steps, stabilised %.1f mm; energy within %.2f %%\n",
                1e3 * most[0], 1e3 * most[1], 100 * worst);
  assert_true(worst <= 0.01);
  assert_true(most[1] < 1.1 * most[0]);
}

// Wind for a second, then none. With projection flesh swings on for longer than without, comes to
// rest, and does not crumple on the way.
static void a_face_in_the_wind_ripples_and_rests(void **state) {
  (void)state;
  double left[2] = {0}, at_end[2];
  int ninverted = 0;
  for (int projection = 0; projection < 2; projection++) {
    touch_scene s = touch_head("press.csv", NULL);
    const mien_state_info *info = mien_state_get_info(s.state);
    for (int frame = 0; frame < 96; frame++) {
      mien_step_opts opts = opts_of(projection);
      opts.substeps = 3;
      opts.gust = 0.6;
      if (frame < 24) opts.wind[0] = 6, opts.wind[2] = -10.4;
      touch_step(&s, &opts);
      assert_true(touch_is_finite(&s));
      assert_true(info->max_offset < 0.02);
      ninverted = info->ninverted > ninverted ? info->ninverted : ninverted;
      if (frame >= 30 && frame < 48) left[projection] += info->max_offset;
    }
    at_end[projection] = info->max_offset;
    touch_free(&s);
  }
  print_message("offsets summed after the wind: %.4f m, kept %.4f; at the end %.1e; inverted %d\n",
                left[0], left[1], at_end[1], ninverted);
  assert_true(left[1] > 3 * left[0]);
  assert_true(at_end[1] < 2e-4);
  assert_true(ninverted < 20);
}

// Lips pressed together in half a second and held: nothing crosses, and half a second later what
// projection gives back no longer stirs them. (It does by a millimetre where they do not fall
// asleep.)
static void pressed_lips_rest(void **state) {
  (void)state;
  static const char *const names[] = {"mouthPressLeft", "mouthPressRight", "mouthRollUpper",
                                      "mouthRollLower"};
  touch_scene s = touch_head("press.csv", NULL);
  const mien_state_info *info = mien_state_get_info(s.state);
  float *before = test_calloc(3 * (size_t)info->positions.count, sizeof(float));
  double moved = 0;
  for (int frame = 0; frame < 60; frame++) {
    mien_step_opts opts = opts_of(1);
    for (int k = 0; k < 4; k++)
      s.weights[mien_rig_find_shape(s.rig, names[k])] = (float)fmin(1, frame / 12.0);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    double now = touch_motion(&s, before);
    if (frame >= 24) moved = fmax(moved, now);
    if (frame % 6 == 0) assert_int_equal(touch_crossings(&s), 0);
  }
  print_message("pressed and held, lips move by %.1e m a frame\n", moved);
  assert_true(moved < 1e-5);
  test_free(before);
  touch_free(&s);
}

// Flesh that contact has put somewhere stays there: projection changes velocities alone. From the
// same starts frames end where they do without it, to the bit, and flesh goes on in another way.
static void contact_fixes_where_flesh_ends(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  const mien_state_info *info = mien_state_get_info(s.state);
  size_t size = mien_state_size(s.state), flesh = 3 * (size_t)s.face->info.nvert * sizeof(float);
  char *start = test_calloc(1, size), *places = test_calloc(1, flesh),
       *speeds = test_calloc(1, flesh);
  int ncompared = 0, ncontact = 0;
  for (int frame = 0; frame < 30; frame++) {
    double turn = 0.1 * sin(0.9 * frame);
    s.input.head = (mien_rigid){{0, sin(turn), 0, cos(turn)}, {0, 0, 0}};
    touch_pose(&s, frame / 24.0);
    assert_int_equal(mien_state_write(s.state, start, size, NULL), MIEN_OK);
    for (int projection = 0; projection < 2; projection++) {
      mien_step_opts opts = opts_of(projection);
      assert_int_equal(mien_state_read(s.state, start, size, NULL), MIEN_OK);
      touch_step(&s, &opts);
      if (!projection) memcpy(places, s.state->flesh, flesh);
      if (!projection) memcpy(speeds, s.state->dynamics.velocity, flesh);
    }
    assert_memory_equal(places, s.state->flesh, flesh);
    ncontact += info->ncontact;
    ncompared += memcmp(speeds, s.state->dynamics.velocity, flesh) != 0;
  }
  print_message("%d contacts; %d of 30 frames go on in another way\n", ncontact, ncompared);
  test_free(start);
  test_free(places);
  test_free(speeds);
  touch_free(&s);
  assert_true(ncontact > 100 && ncompared > 20);
}

// A pose that changes in both halves of a midpoint substep is rebalanced twice, the second time
// after the forces were found: gravity is still there when the energy is kept.
static void gravity_outlasts_rebalancing(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = opts_of(0);
  opts.contact = MIEN_CONTACT_OFF; // which midpoint does not know
  opts.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  opts.gravity[1] = -9.81;
  for (int frame = 0; frame < 3; frame++) {
    *touch_weight(&s, "jawOpen") = 0.1f * (float)frame;
    touch_step(&s, &opts);
  }
  int nother = 0;
  for (int i = 0; i < 3 * s.face->info.nvert; i++)
    nother += s.state->accel[i] != (i % 3 == 1 ? -9.81f : 0);
  touch_free(&s);
  assert_int_equal(nother, 0);
}

// What gravity and wind do in the first frame, in the head's space: the same whether the head is
// upright or turned by 90 degrees, with both turned like it.
static void gravity_and_wind_are_the_worlds(void **state) {
  (void)state;
  static const double gravity[3] = {1, -9.81, 2}, wind[3] = {3, 1, -8};
  double most[2] = {0}, off = 0, first[3] = {0};
  float *upright = NULL;
  for (int k = 0; k < 2; k++) {
    touch_scene s = touch_head("press.csv", NULL);
    mien_step_opts opts = opts_of(0);
    int count = 3 * s.face->info.nvert;
    for (int c = 0; c < 3; c++) { // turned about z: x becomes y, y becomes -x
      int from = k && c < 2 ? 1 - c : c, sign = k && c == 0 ? -1 : 1;
      opts.gravity[c] = sign * gravity[from];
      opts.wind[c] = sign * wind[from];
    }
    if (k) s.input.head = (mien_rigid){{0, 0, sqrt(0.5), sqrt(0.5)}, {0, 0, 0}};
    touch_step(&s, &opts);
    if (!k) upright = test_calloc((size_t)count, sizeof *upright);
    for (int i = 0; i < count; i++) {
      double accel = s.state->accel[i];
      most[k] = fmax(most[k], fabs(accel));
      off = k ? fmax(off, fabs(accel - upright[i])) : 0;
      if (!k) upright[i] = (float)accel;
      if (!k) first[i % 3] = fmax(first[i % 3], fabs(accel - gravity[i % 3]));
    }
    touch_free(&s);
  }
  test_free(upright);
  print_message("%.1f m/s2 at most, turned %.1f; %.2g apart\n", most[0], most[1], off);
  assert_true(first[2] > 1); // wind pushes, too
  assert_true(off < 1e-4 * most[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shaken_face_keeps_its_energy_within_a_hundredth),
      cmocka_unit_test(a_face_in_the_wind_ripples_and_rests),
      cmocka_unit_test(pressed_lips_rest),
      cmocka_unit_test(contact_fixes_where_flesh_ends),
      cmocka_unit_test(gravity_outlasts_rebalancing),
      cmocka_unit_test(gravity_and_wind_are_the_worlds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
