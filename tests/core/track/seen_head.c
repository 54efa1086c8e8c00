#include "seen_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double fov = 60;

static int random_skin(const mien_rig_info *rig, int i) {
  for (uint32_t k = 0;; k++) {
    const mien_part *skin = rig->parts;
    int v = (int)(mi_random_unit(3, (uint32_t)i, k) * skin->nvert);
    const float *p = rig->positions.data + 3 * (size_t)v;
    const float *nose = rig->positions.data + 3 * (size_t)rig->landmarks.data[30];
    float dx = p[0] - nose[0], dy = p[1] - nose[1];
    if (p[2] > nose[2] - 0.06f && dx * dx + dy * dy < 0.07f * 0.07f) return v;
  }
}

void open_head(seen_head *s, bool is_mesh) {
  mien_error err;
  *s = (seen_head){.is_mesh = is_mesh, .wide = 1, .speed = 3, .rate = FPS};
  mien_take *take;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &s->rig, &err) < 0)
    fail_msg("%s", err.text);
  if (mien_take_load(MIEN_SAMPLE_DIR "/reel.csv", NULL, &take, &err) < 0) fail_msg("%s", err.text);
  assert_true(mien_take_bind(take, s->rig, &s->take, NULL, &err) >= 0);
  mien_take_free(take);
  const mien_rig_info *rig = mien_rig_get_info(s->rig);
  s->nshape = rig->nshape;
  s->weights = calloc((size_t)rig->nshape, sizeof *s->weights);
  s->pose = calloc(3 * (size_t)rig->nvert, sizeof *s->pose);
  for (int i = 0; i < (is_mesh ? MI_MESH_SKIN : MI_LANDMARKS); i++) {
    int a = i, b = i;
    if (is_mesh && !mi_ring_of(i, &a, &b, &s->share[i])) {
      s->vert[i][0] = s->vert[i][1] = random_skin(rig, i);
      continue;
    }
    s->vert[i][0] = rig->landmarks.data[a];
    s->vert[i][1] = rig->landmarks.data[b];
  }
  for (int i = 0; is_mesh && i < MI_LANDMARKS; i++) {
    int at = mi_mesh_of_landmark(i);
    s->vert[at][0] = s->vert[at][1] = rig->landmarks.data[i];
  }
}

void close_head(seen_head *s) {
  free(s->weights);
  free(s->pose);
  mien_take_free(s->take);
  mien_rig_free(s->rig);
}

static double normal(uint32_t i, uint32_t j) {
  double a = 1 - mi_random_unit(5, i, 2 * j), b = mi_random_unit(5, i, 2 * j + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

// Since the face has rested, s.
static double moving_for(const seen_head *s, int frame) {
  return frame < REST ? 0 : (frame - REST) / s->rate;
}

mi_pose true_pose(const seen_head *s, int frame) {
  double dynamics = moving_for(s, frame);
  double yaw = s->yaw * sin(1.3 * dynamics), pitch = 0.4 * s->yaw * sin(0.9 * dynamics);
  mi_pose pose = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .t = {0.01, -0.02, -0.55}};
  mi_pose_move(&pose, (double[]){0, yaw, 0, 0.03 * sin(dynamics) * (s->yaw > 0), 0, 0});
  mi_pose_move(&pose, (double[]){pitch, 0, 0, 0, 0, 0});
  return pose;
}

// Irises in front of the line between an eye's corners, as they are in heads.
static void see_irises(const seen_head *s, const mi_camera *camera, const mi_pose *pose,
                       mien_points *out) {
  for (int side = 0; side < 2; side++) {
    const float *outer = s->pose + 3 * s->vert[mi_eye_corners[side][0]][0];
    const float *inner = s->pose + 3 * s->vert[mi_eye_corners[side][1]][0];
    double width = fabs((double)(inner[0] - outer[0])), x[3], uv[2];
    double p[3] = {0.5 * (double)(inner[0] + outer[0]) + s->look * width,
                   0.5 * (double)(inner[1] + outer[1]) + s->look_up * width,
                   0.5 * (double)(inner[2] + outer[2]) + 0.14 * width};
    mi_pose_apply(pose, p, x);
    assert_true(mi_camera_project(camera, x, uv, NULL));
    out->iris[side][0] = (float)uv[0];
    out->iris[side][1] = (float)uv[1];
    out->iris[side][2] = 3;
  }
}

void see(seen_head *s, int frame, mien_points *out) {
  mi_camera camera = {0.5 * WIDTH / tan(0.5 * fov * acos(-1) / 180), 0.5 * WIDTH, 0.5 * HEIGHT};
  mi_pose pose = true_pose(s, frame);
  memset(s->weights, 0, (size_t)s->nshape * sizeof *s->weights);
  for (int k = 0; s->shapes && s->shapes[k] && frame >= REST; k++) {
    int shape = mien_rig_find_shape(s->rig, s->shapes[k]);
    assert_true(shape >= 0);
    s->weights[shape] = (float)s->size;
  }
  if (!s->shapes && frame >= REST)
    mien_take_sample(s->take, mien_take_get_info(s->take)->start + s->speed * moving_for(s, frame),
                     s->weights, NULL, NULL);
  mien_rig_pose(s->rig, s->weights, s->nshape, s->pose, NULL);
  *out = (mien_points){.time = fmin(frame, REST) / (double)FPS + moving_for(s, frame),
                       .width = WIDTH,
                       .height = HEIGHT,
                       .count = s->is_mesh ? MIEN_POINTS_MESH : MIEN_POINTS_ERT,
                       .presence = 1,
                       .confidence = 1};
  for (int i = 0; i < (s->is_mesh ? MI_MESH_SKIN : MI_LANDMARKS); i++) {
    double p[3], x[3], uv[2];
    for (int c = 0; c < 3; c++)
      p[c] = (1 - s->share[i]) * (double)s->pose[3 * s->vert[i][0] + c] +
             s->share[i] * (double)s->pose[3 * s->vert[i][1] + c];
    p[0] *= s->wide;
    mi_pose_apply(&pose, p, x);
    assert_true(mi_camera_project(&camera, x, uv, NULL));
    out->point[i] = (mien_point){
        .x = (float)(uv[0] + s->noise * normal((uint32_t)frame, 2 * (uint32_t)i)),
        .y = (float)(uv[1] + s->noise * normal((uint32_t)frame, 2 * (uint32_t)i + 1)),
        .z = s->is_mesh ? (float)((1 - s->flat) * camera.focal / 0.55 * (-x[2] - 0.5)) : 0,
        .sigma = 0.5f,
        .visibility = 1};
  }
  for (int i = MI_MESH_SKIN; i < MIEN_POINTS_MOST; i++) out->point[i].sigma = 1;
  if (s->has_iris) see_irises(s, &camera, &pose, out);
}

mien_fit *calibrated_fit(seen_head *h, int nframe) {
  mien_fit *fit;
  mien_points points;
  assert_true(mien_fit_create(h->rig, NULL, NULL, &fit, NULL) >= 0);
  for (int f = 0; f < nframe; f++) {
    see(h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
  }
  assert_true(mien_fit_get_info(fit)->calibrated);
  return fit;
}
