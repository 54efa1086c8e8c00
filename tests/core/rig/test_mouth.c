// The slit between the lips and what lies around it, on mouths whose truth is known.
#include "scenes/found.h"
#include "scenes/mouth_patch.h"
#include "scenes/scene.h"

#include "rig/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  UPPER = MIEN_REGION_LIP_UPPER,
  LOWER = MIEN_REGION_LIP_LOWER,
  INNER = MIEN_REGION_LIP_INNER,
  BAG = MIEN_REGION_MOUTH_BAG,
  CONTACT = MIEN_REGION_CONTACT
};

static void assert_slit(const found *f, const mouth_patch *patch) {
  const mi_regions *r = &f->regions;
  int right = r->slit[0], left = r->slit[r->nslit_upper - 1];
  assert_near(f->skin.position[3 * right], -patch->half_width, 6e-3);
  assert_near(f->skin.position[3 * left], patch->half_width, 6e-3);
  for (int k = 0; k < r->nslit; k++) {
    int i = r->slit[k];
    // in the middle of the mouth on the right lip, and nowhere far from where the lips meet
    if (fabsf(patch->round[i]) > 0.6f) assert_int_equal(patch->round[i] > 0, k < r->nslit_upper);
    assert_near(patch->along[i], 0, fabsf(patch->round[i]) > 0.6f ? 3.5e-3 : 7e-3);
  }
}

static void assert_lips(const found *f, const mouth_patch *patch) {
  int nwrong = 0, nlip = 0;
  for (int i = 0; i < f->skin.nvert; i++) {
    int bits = f->regions.bits[i], side = patch->round[i] > 0 ? UPPER : LOWER;
    float along = patch->along[i];
    if (along > 0.025f) assert_int_equal(bits & (UPPER | LOWER | INNER | BAG), 0);
    if (along < -0.004f) assert_true(bits & (INNER | BAG));
    if (along < -0.025f) assert_int_equal(bits & (UPPER | LOWER | INNER), 0);
    if (fabsf(patch->round[i]) < 0.5f || along > 0.009f || along < -0.006f) continue;
    nlip++;
    nwrong += (bits & (UPPER | LOWER)) != side || !(bits & CONTACT);
  }
  assert_true(nlip > 10);
  assert_true(nwrong <= nlip / 20);
}

static void the_mouth_is_found_however_it_is_modelled(void **state) {
  (void)state;
  static const mouth_patch_options CASE[] = {
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = 1e-3},  // nearly touching
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = 0},     // exactly coincident
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = -8e-4}, // crossing
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = 5e-3},  // parted
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = 1e-3, .is_shuffled = true},
      {.nround = 96, .noutside = 30, .ninside = 20, .gap = 1e-3, .is_open = true},
      {.nround = 96, .noutside = 30, .ninside = 3, .gap = 1e-3, .is_open = true},
      {.nround = 96, .noutside = 30, .ninside = 0, .gap = 1e-3}, // a hole instead of a bag
      {.nround = 96, .noutside = 30, .ninside = 0, .gap = 0},
      {.nround = 64, .noutside = 30, .ninside = 0, .gap = 4e-3, .is_shuffled = true},
      {.nround = 40, .noutside = 20, .ninside = 10, .gap = 1e-3}, // coarse
      {.nround = 96, .noutside = 80, .ninside = 50, .gap = 1e-3, .is_shuffled = true}};
  for (size_t k = 0; k < sizeof CASE / sizeof *CASE; k++) {
    mouth_patch patch;
    found f;
    assert_true(mouth_patch_create(CASE + k, &patch));
    found_make(patch.rig, &f);
    if (!f.regions.has_mouth) fail_msg("case %d: %s", (int)k, f.remarks.text[0]);
    found_check(&f);
    assert_slit(&f, &patch);
    assert_lips(&f, &patch);
    found_free(&f);
    mouth_patch_free(&patch);
  }
}

static const mouth_patch_options PLAIN = {.nround = 64, .noutside = 24, .ninside = 14, .gap = 1e-3};

static void a_rig_without_shapes_has_no_mouth_and_says_what_to_do(void **state) {
  (void)state;
  mouth_patch_options options = PLAIN;
  mouth_patch patch;
  found f;
  options.leave_shapes = true;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  found_check(&f);
  assert_false(f.regions.has_mouth);
  assert_true(found_says(&f, "no mouth found"));
  assert_true(found_says(&f, "paint both lips"));
  assert_int_equal(found_count(&f, UPPER) + found_count(&f, LOWER) + found_count(&f, BAG), 0);
  found_free(&f);
  mouth_patch_free(&patch);
}

// The vertex of the slit ring nearest to a place on the lip.
static int32_t slit_vertex(const mouth_patch *patch, double x, int side) {
  int best = -1;
  double nearest = INFINITY;
  for (int i = 0; i < patch->nvert; i++) {
    if (fabsf(patch->along[i]) > 1e-6f || patch->round[i] * (float)side < -1e-3f) continue;
    double off = fabs(patch->rig->positions[3 * i] - x);
    if (off >= nearest) continue;
    nearest = off;
    best = i;
  }
  return best;
}

static void landmarks_find_it_without_any_shape(void **state) {
  (void)state;
  mouth_patch_options options = PLAIN;
  mouth_patch plain, patch;
  found f;
  options.leave_shapes = true;
  assert_true(mouth_patch_create(&options, &plain));
  int32_t landmark[68];
  for (int k = 0; k < 68; k++) landmark[k] = -1;
  for (int k = 0; k < 5; k++) landmark[60 + k] = slit_vertex(&plain, -0.025 + 0.0125 * k, 1);
  for (int k = 5; k < 8; k++) landmark[k + 60] = slit_vertex(&plain, 0.0125 * (6 - k), -1);
  options.landmarks = landmark;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  found_check(&f);
  assert_true(f.regions.has_mouth);
  assert_slit(&f, &patch);
  found_free(&f);
  mouth_patch_free(&patch);
  mouth_patch_free(&plain);
}

static void painted_lips_find_it_without_any_shape_and_stay_as_painted(void **state) {
  (void)state;
  mouth_patch_options options = PLAIN;
  mouth_patch plain, patch;
  found f;
  options.leave_shapes = true;
  assert_true(mouth_patch_create(&options, &plain));
  float *paint = calloc((size_t)plain.nvert, sizeof *paint);
  assert_non_null(paint);
  for (int i = 0; i < plain.nvert; i++)
    if (plain.along[i] < 0.008f && plain.along[i] > -0.006f)
      paint[i] = plain.round[i] > 0 ? UPPER : LOWER;
  mien_map map = {"region", 1, {paint, plain.nvert, 1}};
  options.maps = &map;
  options.nmap = 1;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  found_check(&f);
  assert_true(f.regions.has_mouth);
  assert_near(f.skin.position[3 * f.regions.slit[0]], -patch.half_width, 8e-3);
  for (int i = 0; i < f.skin.nvert; i++)
    assert_int_equal(f.regions.bits[i] & (UPPER | LOWER), (int)paint[f.skin.vert[i]]);
  assert_true(found_count(&f, BAG) > 100); // found, as it was not painted
  found_free(&f);
  mouth_patch_free(&patch);
  mouth_patch_free(&plain);
  free(paint);
}

// A wide mouth bag leaves the box that is looked at: it is no more seen for that.
static void only_what_is_looked_at_is_seen(void **state) {
  (void)state;
  mouth_patch patch;
  found f;
  mi_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  int nfront = 0, noutside = 0;
  assert_true(mouth_patch_create(&PLAIN, &patch));
  found_make(patch.rig, &f);
  mi_finding finding = {.rig = patch.rig, .skin = &f.skin, .mm = 1e-3};
  mi_arena_init(&finding.scratch, &patch.rig->host);
  float *seen = calloc((size_t)f.skin.nvert, sizeof *seen);
  assert_non_null(seen);
  for (int i = 0; i < f.skin.nvert; i++)
    if (fabsf(patch.along[i]) < 0.015f) mi_box_include(&box, mi_skin_at(&finding, i), 1e-3);
  assert_true(mi_find_seen(&finding, &box, seen));
  for (int i = 0; i < f.skin.nvert; i++) {
    bool is_inside = mi_box_has(&box, mi_skin_at(&finding, i));
    if (!is_inside) assert_near(seen[i], 0, 0);
    if (is_inside && patch.along[i] > 0.005f) assert_true(seen[i] > 0.5f);
    nfront += is_inside && patch.along[i] > 0.005f;
    noutside += !is_inside && patch.along[i] < -0.008f;
  }
  assert_true(nfront > 100 && noutside > 20);
  free(seen);
  mi_arena_free(&finding.scratch);
  found_free(&f);
  mouth_patch_free(&patch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_mouth_is_found_however_it_is_modelled),
      cmocka_unit_test(a_rig_without_shapes_has_no_mouth_and_says_what_to_do),
      cmocka_unit_test(landmarks_find_it_without_any_shape),
      cmocka_unit_test(painted_lips_find_it_without_any_shape_and_stay_as_painted),
      cmocka_unit_test(only_what_is_looked_at_is_seen),
  };
  return cmocka_run_group_tests_name("rig/mouth", tests, NULL, NULL);
}
