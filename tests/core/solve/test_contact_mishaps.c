// Contact when something is wrong: lips that are disturbed, starts that cross, colliders inside the
// face. What is not concerned goes on, and the artist's pose comes back when the cause goes away.
#include "scenes/touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Stirred lips ---------------------------------------------------------------------------------

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

// Lips that projection stirs while they are pressed. The brows are far from them, and the artist
// raises them.
static void stirred_lips_do_not_stop_the_brows(void **state) {
  static const char *const pressed[] = {"mouthPressLeft", "mouthPressRight", "mouthRollUpper",
                                        "mouthRollLower"};
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(*state, 24);
  opts.energy_projection = 1;
  opts.damping = 2;
  opts.drag = 0.5;
  int brow = farthest(&s, "browInnerUp"), ntouching = 0;
  double most = 0;
  for (int frame = 0; frame < 48; frame++) {
    for (int k = 0; k < 4; k++) *touch_weight(&s, pressed[k]) = fminf(1, (float)frame / 12);
    *touch_weight(&s, "browInnerUp") = fmaxf(0, fminf(1, (float)(frame - 28) / 12));
    touch_step(&s, &opts);
    assert_true(touch_is_finite(&s));
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
    ntouching += mien_state_get_info(s.state)->ncontact > 5;
    if (frame > 28) most = fmax(most, lag(&s, brow));
  }
  print_message("%d frames with contact, brow up to %.2f mm from the pose\n", ntouching,
                1e3 * most);
  for (int k = 0; k < 4; k++) *touch_weight(&s, pressed[k]) = 0;
  *touch_weight(&s, "jawOpen") = 0.3f;
  opts.energy_projection = 0;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  assert_true(ntouching > 30);
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
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
    assert_int_equal(info->nresolved, 0);
  }
  s.weights[TOUCH_DOWN] = -1;
  bool is_back = touch_comes_back(&s, &opts);
  touch_free(&s);
  print_message("%d pairs put apart\n", nresolved);
  assert_true(nresolved > 0);
  assert_true(is_back);
}

// -- A collider inside the face -------------------------------------------------------------------

// The sample head and a ball of 16 mm, wherever the test puts it.
typedef struct finger {
  touch_scene scene;
  scene_mesh ball;
  mien_rigid place;
  float lip[3]; // m, the front of the lower lip in the neutral
  int vert;     // which vertex of the skin that is
} finger;

static void finger_create(finger *f) {
  *f = (finger){.ball = scene_sphere(12, 16, 0.008), .place = {{0, 0, 0, 1}, {0, 0, 1}}};
  mien_collider collider = {
      "finger", {f->ball.position, f->ball.nvert, 3}, {f->ball.tri, 3 * f->ball.ntri}};
  mien_face_def def;
  mien_face_def_init(&def);
  def.colliders = &collider;
  def.ncollider = 1;
  f->scene = touch_head_of(&def, "press.csv");
  const mien_face_info *face = mien_face_get_info(f->scene.face);
  f->lip[2] = -1;
  for (int i = 0; i < face->nskin; i++) {
    const float *at = face->positions.data + 3 * i;
    if (!(face->regions.data[i] & MIEN_REGION_LIP_LOWER) || at[2] <= f->lip[2]) continue;
    memcpy(f->lip, at, sizeof f->lip);
    f->vert = i;
  }
  f->scene.input.colliders = &f->place;
  f->scene.input.ncollider = 1;
}

// `front` (m): the ball's middle before the lip, below 0 = behind its skin.
static void finger_step(finger *f, const mien_step_opts *opts, double front) {
  for (int k = 0; k < 3; k++) f->place.translation[k] = (double)f->lip[k] + (k == 2 ? front : 0);
  touch_step(&f->scene, opts);
  assert_true(touch_is_finite(&f->scene));
  assert_int_equal(touch_surface_crossings(&f->scene), 0);
}

static void finger_free(finger *f) {
  touch_free(&f->scene);
  scene_mesh_free(&f->ball);
}

// Put into the lip from one frame to the next, while the jaw moves: contact stands down for what
// crosses it, and the lip goes where the artist wants it. When the collider is out again, so is the
// artist's pose to the bit, and the collider dents the lip as one that never was inside.
static void a_collider_put_into_the_flesh_does_not_glue(void **state) {
  finger f;
  finger_create(&f);
  const mien_state_info *info = mien_state_get_info(f.scene.state);
  mien_step_opts opts = touch_options(*state, 24);
  double most = 0;
  int ndown = 0;
  for (int frame = 0; frame < 24; frame++) {
    *touch_weight(&f.scene, "jawOpen") = 0.15f * (1 - cosf(0.5f * (float)frame));
    finger_step(&f, &opts, frame < 4 ? 0.1 : -0.002);
    ndown += touch_stood_down(&f.scene) > 0;
    if (frame < 4) assert_int_equal(touch_stood_down(&f.scene), 0);
    most = fmax(most, info->max_offset);
  }
  print_message("contact stood down in %d frames, skin up to %.2f mm from the pose\n", ndown,
                1e3 * most);
  *touch_weight(&f.scene, "jawOpen") = 0;
  int nback = 0;
  for (; nback < 48 && !(nback && touch_is_artists(&f.scene)); nback++) finger_step(&f, &opts, 0.1);
  bool is_back = touch_is_artists(&f.scene), is_up = !touch_stood_down(&f.scene);
  for (int frame = 0; frame <= 24; frame++) // 3 mm into it
    finger_step(&f, &opts, 0.009 - 0.004 * frame / 24);
  double dent = info->max_offset;
  int ncontact = info->ncontact;
  finger_free(&f);
  print_message("back after %d frames; then a dent of %.2f mm\n", nback, 1e3 * dent);
  assert_true(ndown > 0);
  assert_true(most < 0.008); // no more than what presses it aside: the ball's radius
  assert_true(is_back && is_up);
  assert_true(dent > 1e-3 && dent < 0.015 && ncontact > 0);
}

// Put into the lip of an open mouth: no place near is free, the closed mouth of the neutral is. The
// mouth stays open.
static void a_collider_put_into_an_open_mouth_does_not_shut_it(void **state) {
  finger f;
  finger_create(&f);
  mien_step_opts opts = touch_options(*state, 24);
  const mien_state_info *info = mien_state_get_info(f.scene.state);
  const mien_face_info *face = mien_face_get_info(f.scene.face);
  double most = 0;
  int ndown = 0;
  for (int frame = 1; frame <= 12; frame++) {
    *touch_weight(&f.scene, "jawOpen") = fminf(1, (float)frame / 12);
    finger_step(&f, &opts, 0.1);
  }
  const float *at = info->positions.data + 3 * (size_t)face->skin.data[f.vert];
  double opened = hypot((double)at[1] - (double)f.lip[1], (double)at[2] - (double)f.lip[2]);
  memcpy(f.lip, at, sizeof f.lip);
  for (int frame = 0; frame < 12; frame++) {
    finger_step(&f, &opts, -0.002);
    ndown += touch_stood_down(&f.scene) > 0;
    most = fmax(most, info->max_offset);
  }
  finger_free(&f);
  print_message("opened by %.1f mm; stood down in %d frames, %.2f mm from the pose\n", 1e3 * opened,
                ndown, 1e3 * most);
  assert_true(opened > 0.02);
  assert_true(ndown > 0);
  assert_true(most < 0.008); // the ball's radius
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
    assert_int_equal(touch_crossings(&s) + touch_surface_crossings(&s), 0);
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
      WITH(planes, stirred_lips_do_not_stop_the_brows),
      WITH(planes, a_start_that_crosses_is_resolved_and_reported),
      WITH(barrier, a_start_that_crosses_is_resolved_and_reported),
      WITH(planes, a_collider_put_into_the_flesh_does_not_glue),
      WITH(barrier, a_collider_put_into_the_flesh_does_not_glue),
      WITH(planes, a_collider_put_into_an_open_mouth_does_not_shut_it),
      WITH(barrier, a_collider_put_into_an_open_mouth_does_not_shut_it),
      WITH(barrier, quasi_static_lips_never_cross_and_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
