// A user's colliders: refused when wrong; pressed into a face they dent it and let it come back;
// whatever they do, the face stays finite and recovers.
#include "scenes/touch.h"

#include "drive/substep.h"
#include "face/face.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Refused --------------------------------------------------------------------------------------

static void refuse(const mien_collider *colliders, int count, mien_result code, const char *word) {
  scene_mesh mesh = scene_sphere(8, 10, 0.05);
  mien_rig *rig = scene_rig(&mesh);
  mien_face *face = NULL;
  mien_face_def def;
  mien_error err;
  mien_face_def_init(&def);
  def.colliders = colliders;
  def.ncollider = count;
  assert_int_equal(mien_face_create(rig, &def, NULL, &face, &err), code);
  assert_null(face);
  if (!strstr(err.text, word)) fail_msg("'%s' does not say '%s'", err.text, word);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void bad_colliders_are_refused(void **state) {
  (void)state;
  float at[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const int32_t tri[3] = {0, 1, 2}, far[3] = {0, 1, 4}, negative[3] = {0, -1, 2};
  const mien_collider good = {"ok", {at, 4, 3}, {tri, 3}};
  refuse(&(mien_collider){"empty", {at, 4, 3}, {NULL, 0}}, 1, MIEN_ERR_ARGUMENT, "empty");
  refuse(&(mien_collider){"bare", {NULL, 0, 0}, {tri, 3}}, 1, MIEN_ERR_ARGUMENT, "bare");
  refuse(&(mien_collider){"pair", {at, 4, 3}, {tri, 2}}, 1, MIEN_ERR_ARGUMENT, "pair");
  refuse(&(mien_collider){"far", {at, 4, 3}, {far, 3}}, 1, MIEN_ERR_ARGUMENT, "4 of 4");
  refuse(&(mien_collider){"low", {at, 4, 3}, {negative, 3}}, 1, MIEN_ERR_ARGUMENT, "-1 of 4");
  refuse((mien_collider[2]){good, {NULL, {at, 4, 2}, {tri, 3}}}, 2, MIEN_ERR_ARGUMENT, "1");
  at[7] = NAN;
  refuse(&(mien_collider){"hot", {at, 4, 3}, {tri, 3}}, 1, MIEN_ERR_NOT_FINITE, "vertex 2");
}

// An input must know as many colliders as the face, in places that are finite.
static void bad_places_are_refused(void **state) {
  (void)state;
  scene_mesh sphere = scene_sphere(8, 10, 0.01);
  mien_collider collider = {
      "finger", {sphere.position, sphere.nvert, 3}, {sphere.tri, 3 * sphere.ntri}};
  mien_face_def def;
  mien_face_def_init(&def);
  def.colliders = &collider;
  def.ncollider = 1;
  touch_scene s = touch_ball(&def, NULL);
  mien_step_opts opts;
  mien_error err;
  mien_step_opts_init(&opts);
  opts.contact = MIEN_CONTACT_PLANE;
  mien_rigid place[2] = {{{0, 0, 0, 1}, {0, 1, 0}}, {{0, 0, 0, 1}, {0, 1, 0}}};
  s.input.colliders = place;
  s.input.ncollider = 2;
  uint64_t before = mien_state_hash(s.state);
  assert_true(mien_step(s.state, &s.input, &opts, &err) < 0);
  s.input.ncollider = 1;
  place[0].translation[1] = NAN;
  assert_true(mien_step(s.state, &s.input, &opts, &err) < 0);
  assert_non_null(strstr(err.text, "collider 0"));
  place[0].translation[1] = 1;
  place[0].rotation[3] = 0;
  assert_true(mien_step(s.state, &s.input, &opts, &err) < 0);
  assert_true(mien_state_hash(s.state) == before);
  touch_free(&s);
  scene_mesh_free(&sphere);
}

// A collider that is turned inside out is turned back: outwards is where its volume is positive.
static void orientation_does_not_matter(void **state) {
  (void)state;
  scene_mesh out = scene_sphere(8, 10, 0.01), in = scene_sphere(8, 10, 0.01);
  scene_flip(&in);
  const scene_mesh *both[2] = {&out, &in};
  for (int k = 0; k < 2; k++) {
    mien_collider collider = {
        "ball", {both[k]->position, both[k]->nvert, 3}, {both[k]->tri, 3 * both[k]->ntri}};
    mien_face_def def;
    mien_face_def_init(&def);
    def.colliders = &collider;
    def.ncollider = 1;
    touch_scene s = touch_ball(&def, NULL);
    const mi_colliders *found = &s.face->colliders;
    double volume = 0;
    for (int t = 0; t < found->ntri; t++) {
      const float *p[3];
      for (int c = 0; c < 3; c++) p[c] = found->position + 3 * found->tri[3 * t + c];
      volume += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
                p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    assert_int_equal(found->ntri, out.ntri);
    assert_true(volume > 0);
    touch_free(&s);
  }
  scene_mesh_free(&out);
  scene_mesh_free(&in);
}

// -- Pressed into flesh ---------------------------------------------------------------------------

// A ball of flesh, its upper pole at the origin, and a rigid one of 2 cm.
typedef struct finger {
  touch_scene scene;
  scene_mesh ball;
  mien_rigid place;
  mien_step_opts opts;
} finger;

static finger finger_create(void **state, bool is_degenerate) {
  finger f = {.ball = scene_sphere(12, 16, 0.01), .place = {{0, 0, 0, 1}, {0, 0.05, 0}}};
  if (is_degenerate) // every fourth triangle becomes an edge, or a point
    for (int t = 0; t < f.ball.ntri; t += 4)
      for (int c = 1; c < 3; c++) f.ball.tri[3 * t + c] = f.ball.tri[3 * t + (t % 8 ? 0 : 1)];
  mien_collider collider = {
      "finger", {f.ball.position, f.ball.nvert, 3}, {f.ball.tri, 3 * f.ball.ntri}};
  mien_face_def def;
  mien_face_def_init(&def);
  def.colliders = &collider;
  def.ncollider = 1;
  f.scene = touch_ball(&def, NULL);
  mien_step_opts_init(&f.opts);
  touch_use(*state, &f.opts);
  return f;
}

static void finger_free(finger *f) {
  touch_free(&f->scene);
  scene_mesh_free(&f->ball);
}

static void finger_step(finger *f, double x, double y) {
  f->place.translation[0] = x;
  f->place.translation[1] = y;
  f->scene.input.colliders = &f->place;
  f->scene.input.ncollider = 1;
  touch_step(&f->scene, &f->opts);
  assert_true(touch_is_finite(&f->scene));
  assert_int_equal(touch_surface_crossings(&f->scene), 0);
}

// How many skin vertices are inside the collider (its polyhedron lies within its sphere).
static int ninside(const finger *f) {
  const mien_state_info *info = mien_state_get_info(f->scene.state);
  int count = 0;
  for (int i = 0; i < mien_face_get_info(f->scene.face)->nskin; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++)
      d2 += pow((double)info->flesh.data[3 * i + k] - f->place.translation[k], 2);
    count += sqrt(d2) < 0.0095;
  }
  return count;
}

static bool recovers(finger *f) {
  for (int frame = 0; frame < 240 && !touch_is_artists(&f->scene); frame++) finger_step(f, 0, 0.5);
  if (!touch_is_artists(&f->scene))
    print_message("still %.3g mm from the pose\n",
                  1e3 * mien_state_get_info(f->scene.state)->max_offset);
  return touch_is_artists(&f->scene);
}

// In the middle of a frame a collider is half of its way there, and turned by half.
static void a_collider_moves_with_the_substeps(void **state) {
  finger f = finger_create(state, false);
  mien_state *made = f.scene.state;
  finger_step(&f, 0, 0.05);
  f.place = (mien_rigid){{0, 0, sin(0.2), cos(0.2)}, {0, 0.07, 0}};
  assert_true(mi_substep_reserve(made, &f.scene.input));
  mi_substep_begin(made);
  const mien_input *half = mi_substep_input(made, &f.scene.input, 0.5);
  assert_near(half->colliders[0].translation[1], 0.06, 1e-9);
  assert_near(half->colliders[0].rotation[2], sin(0.1), 1e-9);
  finger_free(&f);
}

static void a_finger_dents_flesh_that_comes_back(void **state) {
  finger f = finger_create(state, false);
  const mien_state_info *info = mien_state_get_info(f.scene.state);
  for (int frame = 0; frame <= 24; frame++) finger_step(&f, 0, 0.012 - 0.0003 * frame);
  for (int frame = 0; frame < 12; frame++) finger_step(&f, 0, 0.0048);
  int inside = ninside(&f), ncontact = info->ncontact; // pressed in by 5 mm
  double dent = info->max_offset;
  bool is_back = recovers(&f);
  finger_free(&f);
  assert_true(ncontact > 0);
  assert_int_equal(inside, 0);
  assert_true(dent > 3e-3 && dent < 0.02);
  assert_true(is_back);
}

static void one_that_starts_inside_is_survived(void **state) {
  finger f = finger_create(state, false);
  for (int frame = 0; frame < 24; frame++) finger_step(&f, 0, -0.005);
  assert_true(mien_state_get_info(f.scene.state)->max_offset < 0.05);
  bool is_back = recovers(&f);
  finger_free(&f);
  assert_true(is_back);
}

static void one_that_moves_a_metre_a_frame_is_survived(void **state) {
  finger f = finger_create(state, false);
  for (int frame = 0; frame < 24; frame++) finger_step(&f, frame % 2 ? 0.5 : -0.5, -0.004);
  for (int frame = 0; frame < 24; frame++) finger_step(&f, 0, frame % 2 ? 0.5 : -0.5);
  bool is_back = recovers(&f);
  finger_free(&f);
  assert_true(is_back);
}

static void triangles_without_area_are_survived(void **state) {
  finger f = finger_create(state, true);
  for (int frame = 0; frame <= 24; frame++) finger_step(&f, 0, 0.012 - 0.0003 * frame);
  assert_true(mien_state_get_info(f.scene.state)->ncontact > 0);
  bool is_back = recovers(&f);
  finger_free(&f);
  assert_true(is_back);
}

// -- A lip ----------------------------------------------------------------------------------------

// Pressed against the sample head's lower lip from the front.
static void a_finger_dents_a_lip(void **state) {
  scene_mesh ball = scene_sphere(12, 16, 0.008);
  mien_collider collider = {"finger", {ball.position, ball.nvert, 3}, {ball.tri, 3 * ball.ntri}};
  touch_scene s = touch_head("press.csv", NULL);
  const mien_face_info *face = mien_face_get_info(s.face);
  float front[3] = {0, 0, -1}; // of the lower lip
  for (int i = 0; i < face->nskin; i++) {
    const float *at = face->positions.data + 3 * i;
    if ((face->regions.data[i] & MIEN_REGION_LIP_LOWER) && at[2] > front[2])
      memcpy(front, at, sizeof front);
  }
  mien_face *with = NULL;
  mien_face_def def;
  mien_face_def_init(&def);
  def.colliders = &collider;
  def.ncollider = 1;
  assert_true(mien_face_create(s.rig, &def, NULL, &with, NULL) >= 0);
  mien_state_free(s.state);
  s.face = with; // the other is shared
  assert_int_equal(mien_state_create(with, NULL, &s.state, NULL), MIEN_OK);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  touch_use(*state, &opts);
  mien_rigid place = {{0, 0, 0, 1}, {front[0], front[1], 0}};
  s.input.colliders = &place;
  s.input.ncollider = 1;
  int64_t crossed = 0;
  for (int frame = 0; frame <= 24; frame++) { // 3 mm into it
    place.translation[2] = (double)front[2] + 0.009 - 0.004 * frame / 24;
    touch_step(&s, &opts);
    crossed += touch_crossings(&s) + touch_surface_crossings(&s);
  }
  double dent = mien_state_get_info(s.state)->max_offset;
  place.translation[2] = 1;
  for (int frame = 0; frame < 240 && !touch_is_artists(&s); frame++) touch_step(&s, &opts);
  bool is_back = touch_is_artists(&s);
  touch_free(&s);
  mien_face_free(with);
  scene_mesh_free(&ball);
  assert_int_equal(crossed, 0);
  assert_true(dent > 1e-3 && dent < 0.015);
  assert_true(is_back);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_colliders_are_refused),
      cmocka_unit_test(bad_places_are_refused),
      cmocka_unit_test(orientation_does_not_matter),
      WITH(planes, a_collider_moves_with_the_substeps),
      EVERY_WAY(a_finger_dents_flesh_that_comes_back),
      EVERY_WAY(one_that_starts_inside_is_survived),
      EVERY_WAY(one_that_moves_a_metre_a_frame_is_survived),
      EVERY_WAY(triangles_without_area_are_survived),
      EVERY_WAY(a_finger_dents_a_lip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
