// The fit on points whose truth is known: the sample head in poses of its own takes, seen by a
// camera with noise, as 68 landmarks and as a mesh of 478 points; another person's proportions.
#include "seen_head.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// One expression after the other, held: what is exact comes back whole.
static void exact_points_lose_nothing(void **state) {
  (void)state;
  static const char *const held[][4] = {{"browInnerUp", "browOuterUpLeft", "browOuterUpRight"},
                                        {"browDownLeft", "browDownRight"},
                                        {"mouthSmileLeft", "mouthSmileRight"},
                                        {"mouthSmileLeft"},
                                        {"jawOpen"},
                                        {"mouthPucker"}};
  for (int k = 0; k < 12; k++) {
    seen_head h;
    mien_points points;
    open_head(&h, k % 2);
    h.shapes = held[k / 2];
    h.size = 0.8;
    mien_fit *fit = calibrated_fit(&h, REST + 30);
    see(&h, REST, &points); // truth
    double sum = 0, xx = 0;
    for (int s = 0; s < h.nshape; s++) {
      sum += (double)h.weights[s] * (double)mien_fit_get_info(fit)->weights[s];
      xx += (double)h.weights[s] * (double)h.weights[s];
    }
    printf("%s from %s comes back at %.2f\n", h.shapes[0], h.is_mesh ? "478" : "68", sum / xx);
    assert_true(sum / xx > 0.95 && sum / xx < 1.05);
    mien_fit_free(fit);
    close_head(&h);
  }
}

// Depths of the resting face are guesses. When the head turns, wrong ones must not frown.
static void a_turning_head_keeps_its_brows(void **state) {
  (void)state;
  static const char *const none[] = {NULL};
  seen_head h;
  mien_points points;
  open_head(&h, true);
  h.yaw = 0.5;
  h.flat = 0.2;
  h.shapes = none;
  mien_fit *fit = calibrated_fit(&h, REST);
  const mien_fit_info *info = mien_fit_get_info(fit);
  double most = 0, sum = 0;
  for (int f = REST; f < REST + 150; f++) {
    see(&h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
    for (int k = 0; k < h.nshape; k++) {
      sum += (double)info->weights[k] * (double)info->weights[k] / (150 * h.nshape);
      if (strstr(mien_rig_get_info(h.rig)->shapes[k].name, "brow"))
        most = fmax(most, (double)info->weights[k]);
    }
  }
  printf("turning with four fifths of the depth: brows up to %.2f, weights rms %.3f\n", most,
         sqrt(sum));
  assert_true(most < 0.45 && sqrt(sum) < 0.1);
  mien_fit_free(fit);
  close_head(&h);
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

// Every few bytes another one: refused, or a performer that can be followed.
static void damaged_calibrations_do_no_harm(void **state) {
  (void)state;
  static char bytes[64 << 10];
  seen_head h;
  mien_points points;
  mien_error err;
  open_head(&h, false);
  mien_fit *fit = calibrated_fit(&h, REST);
  assert_true(mien_fit_save(fit, "damaged.json", &err) >= 0);
  FILE *file = fopen("damaged.json", "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  remove("damaged.json");
  assert_in_range(size, 1000, sizeof bytes - 1);
  see(&h, REST + 20, &points);
  const mien_fit_info *info = mien_fit_get_info(fit);
  int nread = 0;
  for (size_t n = 0; n < size; n += 5) {
    static const char wrong[] = "9-e.,]";
    char right = bytes[n];
    bytes[n] = (char)(n % 10 ? right ^ 1 << n % 7 : wrong[n / 10 % 6]);
    nread += mi_fit_read(fit, bytes, size, &err) >= 0;
    bytes[n] = right;
    points.time += 1.0 / FPS;
    assert_true(mien_fit_frame(fit, &points, &err) >= 0);
    for (int k = 0; k < h.nshape; k++) assert_true(info->weights[k] >= 0 && info->weights[k] <= 1);
    for (int c = 0; c < 7; c++)
      assert_true(isfinite(c < 4 ? info->head.rotation[c] : info->head.translation[c - 4]));
  }
  printf("%d of %zu damaged calibrations can still be read\n", nread, size / 5);
  assert_true(nread > 0);
  assert_true(mi_fit_read(fit, bytes, size, &err) >= 0);
  // a mirror is no head
  char *at = strstr(bytes, "\"rotation\"");
  assert_non_null(at);
  char mirror[] = "\"rotation\":[-1,0,0,0,1,0,0,0,1],\"was\"", whole[sizeof bytes];
  size_t before = (size_t)(at - bytes), rest = size - before - strlen("\"rotation\"");
  memcpy(whole, bytes, before);
  memcpy(whole + before, mirror, sizeof mirror - 1);
  memcpy(whole + before + sizeof mirror - 1, at + strlen("\"rotation\""), rest);
  assert_int_equal(mi_fit_read(fit, whole, before + sizeof mirror - 1 + rest, &err),
                   MIEN_ERR_FORMAT);
  mirror[12] = ' '; // the same without the minus is read
  memcpy(whole + before, mirror, sizeof mirror - 1);
  assert_true(mi_fit_read(fit, whole, before + sizeof mirror - 1 + rest, &err) >= 0);
  mien_fit_free(fit);
  close_head(&h);
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
  assert_int_equal(mien_fit_frame(fit, &nobody, NULL), MIEN_NO_FACE);
  assert_false(info->sees_face);
  assert_true(info->weights[blink] == held);
  float before = held;
  for (int f = 0; f < 90; f++) {
    nobody.time = time + 0.5 + f / 30.0;
    assert_int_equal(mien_fit_frame(fit, &nobody, NULL), MIEN_NO_FACE);
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
  enum { NAMES = 8 };
  static const char *const names[NAMES] = {"eyeLookOutLeft",  "eyeLookInRight",  "eyeLookInLeft",
                                           "eyeLookOutRight", "eyeLookUpLeft",   "eyeLookUpRight",
                                           "eyeLookDownLeft", "eyeLookDownRight"};
  seen_head h;
  mien_points points;
  open_head(&h, true);
  h.has_iris = true;
  h.yaw = 0.5;
  h.speed = 0; // the take's first moment: at rest
  mien_fit *fit = calibrated_fit(&h, REST);
  const mien_fit_info *info = mien_fit_get_info(fit);
  int shape[NAMES];
  for (int k = 0; k < NAMES; k++) shape[k] = mien_rig_find_shape(h.rig, names[k]);
  double most = 0;
  for (int f = REST; f < REST + 150; f++) {
    see(&h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
    for (int k = 0; k < NAMES; k++) most = fmax(most, (double)info->weights[shape[k]]);
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
  h.look = 0;
  for (int up = 1; up >= -1; up -= 2) {
    int to = up > 0 ? 4 : 6, away = up > 0 ? 6 : 4;
    h.look_up = 0.1 * up;
    for (int f = REST + 170; f < REST + 190; f++) {
      see(&h, f + (up < 0 ? 20 : 0), &points);
      assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
    }
    for (int side = 0; side < 2; side++) {
      assert_true(info->weights[shape[to + side]] > 0.5f);
      assert_true(info->weights[shape[away + side]] == 0);
    }
  }
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

// How far fitted weights are behind, s: what they miss, along the motion of the true ones. The same
// moments of a take are looked at whatever the rate.
static double lag_at(int rate) {
  enum { SEEN = 150 };
  seen_head h;
  mien_fit_def def;
  mien_fit *fit;
  mien_points points;
  float before[256];
  double missed = 0, moved = 0;
  mien_fit_def_init(&def);
  def.filter = MIEN_FILTER_OFF;
  def.smoothness = 3;
  open_head(&h, false);
  h.speed = 1;
  h.rate = rate;
  assert_in_range(h.nshape, 1, 256);
  assert_true(mien_fit_create(h.rig, &def, NULL, &fit, NULL) >= 0);
  for (int f = 0; f < REST + SEEN * rate / FPS; f++) {
    see(&h, f, &points);
    assert_int_equal(mien_fit_frame(fit, &points, NULL), MIEN_OK);
    if (f < REST || (f - REST) % (rate / FPS)) continue;
    for (int k = 0; k < h.nshape && f > REST; k++) {
      double step = (double)h.weights[k] - (double)before[k];
      missed += step * ((double)h.weights[k] - (double)mien_fit_get_info(fit)->weights[k]);
      moved += step * step;
    }
    memcpy(before, h.weights, (size_t)h.nshape * sizeof *before);
  }
  mien_fit_free(fit);
  close_head(&h);
  return missed / moved / FPS;
}

// Weights are as smooth, and as late, at 60 and 120 frames a second as at 30.
// Three landmarks are taken for something else, 40 pixels away. What is far off pulls no harder
// than what is a little off: weights stay near those of a fit that saw them right.
static void mistaken_points_do_little(void **state) {
  (void)state;
  enum { BROW = 19, NOSE = 30, MOUTH = 48, LAST = REST + 30 };
  static const int mistaken[] = {BROW, NOSE, MOUTH};
  seen_head h;
  mien_points points;
  mien_error err;
  open_head(&h, false);
  float *right = test_calloc((size_t)h.nshape, sizeof *right);
  double off = 0;
  for (int wrong = 0; wrong < 2; wrong++) {
    mien_fit *fit = calibrated_fit(&h, REST);
    const mien_fit_info *info = mien_fit_get_info(fit);
    for (int f = REST; f < LAST; f++) {
      see(&h, f, &points);
      for (int k = 0; k < 3 && wrong && f >= LAST - 10; k++)
        points.point[mistaken[k]].x += k == 1 ? -40 : 40;
      assert_int_equal(mien_fit_frame(fit, &points, &err), MIEN_OK);
    }
    for (int k = 0; k < h.nshape; k++) {
      double d = (double)info->weights[k] - (double)right[k];
      off += wrong ? d * d / h.nshape : 0;
      right[k] = info->weights[k];
    }
    mien_fit_free(fit);
  }
  print_message("three points mistaken: weights off by %.3f rms\n", sqrt(off));
  test_free(right);
  close_head(&h);
  assert_true(sqrt(off) < 0.08);
}

static void smoothness_is_by_the_second(void **state) {
  (void)state;
  double at[] = {lag_at(30), lag_at(60), lag_at(120)};
  printf("weights lag by %.1f, %.1f and %.1f ms at 30, 60 and 120 frames a second\n", 1e3 * at[0],
         1e3 * at[1], 1e3 * at[2]);
  assert_true(at[0] > 0.005); // smoothness 3 does something
  for (int k = 1; k < 3; k++) assert_near(at[k], at[0], 0.05 * at[0]);
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
      cmocka_unit_test(exact_points_lose_nothing),
      cmocka_unit_test(a_turning_head_keeps_its_brows),
      cmocka_unit_test(a_calibration_can_be_kept),
      cmocka_unit_test(damaged_calibrations_do_no_harm),
      cmocka_unit_test(a_lost_face_relaxes_and_comes_back),
      cmocka_unit_test(a_turning_head_keeps_its_gaze),
      cmocka_unit_test(wrong_points_are_refused),
      cmocka_unit_test(mistaken_points_do_little),
      cmocka_unit_test(smoothness_is_by_the_second),
      cmocka_unit_test(sparsity_chooses_fewer_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
