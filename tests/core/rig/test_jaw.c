// The jaw-open shape, its hinge and the weights, and the rotation fit behind them.
#include "rig/finding.h"
#include "scenes/found.h"
#include "scenes/mouth_patch.h"
#include "scenes/scene.h"

#include <stdlib.h>

static const mouth_patch_options PATCH = {.nround = 48, .noutside = 20, .ninside = 12, .gap = 1e-3};

static void assert_hinge(const mouth_patch *patch, const mien_jaw *jaw, double within) {
  assert_true(jaw->is_known);
  assert_near(jaw->axis[0], 1, 1e-3);
  assert_near(jaw->hinge[1], patch->hinge[1], within);
  assert_near(jaw->hinge[2], patch->hinge[2], within);
  assert_near(jaw->open_angle, patch->open_angle, 0.01);
}

static void the_hinge_is_found_whatever_the_shape_is_called(void **state) {
  (void)state;
  static const char *const name[] = {"jawOpen",   "Jaw_Open",  "face.jaw_drop",
                                     "mouthOpen", "viseme_aa", "K_017"};
  for (int k = 0; k < 6; k++) {
    mouth_patch_options options = PATCH;
    mouth_patch patch;
    found f;
    options.opener = name[k];
    assert_true(mouth_patch_create(&options, &patch));
    found_make(patch.rig, &f);
    assert_int_equal(f.regions.jaw_shape, 0);
    assert_hinge(&patch, &f.regions.jaw_hinge, 2e-3);
    assert_int_equal(found_says(&f, "for how it moves"), k == 5);
    found_free(&f);
    mouth_patch_free(&patch);
  }
}

static void weights_follow_the_motion(void **state) {
  (void)state;
  mouth_patch patch;
  found f;
  assert_true(mouth_patch_create(&PATCH, &patch));
  found_make(patch.rig, &f);
  for (int i = 0; i < f.skin.nvert; i++) {
    if (patch.round[i] > 0.2f) assert_true(f.regions.jaw[i] < 0.05f);
    bool is_chin = patch.round[i] < -0.9f && patch.along[i] > 0 && patch.along[i] < 0.05f;
    if (is_chin) assert_true(f.regions.jaw[i] > 0.85f);
  }
  found_free(&f);
  mouth_patch_free(&patch);
}

static void a_painted_map_and_a_given_hinge_win(void **state) {
  (void)state;
  mouth_patch plain, patch;
  found f;
  assert_true(mouth_patch_create(&PATCH, &plain));
  float *paint = malloc((size_t)plain.nvert * sizeof *paint);
  assert_non_null(paint);
  for (int i = 0; i < plain.nvert; i++) paint[i] = i % 2 ? 7.0f : -1.0f; // clamped to 1 and 0
  mien_map map = {"jaw", 1, {paint, plain.nvert, 1}};
  mouth_patch_options options = PATCH;
  options.maps = &map;
  options.nmap = 1;
  assert_true(mouth_patch_create(&options, &patch));
  patch.rig->info.jaw = (mien_jaw){1, {0, 0.5f, 0}, {1, 0, 0}, 0.25f};
  found_make(patch.rig, &f);
  for (int i = 0; i < f.skin.nvert; i++) assert_near(f.regions.jaw[i], f.skin.vert[i] % 2, 0);
  assert_near(f.regions.jaw_hinge.hinge[1], 0.5, 0);
  assert_near(f.regions.jaw_hinge.open_angle, 0.25, 0);
  found_free(&f);
  mouth_patch_free(&patch);
  mouth_patch_free(&plain);
  free(paint);
}

static void no_shape_no_jaw(void **state) {
  (void)state;
  mouth_patch_options options = PATCH;
  mouth_patch patch;
  found f;
  options.leave_shapes = true;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  assert_int_equal(f.regions.jaw_shape, -1);
  assert_false(f.regions.jaw_hinge.is_known);
  assert_true(found_says(&f, "no shape opens the jaw"));
  for (int i = 0; i < f.skin.nvert; i++) assert_near(f.regions.jaw[i], 0, 0);
  found_free(&f);
  mouth_patch_free(&patch);
}

// -- The fit alone --------------------------------------------------------------------------------

enum { NPOINT = 500 };

typedef struct cloud {
  float from[3 * NPOINT], delta[3 * NPOINT];
} cloud;

// Points in a box of 10 cm; the first `nrigid` follow the motion, the others half of it.
static void make_cloud(cloud *c, const mi_turn *turn, mi_vec3 slide, int nrigid) {
  for (int i = 0; i < NPOINT; i++) {
    mi_vec3 x = {0.1 * mi_random_unit(3, (uint32_t)i, 0), 0.1 * mi_random_unit(3, (uint32_t)i, 1),
                 0.1 * mi_random_unit(3, (uint32_t)i, 2)};
    mi_vec3 move = mi_add(mi_turn_move(turn, x), slide);
    mi_vec3_store(c->from + 3 * i, x);
    mi_vec3_store(c->delta + 3 * i, mi_scale(i < nrigid ? 1 : 0.5, move));
  }
}

static double fit(const cloud *c, mi_turn *turn) {
  mien_host host;
  mi_arena scratch;
  double share;
  assert_int_equal(mi_host_resolve(NULL, &host, NULL), MIEN_OK);
  mi_arena_init(&scratch, &host);
  mi_turn_points points = {c->from, c->delta, NPOINT, 1e-3};
  assert_true(mi_turn_fit(&points, &scratch, turn, &share));
  mi_arena_free(&scratch);
  return share;
}

static void a_rotation_is_found_among_outliers(void **state) {
  (void)state;
  cloud c;
  mi_turn truth = {{0.02, -0.01, 0.03}, mi_unit((mi_vec3){1, 0.2, -0.1}), 0.4}, turn = {0};
  make_cloud(&c, &truth, (mi_vec3){0, 0, 0}, 220);
  double share = fit(&c, &turn);
  assert_near(share, 0.44, 0.05);
  assert_near(turn.angle, 0.4, 2e-4); // half motions near the axis are nearly right
  assert_near(mi_dot(turn.axis, truth.axis), 1, 1e-6);
  // the point may lie anywhere on the axis
  mi_vec3 off = mi_cross(mi_sub(turn.centre, truth.centre), truth.axis);
  assert_near(mi_length(off), 0, 1e-4);
}

static void a_translation_becomes_a_far_hinge(void **state) {
  (void)state;
  cloud c;
  mi_turn still = {{0, 0, 0}, {1, 0, 0}, 0}, turn = {0};
  make_cloud(&c, &still, (mi_vec3){0, -0.03, 0}, NPOINT);
  double share = fit(&c, &turn);
  assert_near(share, 1, 1e-3);
  assert_true(turn.angle > 0);
  assert_near(turn.axis.x, 1, 1e-3);
  mi_vec3 move = mi_turn_move(&turn, (mi_vec3){0.05, 0.05, 0.05});
  assert_near(mi_distance(move, (mi_vec3){0, -0.03, 0}), 0, 1.5e-3);
}

static void points_that_follow_nothing_give_no_rotation(void **state) {
  (void)state;
  cloud c;
  mi_turn turn = {0};
  for (int i = 0; i < 3 * NPOINT; i++) {
    c.from[i] = (float)(0.1 * mi_random_unit(4, (uint32_t)i, 0));
    c.delta[i] = (float)(0.1 * mi_random_unit(4, (uint32_t)i, 1));
  }
  assert_true(fit(&c, &turn) < 0.05);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hinge_is_found_whatever_the_shape_is_called),
      cmocka_unit_test(weights_follow_the_motion),
      cmocka_unit_test(a_painted_map_and_a_given_hinge_win),
      cmocka_unit_test(no_shape_no_jaw),
      cmocka_unit_test(a_rotation_is_found_among_outliers),
      cmocka_unit_test(a_translation_becomes_a_far_hinge),
      cmocka_unit_test(points_that_follow_nothing_give_no_rotation),
  };
  return cmocka_run_group_tests_name("rig/jaw", tests, NULL, NULL);
}
