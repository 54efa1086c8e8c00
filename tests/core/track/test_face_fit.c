// The fit on points whose truth is known: the sample head in poses of its own takes, seen by a
// camera with noise, as 68 landmarks and as a mesh of 478 points; another person's proportions.
#include "scenes/scene.h"
#include "track/face_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 480, FPS = 30, REST = 40, NFRAME = 500 };
static const double fov = 60;

typedef struct seen_head {
  mien_rig *rig;
  mien_take *take;
  int nshape;
  bool is_mesh;
  int vert[MIEN_POINTS_MOST][2]; // rig vertices of a point, and the share of the second
  double share[MIEN_POINTS_MOST];
  float *weights, *pose;
  double wide; // the performer's face is that much wider than the rig's
  double noise;
  double yaw;   // rad, the head turns by so much either way
  double speed; // of the take
  bool has_iris;
  double look; // irises to the subject's left, in widths of the eye
} seen_head;

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

static void open_head(seen_head *s, bool is_mesh) {
  mien_error err;
  *s = (seen_head){.is_mesh = is_mesh, .wide = 1, .speed = 3};
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

static void close_head(seen_head *s) {
  free(s->weights);
  free(s->pose);
  mien_take_free(s->take);
  mien_rig_free(s->rig);
}

static double normal(uint32_t i, uint32_t j) {
  double a = 1 - mi_random_unit(5, i, 2 * j), b = mi_random_unit(5, i, 2 * j + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

static mi_pose true_pose(const seen_head *s, int frame) {
  double moving = frame < REST ? 0 : (frame - REST) / (double)FPS;
  double yaw = s->yaw * sin(1.3 * moving), pitch = 0.4 * s->yaw * sin(0.9 * moving);
  mi_pose pose = {.r = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .t = {0.01, -0.02, -0.55}};
  mi_pose_move(&pose, (double[]){0, yaw, 0, 0.03 * sin(moving) * (s->yaw > 0), 0, 0});
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
                   0.5 * (double)(inner[1] + outer[1]),
                   0.5 * (double)(inner[2] + outer[2]) + 0.14 * width};
    mi_pose_apply(pose, p, x);
    assert_true(mi_camera_project(camera, x, uv, NULL));
    out->iris[side][0] = (float)uv[0];
    out->iris[side][1] = (float)uv[1];
    out->iris[side][2] = 3;
  }
}

// What a tracker would say of frame `frame`; the face rests in the first ones.
static void see(seen_head *s, int frame, mien_points *out) {
  mi_camera camera = {0.5 * WIDTH / tan(0.5 * fov * acos(-1) / 180), 0.5 * WIDTH, 0.5 * HEIGHT};
  mi_pose pose = true_pose(s, frame);
  memset(s->weights, 0, (size_t)s->nshape * sizeof *s->weights);
  if (frame >= REST)
    mien_take_sample(s->take,
                     mien_take_get_info(s->take)->start + s->speed * (frame - REST) / (double)FPS,
                     s->weights, NULL, NULL);
  mien_rig_pose(s->rig, s->weights, s->nshape, s->pose, NULL);
  *out = (mien_points){.time = frame / (double)FPS,
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
    out->point[i] =
        (mien_point){.x = (float)(uv[0] + s->noise * normal((uint32_t)frame, 2 * (uint32_t)i)),
                     .y = (float)(uv[1] + s->noise * normal((uint32_t)frame, 2 * (uint32_t)i + 1)),
                     .z = s->is_mesh ? (float)(camera.focal / 0.55 * (-x[2] - 0.5)) : 0,
                     .sigma = 0.5f,
                     .visibility = 1};
  }
  for (int i = MI_MESH_SKIN; i < MIEN_POINTS_MOST; i++) out->point[i].sigma = 1;
  if (s->has_iris) see_irises(s, &camera, &pose, out);
}

typedef struct report {
  double rms, worst_jaw, angle, gain_smile, gain_brow, gain_jaw, gain_blink, microseconds;
} report;

// Slope of the fitted against the true weight over a take: 1 = as large as it was.
typedef struct slope {
  int shape;
  double sum_xy, sum_xx;
} slope;

static void follow(slope *s, const seen_head *h, const mien_fit_info *info) {
  double x = (double)h->weights[s->shape], y = (double)info->weights[s->shape];
  s->sum_xy += x * y;
  s->sum_xx += x * x;
}

static report run(seen_head *h, const mien_fit_def *def, int nframe) {
  mien_error err;
  mien_fit *fit;
  mien_points points;
  report r = {0};
  int n = 0;
  static const char *const names[] = {"mouthSmileLeft", "browInnerUp", "jawOpen", "eyeBlinkLeft"};
  slope s[4] = {{0}};
  for (int k = 0; k < 4; k++) s[k].shape = mien_rig_find_shape(h->rig, names[k]);
  if (mien_fit_create(h->rig, def, NULL, &fit, &err) < 0) fail_msg("%s", err.text);
  const mien_fit_info *info = mien_fit_get_info(fit);
  for (int f = 0; f < nframe; f++) {
    see(h, f, &points);
    mien_result result = mien_fit_frame(fit, &points, &err);
    if (result < 0) fail_msg("frame %d: %s", f, err.text);
    assert_int_equal(result, MIEN_OK);
    if (f < REST) continue;
    assert_true(info->calibrated);
    mi_pose truth = true_pose(h, f), start = true_pose(h, 0);
    mien_rigid turned = mi_pose_rigid(&truth);
    assert_true(start.r[0] == 1); // so that the head shown is the head seen
    double dot = 0;
    for (int c = 0; c < 4; c++) dot += turned.rotation[c] * info->head.rotation[c];
    r.angle = fmax(r.angle, 2 * acos(fmin(1, fabs(dot))));
    for (int k = 0; k < h->nshape; k++) {
      double d = (double)info->weights[k] - (double)h->weights[k];
      r.rms += d * d;
      n++;
    }
    for (int k = 0; k < 4; k++) follow(s + k, h, info);
    r.microseconds += 1e6 * info->seconds / (nframe - REST);
  }
  r.rms = sqrt(r.rms / n);
  double *gain[] = {&r.gain_smile, &r.gain_brow, &r.gain_jaw, &r.gain_blink};
  for (int k = 0; k < 4; k++) *gain[k] = s[k].sum_xy / s[k].sum_xx;
  printf("%s noise %.1f px, width %.2f, turns %.0f deg: weights rms %.3f, head %.2f deg, gains "
         "smile %.2f brow %.2f jaw %.2f blink %.2f; %.0f us a frame\n",
         h->is_mesh ? "478" : "68", h->noise, h->wide, h->yaw * 57.3, r.rms, r.angle * 57.3,
         r.gain_smile, r.gain_brow, r.gain_jaw, r.gain_blink, r.microseconds);
  mien_fit_free(fit);
  return r;
}

static void expect(const report *r, double rms, double degrees, double gain) {
  assert_true(r->rms < rms);
  assert_true(r->angle * 57.3 < degrees);
  assert_true(r->gain_smile > gain && r->gain_smile < 2 - gain);
  assert_true(r->gain_brow > gain && r->gain_brow < 2 - gain);
  assert_true(r->gain_jaw > gain && r->gain_jaw < 2 - gain);
  assert_true(r->gain_blink > gain && r->gain_blink < 2 - gain);
}

static void known_points_give_known_weights(void **state) {
  (void)state;
  for (int mesh = 0; mesh < 2; mesh++) {
    seen_head h;
    mien_fit_def def;
    mien_fit_def_init(&def);
    def.filter = MIEN_FILTER_OFF;
    open_head(&h, mesh);
    report still = run(&h, &def, REST + NFRAME);
    h.yaw = 0.5;
    report turning = run(&h, &def, REST + NFRAME);
    h.noise = 0.5;
    h.wide = 1.08;
    mien_fit_def_init(&def);
    report other = run(&h, &def, REST + NFRAME);
    expect(&still, 0.08, 2, 0.85);
    expect(&turning, 0.09, 3, 0.85);
    expect(&other, 0.1, 4, 0.8);
    close_head(&h);
  }
}

static mien_fit *calibrated_fit(seen_head *h, int nframe) {
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

// Tomorrow the same performer starts at once, with the same weights.
static void a_calibration_can_be_kept(void **state) {
  (void)state;
  static const char *const path = "performer.json";
  for (int mesh = 0; mesh < 2; mesh++) {
    seen_head h;
    mien_points points;
    mien_fit *later;
    mien_error err;
    open_head(&h, mesh);
    mien_fit *fit = calibrated_fit(&h, REST);
    assert_true(mien_fit_save(fit, path, &err) >= 0);
    assert_true(mien_fit_create(h.rig, NULL, NULL, &later, NULL) >= 0);
    assert_true(mien_fit_save(later, "nothing.json", &err) < 0);
    if (mien_fit_load(later, path, &err) < 0) fail_msg("%s", err.text);
    const mien_fit_info *a = mien_fit_get_info(fit), *b = mien_fit_get_info(later);
    for (int f = REST; f < REST + 30; f++) {
      see(&h, f, &points);
      assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
      assert_int_equal(mien_fit_frame(later, &points, NULL), MIEN_OK);
    }
    for (int k = 0; k < h.nshape; k++) assert_near(a->weights[k], b->weights[k], 0.02);
    for (int c = 0; c < 3; c++) assert_near(a->head.translation[c], b->head.translation[c], 5e-4);
    // damaged, or of another rig: refused, and the fit goes on as it was
    static const char *const bad[] = {"", "{", "[]", "{\"mien_calibration\":1}",
                                      "{\"mien_calibration\":1,\"rig\":\"0\",\"source\":68}"};
    for (int i = 0; i < 5; i++) assert_true(mi_fit_read(later, bad[i], strlen(bad[i]), &err) < 0);
    see(&h, REST + 30, &points);
    assert_int_equal(mien_fit_frame(later, &points, NULL), MIEN_OK);
    remove(path);
    mien_fit_free(fit);
    mien_fit_free(later);
    close_head(&h);
  }
}

// A face that leaves: the expression stays for a moment, relaxes, and is taken up again.
static void a_lost_face_relaxes_and_comes_back(void **state) {
  (void)state;
  seen_head h;
  mien_points points;
  open_head(&h, true);
  mien_fit *fit = calibrated_fit(&h, REST + 10); // eyes shut by then
  const mien_fit_info *info = mien_fit_get_info(fit);
  int blink = mien_rig_find_shape(h.rig, "eyeBlinkLeft");
  float held = info->weights[blink];
  assert_true(held > 0.5f && info->sees_face);
  double time = info->time;
  mien_points nobody = {.time = time + 0.1, .width = WIDTH, .height = HEIGHT};
  assert_int_equal(mien_fit_frame(fit, &nobody, NULL), MIEN_REMARK);
  assert_false(info->sees_face);
  assert_true(info->weights[blink] == held);
  float before = held;
  for (int f = 0; f < 90; f++) {
    nobody.time = time + 0.5 + f / 30.0;
    assert_int_equal(mien_fit_frame(fit, &nobody, NULL), MIEN_REMARK);
    assert_true(info->weights[blink] <= before);
    before = info->weights[blink];
  }
  assert_true(before < 0.02f);
  see(&h, REST + 9, &points);
  for (int f = 0; f < 8; f++) {
    points.time = nobody.time + (f + 1) / 30.0;
    points.is_new = f == 0;
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
  }
  assert_true(info->sees_face && info->weights[blink] > 0.5f);
  mien_fit_free(fit);
  close_head(&h);
}

// A head that turns does not look elsewhere; eyes that do look there together.
static void a_turning_head_keeps_its_gaze(void **state) {
  (void)state;
  static const char *const names[] = {"eyeLookOutLeft",  "eyeLookInRight", "eyeLookInLeft",
                                      "eyeLookOutRight", "eyeLookUpLeft",  "eyeLookDownLeft"};
  seen_head h;
  mien_points points;
  open_head(&h, true);
  h.has_iris = true;
  h.yaw = 0.5;
  h.speed = 0; // the take's first moment: at rest
  mien_fit *fit = calibrated_fit(&h, REST);
  const mien_fit_info *info = mien_fit_get_info(fit);
  int shape[6];
  for (int k = 0; k < 6; k++) shape[k] = mien_rig_find_shape(h.rig, names[k]);
  double most = 0;
  for (int f = REST; f < REST + 150; f++) {
    see(&h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
    for (int k = 0; k < 6; k++) most = fmax(most, (double)info->weights[shape[k]]);
  }
  printf("turning by 29 degrees moves the gaze by %.3f\n", most);
  assert_true(most < 0.12);
  h.look = 0.15;
  for (int f = REST + 150; f < REST + 170; f++) {
    see(&h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
  }
  assert_true(info->weights[shape[0]] > 0.5f && info->weights[shape[1]] > 0.5f);
  assert_true(info->weights[shape[2]] == 0 && info->weights[shape[3]] == 0);
  mien_fit_free(fit);
  close_head(&h);
}

static void wrong_points_are_refused(void **state) {
  (void)state;
  seen_head h;
  mien_points points;
  mien_error err;
  open_head(&h, false);
  mien_fit *fit = calibrated_fit(&h, REST);
  const mien_fit_info *info = mien_fit_get_info(fit);
  int64_t nframe = info->nframe;
  see(&h, REST, &points);
  points.point[3].x = NAN;
  assert_int_equal(mien_fit_frame(fit, &points, &err), MIEN_ERR_NOT_FINITE);
  see(&h, REST, &points);
  points.count = 77;
  assert_int_equal(mien_fit_frame(fit, &points, &err), MIEN_ERR_ARGUMENT);
  see(&h, REST, &points);
  points.width = 0;
  assert_int_equal(mien_fit_frame(fit, &points, &err), MIEN_ERR_ARGUMENT);
  see(&h, REST, &points);
  points.time = INFINITY;
  assert_int_equal(mien_fit_frame(fit, &points, &err), MIEN_ERR_NOT_FINITE);
  assert_int_equal(info->nframe, nframe);
  assert_int_equal(mien_fit_frame(NULL, &points, &err), MIEN_ERR_ARGUMENT);
  // all points in one place: no face, but no nonsense either
  see(&h, REST, &points);
  for (int i = 0; i < MI_LANDMARKS; i++) points.point[i].x = points.point[i].y = 100;
  mien_fit_frame(fit, &points, &err);
  for (int k = 0; k < h.nshape; k++) assert_true(info->weights[k] >= 0 && info->weights[k] <= 1);
  for (int c = 0; c < 4; c++) assert_true(isfinite(info->head.rotation[c]));
  mien_fit_def def;
  mien_fit_def_init(&def);
  def.field_of_view = 500;
  mien_fit *none = NULL;
  assert_int_equal(mien_fit_create(h.rig, &def, NULL, &none, &err), MIEN_ERR_OPTIONS);
  assert_null(none);
  mien_fit_free(fit);
  mien_fit_free(NULL);
  close_head(&h);
}

// l1: fewer weights for nearly the same fit
static void sparsity_chooses_fewer_shapes(void **state) {
  (void)state;
  seen_head h;
  open_head(&h, true);
  h.noise = 0.5;
  int nactive[2] = {0};
  double rms[2] = {0};
  for (int l1 = 0; l1 < 2; l1++) {
    mien_fit_def def;
    mien_fit *fit;
    mien_points points;
    mien_fit_def_init(&def);
    def.sparsity = l1 ? 10 : 0;
    assert_true(mien_fit_create(h.rig, &def, NULL, &fit, NULL) >= 0);
    for (int f = 0; f < REST + 100; f++) {
      see(&h, f, &points);
      assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
      if (f < REST) continue;
      nactive[l1] += mien_fit_get_info(fit)->nactive;
      rms[l1] += mien_fit_get_info(fit)->rms;
    }
    mien_fit_free(fit);
  }
  assert_true(nactive[1] < 0.8 * nactive[0]);
  assert_true(rms[1] < 1.1 * rms[0]);
  close_head(&h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_points_give_known_weights),
      cmocka_unit_test(a_calibration_can_be_kept),
      cmocka_unit_test(a_lost_face_relaxes_and_comes_back),
      cmocka_unit_test(a_turning_head_keeps_its_gaze),
      cmocka_unit_test(wrong_points_are_refused),
      cmocka_unit_test(sparsity_chooses_fewer_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
