// Regions as a whole: painted maps, attachment, lids, broken meshes, memory, and real rigs where
// they are present.
#include "scenes/found.h"
#include "scenes/mouth_patch.h"
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  UPPER = MIEN_REGION_LIP_UPPER,
  LOWER = MIEN_REGION_LIP_LOWER,
  INNER = MIEN_REGION_LIP_INNER,
  BAG = MIEN_REGION_MOUTH_BAG,
  LID = MIEN_REGION_EYELID,
  CONTACT = MIEN_REGION_CONTACT,
  PASSIVE = MIEN_REGION_PASSIVE,
  BORDER = MIEN_REGION_BORDER
};

static const mouth_patch_options PATCH = {.nround = 48, .noutside = 20, .ninside = 12, .gap = 1e-3};

static void paint_wins_bit_by_bit(void **state) {
  (void)state;
  mouth_patch plain, patch;
  found before, f;
  assert_true(mouth_patch_create(&PATCH, &plain));
  found_make(plain.rig, &before);
  float *region = calloc((size_t)plain.nvert, sizeof *region);
  float *passive = calloc((size_t)plain.nvert, sizeof *passive);
  float *held = calloc((size_t)plain.nvert, sizeof *held);
  assert_true(region && passive && held);
  for (int i = 0; i < 10; i++) region[i] = BAG | BORDER;
  for (int i = 20; i < 25; i++) passive[i] = 1;
  for (int i = 0; i < plain.nvert; i++) held[i] = i % 3 ? 0.25f : 1.0f;
  mien_map map[3] = {{"region", 1, {region, plain.nvert, 1}},
                     {"passive", 1, {passive, plain.nvert, 1}},
                     {"attachment", 1, {held, plain.nvert, 1}}};
  mouth_patch_options options = PATCH;
  options.maps = map;
  options.nmap = 3;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  for (int i = 0; i < f.skin.nvert; i++) {
    int painted = BAG | PASSIVE | CONTACT, bits = f.regions.bits[i];
    assert_true(i >= 10 || (bits & CONTACT)); // a bag can touch, wherever it is painted
    assert_int_equal(bits & ~painted, before.regions.bits[i] & ~painted); // edges are not painted
    assert_int_equal((bits & BAG) != 0, i < 10);
    assert_int_equal((bits & PASSIVE) != 0, i >= 20 && i < 25);
    assert_near(f.regions.attachment[i], held[i], 0);
  }
  found_free(&f);
  found_free(&before);
  mouth_patch_free(&patch);
  mouth_patch_free(&plain);
  free(region);
  free(passive);
  free(held);
}

static void painted_attachment_beyond_its_range_is_said(void **state) {
  (void)state;
  mouth_patch plain, patch;
  found f;
  assert_true(mouth_patch_create(&PATCH, &plain));
  float *held = calloc((size_t)plain.nvert, sizeof *held);
  for (int i = 0; i < plain.nvert; i++) held[i] = i < 3 ? -1 : i < 5 ? 2 : 0.5f;
  const mien_map map = {"attachment", 1, {held, plain.nvert, 1}};
  mouth_patch_options options = PATCH;
  options.maps = &map;
  options.nmap = 1;
  assert_true(mouth_patch_create(&options, &patch));
  found_make(patch.rig, &f);
  assert_true(found_says(&f, "below 0 or above 1 at 5 vertices"));
  for (int i = 0; i < f.skin.nvert; i++)
    assert_near(f.regions.attachment[i], f.skin.vert[i] < 3 ? 0 : f.skin.vert[i] < 5 ? 1 : 0.5, 0);
  found_free(&f);
  mouth_patch_free(&patch);
  mouth_patch_free(&plain);
  free(held);
}

static void what_no_shape_moves_is_held_and_lips_are_loose(void **state) {
  (void)state;
  mouth_patch patch;
  found f;
  assert_true(mouth_patch_create(&PATCH, &patch));
  found_make(patch.rig, &f);
  for (int i = 0; i < f.skin.nvert; i++) {
    if (f.regions.bits[i] & (UPPER | LOWER | INNER))
      assert_near(f.regions.attachment[i], 0.15, 1e-6); // muscles hold them, no bone does
    else if (f.regions.bits[i] & BAG)
      assert_true(f.regions.attachment[i] > 0.149f); // held by gums, less so at its rim
    // between the mouth and the brow nothing moves; the chin moves, but with the jaw
    bool is_still = patch.round[i] > 0.9f && patch.along[i] > 0.035f && patch.along[i] < 0.045f;
    bool is_chin = patch.round[i] < -0.95f && patch.along[i] > 0.035f && patch.along[i] < 0.05f;
    if (is_still || is_chin) assert_true(f.regions.attachment[i] > 0.6f);
  }
  assert_int_equal(found_count(&f, BORDER), 48);
  found_free(&f);
  mouth_patch_free(&patch);
}

static void lids_come_from_blinks(void **state) {
  (void)state;
  scene_mesh ball = scene_sphere(40, 60, 0.09);
  float *delta = calloc(3 * (size_t)ball.nvert, sizeof *delta);
  assert_non_null(delta);
  int nlid = 0;
  for (int i = 0; i < ball.nvert; i++) {
    const float *x = ball.position + 3 * i;
    bool is_lid = x[2] > 0.05f && hypotf(x[0] - 0.03f, x[1] - 0.03f) < 0.012f;
    if (is_lid) delta[3 * i + 1] = -0.008f;
    nlid += is_lid;
  }
  mien_shape shape = {"EyeBlink_L", {NULL, 0}, {delta, ball.nvert, 3}};
  mien_rig_def def = scene_rig_def(&ball);
  def.shapes = &shape;
  def.nshape = 1;
  mien_rig *rig;
  found f;
  mien_error err;
  if (mi_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  found_make(rig, &f);
  found_check(&f);
  assert_false(f.regions.has_mouth);
  assert_true(nlid > 5);
  assert_true(found_count(&f, LID) >= nlid);
  assert_true(found_count(&f, LID) < 4 * nlid); // and what they come down on
  assert_int_equal(found_count(&f, LID | CONTACT), found_count(&f, LID));
  found_free(&f);
  mi_rig_release(rig);
  scene_mesh_free(&ball);
  free(delta);
}

// -- Broken meshes --------------------------------------------------------------------------------

typedef struct broken {
  const char *what;
  float position[24];
  int nvert;
  int32_t tri[24];
  int ntri;
} broken;

static void broken_meshes_do_not_crash(void **state) {
  (void)state;
  static const broken CASE[] = {
      {"one triangle", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3, {0, 1, 2}, 1},
      {"no area", {0, 0, 0, 0, 0, 0, 0, 0, 0}, 3, {0, 1, 2}, 1},
      {"a line", {0, 0, 0, 1, 0, 0, 2, 0, 0}, 3, {0, 1, 2}, 1},
      {"one vertex twice", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3, {0, 0, 1, 0, 1, 2}, 2},
      {"three triangles at an edge",
       {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1},
       5,
       {0, 1, 2, 0, 1, 3, 0, 1, 4},
       3},
      {"a bow tie", {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0}, 5, {0, 1, 2, 0, 3, 4}, 2},
      {"huge", {0, 0, 0, 1e18f, 0, 0, 0, 1e18f, 0}, 3, {0, 1, 2}, 1},
      {"an outlier", {0, 0, 0, 1e-3f, 0, 0, 0, 1e-3f, 0, 1e6f, 0, 0}, 4, {0, 1, 2, 1, 2, 3}, 2}};
  for (size_t k = 0; k < sizeof CASE / sizeof *CASE; k++) {
    const broken *c = CASE + k;
    float delta[24] = {0};
    for (int i = 0; i < c->nvert; i++) delta[3 * i + 1] = -0.3f * (float)i;
    mien_shape shape = {"jawOpen", {NULL, 0}, {delta, c->nvert, 3}};
    mien_rig_def def;
    mien_rig_def_init(&def);
    def.positions = (mien_f32s){c->position, c->nvert, 3};
    def.faces = (mien_i32s){c->tri, 3 * c->ntri};
    def.shapes = &shape;
    for (def.nshape = 0; def.nshape < 2; def.nshape++) {
      mien_rig *rig = NULL;
      found f;
      mien_error err;
      if (mi_rig_create(&def, NULL, &rig, &err) < 0) continue; // refusing is fine
      found_make(rig, &f);
      found_check(&f);
      assert_false(f.regions.has_mouth);
      found_free(&f);
      mi_rig_release(rig);
    }
  }
}

static mien_result find(const mien_host *host, void *user) {
  mien_rig *rig = user;
  mien_error err;
  rig->host = *host;
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_remarks remarks = {.arena = &arena};
  mi_skin skin;
  mi_regions regions;
  mien_result result = mi_skin_build(rig, &arena, &skin, &remarks, &err);
  if (result >= 0) result = mi_regions_find(rig, &skin, &arena, &regions, &remarks, &err);
  mi_arena_free(&arena);
  return result;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  mouth_patch_options options = {.nround = 24, .noutside = 10, .ninside = 6, .gap = 1e-3};
  mouth_patch patch;
  assert_true(mouth_patch_create(&options, &patch));
  mien_host own = patch.rig->host;
  scene_fail_every_allocation(find, patch.rig);
  patch.rig->host = own;
  mouth_patch_free(&patch);
}

static void the_same_rig_gives_the_same_bits(void **state) {
  (void)state;
  mouth_patch patch;
  found a, b;
  assert_true(mouth_patch_create(&PATCH, &patch));
  found_make(patch.rig, &a);
  found_make(patch.rig, &b);
  size_t n = (size_t)a.skin.nvert;
  assert_memory_equal(a.regions.bits, b.regions.bits, n * sizeof(int32_t));
  assert_memory_equal(a.regions.jaw, b.regions.jaw, n * sizeof(float));
  assert_memory_equal(a.regions.attachment, b.regions.attachment, n * sizeof(float));
  assert_int_equal(a.regions.nslit, b.regions.nslit);
  assert_memory_equal(a.regions.slit, b.regions.slit, (size_t)a.regions.nslit * sizeof(int32_t));
  found_free(&a);
  found_free(&b);
  mouth_patch_free(&patch);
}

// -- Real rigs ------------------------------------------------------------------------------------

static double distance_to(const found *f, int skin_vertex, const shared_truth *truth,
                          int landmark) {
  const float *a = f->skin.position + 3 * skin_vertex;
  const float *b = f->skin.position + 3 * f->skin.of_rig[truth->landmark[landmark]];
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static int bits_at(const found *f, const shared_truth *truth, int landmark) {
  return f->regions.bits[f->skin.of_rig[truth->landmark[landmark]]];
}

static void check_ict(const shared_options *options) {
  static const int UP[] = {50, 51, 52, 61, 62, 63}, LOW[] = {57, 58, 65, 66, 67};
  shared_truth truth;
  mien_rig *rig = shared_rig_load("ict-facekit", options, &truth);
  found f;
  found_make(rig, &f);
  found_check(&f);
  assert_int_equal(f.skin.nvert, truth.sewn_end); // face, head, mouth and eye sockets, no more
  assert_near(f.skin.size, 0.18, 0.02);
  const mien_jaw *jaw = &f.regions.jaw_hinge;
  assert_near(jaw->axis[0], 1, 1e-3);
  if (options->rest_open == 0) {
    assert_true(truth.jaw.is_known);
    assert_near(jaw->hinge[1], truth.jaw.hinge[1], 3e-3);
    assert_near(jaw->hinge[2], truth.jaw.hinge[2], 3e-3);
    assert_near(jaw->open_angle, truth.jaw.open_angle, 0.026); // 1.5 degrees
  }
  assert_true(f.regions.has_mouth);
  assert_true(distance_to(&f, f.regions.slit[0], &truth, 48) < 6e-3);
  assert_true(distance_to(&f, f.regions.slit[f.regions.nslit_upper - 1], &truth, 54) < 6e-3);
  for (int k = 0; k < 6; k++) assert_int_equal(bits_at(&f, &truth, UP[k]) & (UPPER | LOWER), UPPER);
  for (int k = 0; k < 5; k++)
    assert_int_equal(bits_at(&f, &truth, LOW[k]) & (UPPER | LOWER), LOWER);
  for (int k = 0; k < 48; k++) // jaw line, brows, nose, eyes
    assert_int_equal(bits_at(&f, &truth, k) & (UPPER | LOWER | INNER | BAG), 0);
  for (int i = truth.bag_first; i < truth.bag_end; i++) // lips begin before it
    assert_true(f.regions.bits[f.skin.of_rig[i]] & (INNER | BAG | UPPER | LOWER));
  assert_true(found_count(&f, BAG) > 1000);
  if (!options->leave_names) assert_true(found_count(&f, LID) > 200);
  found_free(&f);
  mi_rig_release(rig);
}

static void ict_without_landmarks(void **state) {
  (void)state;
  check_ict(&(shared_options){.leave_landmarks = true});
}

static void ict_with_landmarks(void **state) {
  (void)state;
  check_ict(&(shared_options){0});
}

static void ict_without_names_or_parts(void **state) {
  (void)state;
  check_ict(&(shared_options){.leave_landmarks = true, .leave_names = true, .one_part = true});
}

static void ict_with_lips_parted_and_crossing(void **state) {
  (void)state;
  check_ict(&(shared_options){.leave_landmarks = true, .rest_open = 0.1});
  check_ict(&(shared_options){.leave_landmarks = true, .rest_open = -0.03});
}

// The mouth of this head is a hole: measured by eye on pictures of it, the corners lie at
// x = +-2.5 cm, y = -4.4 cm, the lips between y = -3.4 and -5.4 cm.
static void facecap_has_a_mouth_without_a_bag(void **state) {
  (void)state;
  for (int nameless = 0; nameless < 2; nameless++) {
    shared_truth truth;
    shared_options options = {.leave_names = nameless, .one_part = nameless};
    mien_rig *rig = shared_rig_load("facecap-head", &options, &truth);
    found f;
    found_make(rig, &f);
    found_check(&f);
    assert_true(f.skin.nvert > 1500); // the head without eyes, teeth and the separate bag
    assert_true(f.skin.nvert < rig->info.nvert / 2);
    assert_true(f.regions.has_mouth);
    const float *right = f.skin.position + 3 * f.regions.slit[0];
    const float *left = f.skin.position + 3 * f.regions.slit[f.regions.nslit_upper - 1];
    assert_near(right[0], -0.025, 4e-3);
    assert_near(left[0], 0.025, 4e-3);
    assert_near(right[1], -0.044, 4e-3);
    assert_int_equal(found_count(&f, BAG), 0);
    assert_true(found_count(&f, UPPER) > 40 && found_count(&f, LOWER) > 40);
    for (int i = 0; i < f.skin.nvert; i++) {
      const float *x = f.skin.position + 3 * i;
      if (!(f.regions.bits[i] & (UPPER | LOWER))) continue;
      assert_true(fabsf(x[0]) < 0.032f && x[1] < -0.028f && x[1] > -0.062f && x[2] > 0.03f);
    }
    found_free(&f);
    mi_rig_release(rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(paint_wins_bit_by_bit),
      cmocka_unit_test(painted_attachment_beyond_its_range_is_said),
      cmocka_unit_test(what_no_shape_moves_is_held_and_lips_are_loose),
      cmocka_unit_test(lids_come_from_blinks),
      cmocka_unit_test(broken_meshes_do_not_crash),
      cmocka_unit_test(memory_may_end_anywhere),
      cmocka_unit_test(the_same_rig_gives_the_same_bits),
      cmocka_unit_test(ict_without_landmarks),
      cmocka_unit_test(ict_with_landmarks),
      cmocka_unit_test(ict_without_names_or_parts),
      cmocka_unit_test(ict_with_lips_parted_and_crossing),
      cmocka_unit_test(facecap_has_a_mouth_without_a_bag),
  };
  return cmocka_run_group_tests_name("rig/regions", tests, NULL, NULL);
}
