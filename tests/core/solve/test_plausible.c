// Skin where no face has it is said, with a cause that is so; what faces do is not.
#include "scenes/scene.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 16, SECTORS = 20, NVERT = (RINGS - 1) * SECTORS + 2 };

static scene_flesh build(float attachment) {
  scene_mesh mesh = scene_sphere(RINGS, SECTORS, 0.1);
  static float held[NVERT];
  for (int i = 0; i < NVERT; i++) held[i] = attachment;
  const mien_map map = {"attachment", 1, {held, NVERT, 1}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.maps = &map;
  def.nmap = 1;
  return scene_flesh_create(mesh, &def, NULL);
}

static mien_result step(scene_flesh *f, double x, const mien_step_opts *opts, mien_error *err) {
  mien_input input;
  mien_input_init(&input);
  input.head.translation[0] = x;
  return mien_step(f->state, &input, opts, err);
}

static void a_shaken_head_is_plausible(void **state) {
  (void)state;
  scene_flesh f = build(0.3f);
  mien_error err;
  for (int frame = 0; frame < 48; frame++)
    assert_int_equal(step(&f, 0.05 * sin(0.8 * frame), NULL, &err), MIEN_OK);
  const mien_state_info *info = mien_state_get_info(f.state);
  assert_true(info->max_offset > 1e-4);
  assert_int_equal(info->nimplausible, 0);
  assert_int_equal(info->implausible_vertex, -1);
  assert_int_equal(err.text[0], 0);
  scene_flesh_free(&f);
}

static void a_head_that_jumps_is_named(void **state) {
  (void)state;
  scene_flesh f = build(0.05f);
  mien_error err;
  assert_int_equal(step(&f, 40, NULL, &err), MIEN_OK); // the first step comes from nowhere
  assert_int_equal(step(&f, 80, NULL, &err), MIEN_REMARK);
  print_message("%s\n", err.text);
  const mien_state_info *info = mien_state_get_info(f.state);
  assert_non_null(strstr(err.text, "the head moves 40 m in one step"));
  assert_in_range(info->nimplausible, 1, NVERT);
  assert_in_range(info->implausible_vertex, 0, NVERT - 1);
  assert_true(info->implausible_distance > 0.04 || info->implausible_speed > 10);
  assert_int_equal(err.code, MIEN_REMARK);
  assert_int_equal(step(&f, 120, NULL, NULL), MIEN_REMARK); // no listener is needed
  scene_flesh_free(&f);
}

static void flesh_that_hangs_on_nothing_is_named(void **state) {
  (void)state;
  scene_flesh f = build(0);
  mien_error err;
  mien_result result = MIEN_OK;
  for (int frame = 0; frame < 24 && result == MIEN_OK; frame++)
    result = step(&f, 0.01 * frame * frame, NULL, &err);
  print_message("%s\n", err.text);
  assert_int_equal(result, MIEN_REMARK);
  assert_non_null(strstr(err.text, "paint attachment"));
  scene_flesh_free(&f);
}

// Far enough that float has a few centimetres between two numbers: it is said, and stays finite.
static void a_head_that_jumps_a_thousand_kilometres_is_named(void **state) {
  (void)state;
  scene_flesh f = build(0.02f);
  mien_error err;
  assert_int_equal(step(&f, 0, NULL, &err), MIEN_OK);
  assert_int_equal(step(&f, 1e6, NULL, &err), MIEN_REMARK);
  print_message("%s\n", err.text);
  assert_non_null(strstr(err.text, "the head moves 1e+06 m in one step"));
  scene_flesh_free(&f);
}

static void strong_wind_is_named(void **state) {
  (void)state;
  scene_flesh f = build(0.02f);
  mien_error err;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.gravity[1] = -2000;
  mien_result result = MIEN_OK;
  for (int frame = 0; frame < 24 && result == MIEN_OK; frame++) result = step(&f, 0, &opts, &err);
  print_message("%s\n", err.text);
  assert_int_equal(result, MIEN_REMARK);
  assert_non_null(strstr(err.text, "gravity of 2e+03 m/s2"));
  opts.gravity[1] = 0; // it comes back, and nothing more is said
  for (int frame = 0; frame < 200; frame++) result = step(&f, 0, &opts, &err);
  assert_int_equal(result, MIEN_OK);
  assert_int_equal(mien_state_get_info(f.state)->nimplausible, 0);
  scene_flesh_free(&f);
}

// Whatever a step comes to, a snapshot of it is accepted. Flesh as fast as this has no place that
// the next steps could hold.
static void what_is_far_too_large_is_forgotten(void **state) {
  (void)state;
  scene_flesh f = build(0.05f);
  mien_step_opts opts;
  mien_error err;
  mien_step_opts_init(&opts);
  opts.dt = 1e-9;
  assert_int_equal(step(&f, 0, &opts, &err), MIEN_OK);
  f.state->dynamics.velocity[0] = 2e9f;
  assert_int_equal(step(&f, 0, &opts, &err), MIEN_REMARK);
  print_message("%s\n", err.text);
  assert_non_null(strstr(err.text, "far too large; its motion was forgotten"));
  size_t size = mien_state_size(f.state);
  void *bytes = malloc(size);
  assert_int_equal(mien_state_write(f.state, bytes, size, &err), MIEN_OK);
  assert_int_equal(mien_state_read(f.state, bytes, size, &err), MIEN_OK);
  assert_int_equal(step(&f, 0, &opts, &err), MIEN_OK);
  free(bytes);
  scene_flesh_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shaken_head_is_plausible),
      cmocka_unit_test(a_head_that_jumps_is_named),
      cmocka_unit_test(a_head_that_jumps_a_thousand_kilometres_is_named),
      cmocka_unit_test(flesh_that_hangs_on_nothing_is_named),
      cmocka_unit_test(strong_wind_is_named),
      cmocka_unit_test(what_is_far_too_large_is_forgotten)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
