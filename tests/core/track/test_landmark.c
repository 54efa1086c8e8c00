// Losing and finding a face, with a seer of the test's own: what the networks say is made up, what
// is done with it is not. Also the pieces around: crops, regions, the public functions' checks.
#include "scenes/scene.h"
#include "track/landmark.h"
#include "track/landmark_crop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- A world with faces in it ---------------------------------------------------------------------

typedef struct world {
  mi_face_box face[4]; // what is really there
  int nface;
  int nfind, nlocate; // how often it was asked
} world;

static int find(void *self, const mien_image *image, mi_face_box face[MI_DETECT_MOST]) {
  world *w = self;
  (void)image;
  w->nfind++;
  memcpy(face, w->face, (size_t)w->nface * sizeof *face);
  return w->nface;
}

// Points of the face nearest to the box, which is one when it overlaps the box enough.
static void look(void *self, const mien_image *image, const mi_face_box *box, mien_points *points) {
  world *w = self;
  (void)image;
  w->nlocate++;
  const mi_face_box *best = NULL;
  float nearest = INFINITY;
  for (int i = 0; i < w->nface; i++) {
    float d = hypotf(w->face[i].x - box->x, w->face[i].y - box->y);
    if (d < nearest) nearest = d, best = &w->face[i];
  }
  points->count = MIEN_POINTS_MESH;
  points->presence = best && nearest < 0.3f * best->side ? 0.95f : 0.05f;
  mi_face_box at = best ? *best : *box;
  for (int i = 0; i < MIEN_POINTS_MESH; i++) {
    float u = (float)(i % 20) / 19 - 0.5f, v = (float)(i / 20) / 23 - 0.5f;
    points->point[i].x = at.x + u * at.side / 1.5f;
    points->point[i].y = at.y + v * at.side / 1.5f;
  }
  const struct {
    int index;
    float u, v;
  } named[] = {{33, -0.2f, -0.1f}, {263, 0.2f, -0.1f}, {61, -0.1f, 0.15f}, {291, 0.1f, 0.15f}};
  for (int i = 0; i < 4; i++) {
    points->point[named[i].index].x = at.x + named[i].u * at.side;
    points->point[named[i].index].y = at.y + named[i].v * at.side;
  }
}

static mi_seer seer_of(world *w) {
  return (mi_seer){w, find, look, mi_region_mesh, 0.015f};
}

static const mien_image blank = {.width = 640, .height = 480, .nchannel = 3};

static mien_points see(mi_follow *follow, world *w) {
  static mien_points points;
  mi_seer seer = seer_of(w);
  mi_follow_face(follow, &seer, &blank, &points);
  return points;
}

static void a_face_is_found_once_and_then_followed(void **state) {
  (void)state;
  world w = {.face = {{300, 200, 180, 0, 1}}, .nface = 1};
  mi_follow follow = {0};
  mien_points p = see(&follow, &w);
  assert_int_equal(p.count, MIEN_POINTS_MESH);
  assert_int_equal(p.is_new, 1);
  float first = p.confidence;
  for (int i = 0; i < 50; i++) {
    w.face[0].x += 3; // less than what would be lost
    p = see(&follow, &w);
    assert_int_equal(p.count, MIEN_POINTS_MESH);
    assert_int_equal(p.is_new, 0);
  }
  assert_int_equal(w.nfind, 1);
  assert_true(p.confidence > first && p.confidence > 0.9f);
}

static void no_face(void **state) {
  (void)state;
  world w = {.nface = 0};
  mi_follow follow = {0};
  for (int i = 1; i <= 20; i++) {
    mien_points p = see(&follow, &w);
    assert_int_equal(p.count, 0);
    assert_int_equal(p.missed, i);
    assert_near(p.confidence, 0, 1e-9);
  }
}

static void a_face_leaves_and_comes_back(void **state) {
  (void)state;
  world w = {.face = {{300, 200, 180, 0, 1}}, .nface = 1};
  mi_follow follow = {0};
  for (int i = 0; i < 10; i++) see(&follow, &w);
  w.nface = 0;
  float before = 1;
  for (int i = 0; i < 10; i++) {
    mien_points p = see(&follow, &w);
    assert_int_equal(p.count, 0);
    assert_true(p.confidence < before); // sinks, not falls
    before = p.confidence;
  }
  w.nface = 1;
  mien_points p = see(&follow, &w);
  assert_int_equal(p.count, MIEN_POINTS_MESH);
  assert_int_equal(p.is_new, 1);
  assert_int_equal(p.missed, 0);
}

static void a_jump_is_found_in_the_same_frame(void **state) {
  (void)state;
  world w = {.face = {{150, 150, 120, 0, 1}}, .nface = 1};
  mi_follow follow = {0};
  see(&follow, &w);
  w.face[0].x = 500;
  mien_points p = see(&follow, &w);
  assert_int_equal(p.count, MIEN_POINTS_MESH);
  assert_int_equal(p.is_new, 1);
}

static void the_largest_the_chosen_the_one_it_was(void **state) {
  (void)state;
  world w = {.face = {{120, 200, 100, 0, 1}, {320, 200, 200, 0, 1}, {540, 200, 150, 0, 1}},
             .nface = 3};
  mi_follow largest = {0}, chosen = {.is_chosen = true, .near_x = 0.9f, .near_y = 0.4f};
  see(&largest, &w);
  assert_near(largest.box.x, 320, 8);
  see(&chosen, &w);
  assert_near(chosen.box.x, 540, 8);
  // lost for a moment, it is not swapped for a larger one
  world without = {.face = {w.face[0], w.face[1]}, .nface = 2};
  without.face[0].x = without.face[1].x = 2000; // nowhere to be looked at
  see(&chosen, &without);
  chosen.box.side = 0;
  see(&chosen, &w);
  assert_near(chosen.box.x, 540, 8);
}

static void what_is_no_face_after_all(void **state) {
  (void)state;
  // the detector is mistaken: where it points, the network sees nothing
  world w = {.face = {{300, 200, 180, 0, 1}}, .nface = 1};
  mi_follow follow = {0};
  mi_seer seer = seer_of(&w);
  mien_points p;
  see(&follow, &w);
  w.face[0].x = -500; // outside the picture
  mi_follow_face(&follow, &seer, &blank, &p);
  assert_int_equal(p.count, 0);
  // points turned upside down are no face either
  look(&w, &blank, &w.face[0], &p);
  p.width = 640, p.height = 480;
  for (int i = 0; i < p.count; i++) p.point[i].y = 480 - p.point[i].y, p.point[i].x += 800;
  assert_near(mi_region_mesh(&p).side, 0, 0);
}

static void a_still_face_keeps_its_box(void **state) {
  (void)state;
  world w = {.face = {{300, 200, 180, 0, 1}}, .nface = 1};
  mi_follow follow = {0};
  see(&follow, &w);
  see(&follow, &w);
  mi_face_box before = follow.box;
  for (int i = 0; i < 20; i++) {
    w.face[0].x = 300 + (float)(i % 2); // less than the dead band
    see(&follow, &w);
    assert_memory_equal(&before, &follow.box, sizeof before);
  }
}

// -- Crops ----------------------------------------------------------------------------------------

static void crops_sample_what_is_there(void **state) {
  (void)state;
  enum { W = 40, H = 30 };
  uint8_t pixels[H * 128];
  mien_image image = {pixels, W, H, 128, 3, 0};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      pixels[128 * y + 3 * x] = (uint8_t)(5 * x);
      pixels[128 * y + 3 * x + 1] = (uint8_t)(7 * y);
      pixels[128 * y + 3 * x + 2] = 100;
    }
  // a turned square inside: planes are sampled exactly
  mi_crop crop = mi_crop_square(20, 15, 14, 0.4f, 16);
  float rgb[16 * 16 * 3];
  mi_crop_sample(&crop, &image, rgb);
  for (int v = 0; v < 16; v++)
    for (int u = 0; u < 16; u++) {
      double s = ((double)u + 0.5 - 8) * 14 / 16, t = ((double)v + 0.5 - 8) * 14 / 16;
      double x = 20 + cos(0.4) * s - sin(0.4) * t, y = 15 + sin(0.4) * s + cos(0.4) * t;
      const float *at = rgb + 3 * (16 * v + u);
      assert_near(at[0], 5 * (x - 0.5) / 255, 1e-4);
      assert_near(at[1], 7 * (y - 0.5) / 255, 1e-4);
      assert_near(at[2], 100.0 / 255, 1e-5);
    }
  // far outside: the edge goes on, or it is black
  crop = mi_crop_square(-1e6f, 1e6f, 50, 0, 16);
  mi_crop_sample(&crop, &image, rgb);
  assert_near(rgb[1], 7 * (H - 1) / 255.0, 1e-5);
  crop.is_black_around = true;
  mi_crop_sample(&crop, &image, rgb);
  assert_near(rgb[1], 0, 0);
}

// -- The public functions -------------------------------------------------------------------------

static void wrong_arguments(void **state) {
  (void)state;
  mien_tracker_def opts;
  mien_tracker *tracker = NULL;
  mien_error err;
  mien_tracker_def_init(&opts);
  opts.models = "/nowhere";
  assert_int_equal(mien_tracker_create(&opts, NULL, &tracker, &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "mien models install"));
  opts.kind = MIEN_TRACKER_ERT;
  assert_int_equal(mien_tracker_create(&opts, NULL, &tracker, &err), MIEN_ERR_OPTIONS);
  opts.kind = (mien_tracker_kind)9;
  assert_int_equal(mien_tracker_create(&opts, NULL, &tracker, &err), MIEN_ERR_OPTIONS);
  mien_tracker_def_init(&opts);
  opts.is_chosen = 1;
  opts.near_x = NAN;
  assert_int_equal(mien_tracker_create(&opts, NULL, &tracker, &err), MIEN_ERR_OPTIONS);
  opts.struct_size = 3;
  assert_int_equal(mien_tracker_create(&opts, NULL, &tracker, &err), MIEN_ERR_OPTIONS);
  assert_int_equal(mien_tracker_see(NULL, &blank, NULL, &err), MIEN_ERR_ARGUMENT);
  assert_null(tracker);
  mien_tracker_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_face_is_found_once_and_then_followed),
                                     cmocka_unit_test(no_face),
                                     cmocka_unit_test(a_face_leaves_and_comes_back),
                                     cmocka_unit_test(a_jump_is_found_in_the_same_frame),
                                     cmocka_unit_test(the_largest_the_chosen_the_one_it_was),
                                     cmocka_unit_test(what_is_no_face_after_all),
                                     cmocka_unit_test(a_still_face_keeps_its_box),
                                     cmocka_unit_test(crops_sample_what_is_there),
                                     cmocka_unit_test(wrong_arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
