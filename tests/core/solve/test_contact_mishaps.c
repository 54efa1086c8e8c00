// Contact when something is wrong: a pair without room, starts that cross. What
// is not concerned goes on, and the artist's pose comes back when the cause goes away.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- A pair without room --------------------------------------------------------------------------

static void pose(const touch_scene *s, float *out) {
  int nshape = mien_rig_get_info(s->rig)->nshape;
  assert_true(mien_rig_pose(s->rig, s->weights, nshape, out, NULL) >= 0);
}

// The vertex that a shape moves farthest.
static int farthest(touch_scene *s, const char *name) {
  int nvert = mien_rig_get_info(s->rig)->nvert, best = 0;
  float *from = malloc(6 * (size_t)nvert * sizeof *from), *to = from + 3 * (size_t)nvert;
  pose(s, from);
  *touch_weight(s, name) = 1;
  pose(s, to);
  *touch_weight(s, name) = 0;
  double most = 0;
  for (int i = 0; i < nvert; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) d2 += pow((double)to[3 * i + k] - (double)from[3 * i + k], 2);
    if (d2 > most) most = d2, best = i;
  }
  free(from);
  assert_true(most > 4e-6); // 2 mm
  return best;
}

// m, of a vertex from the artist's pose
static double lag(const touch_scene *s, int vert) {
  float *posed = malloc(3 * (size_t)mien_rig_get_info(s->rig)->nvert * sizeof *posed);
  pose(s, posed);
  const float *at = mien_state_get_info(s->state)->positions.data;
  double d2 = 0;
  for (int k = 0; k < 3; k++) d2 += pow((double)at[3 * vert + k] - (double)posed[3 * vert + k], 2);
  free(posed);
  return sqrt(d2);
}

// Lips that projection stirs while they are pressed are soon left without a gap somewhere. The
// brows are far from them, and the artist raises them.
static void lips_without_room_do_not_stop_the_brows(void **state) {
  static const char *const pressed[] = {"mouthPressLeft", "mouthPressRight", "mouthRollUpper",
                                        "mouthRollLower"};
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  opts.energy_projection = 1;
  opts.damping = 2;
  opts.drag = 0.5;
  int brow = farthest(&s, "browInnerUp"), nlimited = 0;
  double most = 0;
  for (int frame = 0; frame < 48; frame++) {
    for (int k = 0; k < 4; k++) *touch_weight(&s, pressed[k]) = fminf(1, (float)frame / 12);
    *touch_weight(&s, "browInnerUp") = fmaxf(0, fminf(1, (float)(frame - 28) / 12));
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s), 0);
    nlimited += mien_state_get_info(s.state)->nlimited;
    if (frame > 28) most = fmax(most, lag(&s, brow));
  }
  print_message("%d motions cut short, brow up to %.2f mm from the pose\n", nlimited, 1e3 * most);
  for (int k = 0; k < 4; k++) *touch_weight(&s, pressed[k]) = 0;
  *touch_weight(&s, "jawOpen") = 0.3f;
  opts.energy_projection = 0;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  assert_true(nlimited > 10);
  assert_true(most < 1e-4);
  assert_true(is_back);
}

// -- A start that crosses -------------------------------------------------------------------------

// Contact switched on over balls one in the other: info says what was done, once.
static void a_start_that_crosses_is_resolved_and_reported(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  const mien_state_info *info = mien_state_get_info(s.state);
  mien_step_opts opts = touch_options(*state, 24);
  opts.contact = MIEN_CONTACT_OFF;
  s.weights[TOUCH_DOWN] = 0.6f;
  for (int frame = 0; frame < 4; frame++) {
    touch_step(&s, &opts);
    assert_int_equal(info->nresolved, 0);
  }
  assert_true(touch_crossings(&s) > 0);
  touch_use(*state, &opts);
  touch_step(&s, &opts);
  int nresolved = info->nresolved;
  for (int frame = 0; frame < 5; frame++) {
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s), 0);
    assert_int_equal(info->nresolved, 0);
  }
  s.weights[TOUCH_DOWN] = -1;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  print_message("%d pairs put apart\n", nresolved);
  assert_true(nresolved > 0);
  assert_true(is_back);
}

// -- No inertia -----------------------------------------------------------------------------------

// The barrier without inertia: nothing crosses, held lips come to rest, parted ones are the
// artist's.
static void quasi_static_lips_never_cross_and_rest(void **state) {
  touch_scene s = touch_balls(0.002, NULL);
  mien_step_opts opts = touch_options(*state, 24);
  opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
  opts.iterations = 20;
  float *before = calloc(3 * (size_t)mien_face_get_info(s.face)->nskin, sizeof *before);
  double moved = 0;
  int ncontact = 0;
  for (int frame = 1; frame <= 36; frame++) {
    s.weights[TOUCH_DOWN] = 0.5f * fminf(1, (float)frame / 12);
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s), 0);
    moved = touch_motion(&s, before);
    ncontact = mien_state_get_info(s.state)->ncontact;
  }
  print_message("held without inertia: %.2g um a frame, %d contacts\n", 1e6 * moved, ncontact);
  s.weights[TOUCH_DOWN] = -1;
  bool is_back = touch_comes_back(&s, &opts);
  free(before);
  touch_free(&s);
  assert_true(ncontact > 3);
  assert_true(moved < 1e-5);
  assert_true(is_back);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH(planes, lips_without_room_do_not_stop_the_brows),
      WITH(planes, a_start_that_crosses_is_resolved_and_reported),
      WITH(barrier, a_start_that_crosses_is_resolved_and_reported),
      WITH(barrier, quasi_static_lips_never_cross_and_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
