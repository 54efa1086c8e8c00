#include "scenes/touch.h"

#include "crossings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finish(touch_scene *s, const mien_face_def *def, const mien_host *host) {
  mien_error err;
  if (mien_face_create(s->rig, def, NULL, &s->face, &err) < 0) fail_msg("%s", err.text);
  if (mien_state_create(s->face, host, &s->state, &err) < 0) fail_msg("%s", err.text);
  int nshape = mien_rig_get_info(s->rig)->nshape;
  s->weights = calloc((size_t)nshape, sizeof *s->weights);
  mien_input_init(&s->input);
  s->input.weights = (mien_f32s){s->weights, nshape, 1};
}

touch_scene touch_head(const char *take, const mien_host *host) {
  touch_scene s = {0};
  mien_error err;
  mien_take *loaded = NULL;
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", MIEN_SAMPLE_DIR, take);
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &s.rig, &err) < 0 ||
      mien_take_load(path, NULL, &loaded, &err) < 0 ||
      mien_take_bind(loaded, s.rig, &s.take, NULL, &err) < 0)
    fail_msg("%s", err.text);
  mien_take_free(loaded);
  finish(&s, NULL, host);
  return s;
}

enum { RINGS = 24, SECTORS = 32, NBALL = (RINGS - 1) * SECTORS + 2 };
static const float RADIUS = 0.05f;

touch_scene touch_balls(double gap, const mien_face_def *def, const mien_host *host) {
  touch_scene s = {0};
  scene_mesh lower = scene_sphere(RINGS, SECTORS, (double)RADIUS);
  scene_mesh upper = scene_sphere(RINGS, SECTORS, (double)RADIUS);
  for (int i = 0; i < NBALL; i++) {
    lower.position[3 * i + 1] -= RADIUS;
    upper.position[3 * i + 1] += RADIUS + (float)gap;
    upper.position[3 * i] += 0.002f; // no pole on a pole
    upper.position[3 * i + 2] += 0.0013f;
  }
  s.mesh = scene_join(&lower, &upper);
  scene_mesh_free(&lower);
  scene_mesh_free(&upper);
  static float down[6 * NBALL], aside[6 * NBALL], held[2 * NBALL], region[2 * NBALL];
  for (int i = 0; i < 2 * NBALL; i++) {
    down[3 * i + 1] = i < NBALL ? 0 : -0.01f;
    aside[3 * i] = i < NBALL ? 0 : 0.01f;
    held[i] = 0.3f;
    region[i] = MIEN_REGION_CONTACT;
  }
  const mien_shape shapes[] = {{"down", {NULL, 0}, {down, 2 * NBALL, 3}},
                               {"aside", {NULL, 0}, {aside, 2 * NBALL, 3}}};
  const mien_map maps[] = {{"attachment", 1, {held, 2 * NBALL, 1}},
                           {"region", 1, {region, 2 * NBALL, 1}}};
  mien_rig_def rig = scene_rig_def(&s.mesh);
  rig.shapes = shapes;
  rig.nshape = 2;
  rig.maps = maps;
  rig.nmap = 2;
  mien_error err;
  if (mien_rig_create(&rig, NULL, &s.rig, &err) < 0) fail_msg("%s", err.text);
  finish(&s, def, host);
  return s;
}

void touch_free(touch_scene *s) {
  mien_state_free(s->state);
  mien_face_free(s->face);
  mien_take_free(s->take);
  mien_rig_free(s->rig);
  scene_mesh_free(&s->mesh);
  free(s->weights);
  *s = (touch_scene){0};
}

void touch_pose(touch_scene *s, double time) {
  mien_take_sample(s->take, time, s->weights, NULL, NULL);
}

void touch_step(touch_scene *s, const mien_step_opts *opts) {
  mien_error err;
  if (mien_step(s->state, &s->input, opts, &err) < 0) fail_msg("%s", err.text);
}

void touch_move_to_new_state(touch_scene *s, const mien_host *host) {
  size_t size = mien_state_size(s->state);
  void *bytes = malloc(size);
  assert_int_equal(mien_state_save(s->state, bytes, size, NULL), MIEN_OK);
  mien_state_free(s->state);
  assert_int_equal(mien_state_create(s->face, host, &s->state, NULL), MIEN_OK);
  assert_int_equal(mien_state_restore(s->state, bytes, size, NULL), MIEN_OK);
  free(bytes);
}

int64_t touch_crossings(const touch_scene *s) {
  const mien_face_info *face = mien_face_get_info(s->face);
  crossings_mesh mesh = {mien_state_get_info(s->state)->flesh.data, face->skin_triangles.data,
                         face->skin_triangles.count / 3, face->positions.data};
  crossings found = crossings_within(&mesh);
  assert_true(found.count >= 0);
  return found.count;
}

bool touch_is_finite(const touch_scene *s) {
  const mien_state_info *info = mien_state_get_info(s->state);
  for (int i = 0; i < 3 * info->flesh.count; i++)
    if (!isfinite(info->flesh.data[i])) return false;
  return isfinite(info->energy);
}

double touch_motion(const touch_scene *s, float *before) {
  const float *now = mien_state_get_info(s->state)->flesh.data;
  int nskin = mien_face_get_info(s->face)->nskin;
  double most = 0;
  for (int i = 0; i < nskin; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++)
      d2 += ((double)now[3 * i + k] - before[3 * i + k]) *
            ((double)now[3 * i + k] - before[3 * i + k]);
    most = fmax(most, d2);
  }
  memcpy(before, now, 3 * (size_t)nskin * sizeof *before);
  return sqrt(most);
}

bool touch_is_artists(const touch_scene *s) {
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  float *posed = malloc(3 * (size_t)rig->nvert * sizeof *posed);
  mien_rig_pose(s->rig, s->weights, rig->nshape, posed, NULL);
  bool same = !memcmp(posed, mien_state_get_info(s->state)->positions.data,
                      3 * (size_t)rig->nvert * sizeof *posed);
  free(posed);
  return same;
}
