// Rig creation: welding, triangulation, sparse shapes, units, parts, and every way to be refused.
#include "rig/rig.h"
#include "scenes/scene.h"

#include <math.h>
#include <string.h>

// A square of two triangles whose diagonal is a seam: render vertices 1 and 3, 2 and 5 are pairs.
static const float seam_position[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const float seam_uv[] = {0, 0, .5f, 0, 0, .5f, .6f, 0, 1, 1, 0, .6f};
static const int32_t seam_tri[] = {0, 1, 2, 3, 4, 5};

static mien_rig_def seam_def(void) {
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.positions = (mien_f32s){seam_position, 6, 3};
  def.uvs = (mien_f32s){seam_uv, 6, 2};
  def.faces = (mien_i32s){seam_tri, 6};
  return def;
}

static mien_rig *make(const mien_rig_def *def) {
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static void seams_are_welded_and_mapped_back(void **state) {
  (void)state;
  mien_rig_def def = seam_def();
  mien_rig *rig = make(&def);
  const mien_rig_info *info = mien_rig_get_info(rig);
  assert_int_equal(info->nvert, 4);
  assert_int_equal(info->nrender, 6);
  for (int i = 0; i < 6; i++)
    assert_memory_equal(info->positions.data + 3 * info->render_map.data[i], seam_position + 3 * i,
                        12);
  assert_memory_equal(info->uvs.data, seam_uv, sizeof seam_uv);
  assert_memory_equal(info->render_triangles.data, seam_tri, sizeof seam_tri);
  for (int k = 0; k < 6; k++)
    assert_int_equal(info->triangles.data[k], info->render_map.data[seam_tri[k]]);
  mien_rig_free(rig);
  def.weld = 0;
  rig = make(&def);
  assert_int_equal(mien_rig_get_info(rig)->nvert, 6);
  mien_rig_free(rig);
}

static void lips_that_touch_stay_apart(void **state) {
  (void)state;
  mien_rig_def def = seam_def();
  float delta[18] = {0};
  delta[3 * 3 + 1] = -0.1f; // vertex 3 moves, its twin 1 does not
  mien_shape shape = {"open", {NULL, 0}, {delta, 6, 3}};
  def.shapes = &shape;
  def.nshape = 1;
  mien_rig *rig = make(&def);
  assert_int_equal(mien_rig_get_info(rig)->nvert, 5);
  mien_rig_free(rig);
  delta[3 * 1 + 1] = -0.1f; // now both do
  rig = make(&def);
  const mien_rig_info *info = mien_rig_get_info(rig);
  assert_int_equal(info->nvert, 4);
  assert_int_equal(info->shapes[0].indices.count, 1);
  mien_rig_free(rig);
}

static void parts_never_weld_together(void **state) {
  (void)state;
  mien_rig_def def = seam_def();
  const mien_part parts[] = {{"a", MIEN_PART_SKIN, 0, 3, 0, 1}, {"b", MIEN_PART_SKIN, 3, 3, 1, 1}};
  def.parts = parts;
  def.npart = 2;
  mien_rig *rig = make(&def);
  const mien_rig_info *info = mien_rig_get_info(rig);
  assert_int_equal(info->nvert, 6);
  assert_int_equal(info->parts[1].first_vertex, 3);
  assert_int_equal(info->parts[1].first_triangle, 1);
  mien_rig_free(rig);
}

static void polygons_and_units(void **state) {
  (void)state;
  // a kite whose short diagonal is 1-3, and a pentagon
  static const float position[] = {0, 0, 0, 1, 1, 0, 0, 9, 0, -1, 1, 0, 5, 0,
                                   0, 6, 0, 0, 7, 1, 0, 6, 2, 0,  5, 1, 0};
  static const int32_t corner[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, size[] = {4, 5};
  static const float thick[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const mien_map map = {"thickness", 1, {thick, 9, 1}};
  mien_rig_def def;
  mien_rig_def_init(&def);
  def.metres_per_unit = 0.01;
  def.positions = (mien_f32s){position, 9, 3};
  def.faces = (mien_i32s){corner, 9};
  def.face_sizes = (mien_i32s){size, 2};
  def.maps = &map;
  def.nmap = 1;
  mien_rig *rig = make(&def);
  const mien_rig_info *info = mien_rig_get_info(rig);
  static const int32_t expected[] = {0, 1, 3, 1, 2, 3, 4, 5, 6, 4, 6, 7, 4, 7, 8};
  assert_int_equal(info->ntri, 5);
  assert_memory_equal(info->triangles.data, expected, sizeof expected);
  assert_near(info->positions.data[7], 0.09, 1e-7);
  assert_near(info->maps[0].values.data[2], 0.03, 1e-7);
  assert_near(info->source_unit, 0.01, 0);
  assert_near(info->box_max[1], 0.09, 1e-7);
  mien_rig_free(rig);
}

static void pose_is_rest_plus_weighted_deltas(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(7, 5, 1);
  enum { NSHAPE = 3 };
  static float dense[NSHAPE][3 * 48];
  static int32_t index[48];
  mien_shape shapes[NSHAPE];
  for (int s = 0; s < NSHAPE; s++) {
    for (int i = 0; i < 3 * 48; i++) {
      bool moves = mi_random_unit(31, (uint32_t)(i / 3), (uint32_t)s) < 0.4;
      dense[s][i] = moves ? (float)(mi_random_unit(32, (uint32_t)i, (uint32_t)s) - 0.5) : 0;
    }
    shapes[s] = (mien_shape){s == 0 ? "a" : s == 1 ? "b" : "c", {NULL, 0}, {dense[s], 48, 3}};
  }
  for (int i = 0; i < 48; i++) index[i] = i;
  shapes[1].indices = (mien_i32s){index, 48}; // the same, said the sparse way
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = shapes;
  def.nshape = NSHAPE;
  mien_rig *rig = make(&def);
  const float weights[NSHAPE] = {0.5f, -1.25f, 0};
  float out[3 * 48];
  assert_int_equal(mien_rig_pose(rig, weights, NSHAPE, out, NULL), MIEN_OK);
  for (int i = 0; i < 3 * 48; i++)
    assert_near(out[i], mesh.position[i] + 0.5 * dense[0][i] - 1.25 * dense[1][i], 1e-6);
  assert_int_equal(mien_rig_pose(rig, NULL, 0, out, NULL), MIEN_OK);
  assert_memory_equal(out, mesh.position, sizeof out);
  mien_error err;
  assert_int_equal(mien_rig_pose(rig, weights, 2, out, &err), MIEN_ERR_MISMATCH);
  const float bad[NSHAPE] = {0, NAN, 0};
  assert_int_equal(mien_rig_pose(rig, bad, NSHAPE, out, &err), MIEN_ERR_NOT_FINITE);
  assert_non_null(strstr(err.text, "'b'"));
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void remarks_name_empty_equal_and_flat(void **state) {
  (void)state;
  mien_rig_def def = seam_def();
  static const float delta[3] = {1, 0, 0};
  static const int32_t index[1] = {0};
  const mien_shape shapes[] = {{"one", {index, 1}, {delta, 1, 3}},
                               {"nothing", {index, 0}, {delta, 0, 3}},
                               {"again", {index, 1}, {delta, 1, 3}}};
  static const int32_t tri[] = {0, 1, 2, 3, 4, 5, 0, 1, 1};
  def.faces = (mien_i32s){tri, 9};
  def.shapes = shapes;
  def.nshape = 3;
  mien_rig *rig = NULL;
  assert_int_equal(mien_rig_create(&def, NULL, &rig, NULL), MIEN_REMARK);
  const mien_rig_info *info = mien_rig_get_info(rig);
  assert_int_equal(info->nremark, 3);
  assert_string_equal(info->remarks[0], "shape 'nothing' moves nothing");
  assert_string_equal(info->remarks[1], "shapes 'one' and 'again' are the same");
  assert_string_equal(info->remarks[2], "1 of 3 triangles have next to no area");
  assert_int_equal(mien_rig_find_shape(rig, "Again"), 2);
  assert_int_equal(mien_rig_find_shape(rig, "never"), -1);
  assert_int_equal(mien_rig_find_map(rig, "thickness"), -1);
  mien_rig_free(rig);
}

// One thing wrong at a time: the code, and a word that must be in the sentence.
static void bad_definitions_are_refused(void **state) {
  (void)state;
  static float broken[18];
  static const int32_t wild[] = {0, 1, 6}, negative[] = {0, -1, 2}, sizes[] = {3, 2};
  static const int32_t few[68] = {99};
  const mien_shape nan_shape = {"bad", {NULL, 0}, {broken, 6, 3}};
  const mien_shape short_shape = {"short", {NULL, 0}, {broken, 5, 3}};
  const mien_shape twins[] = {{"twin", {NULL, 0}, {seam_position, 6, 3}},
                              {"twin", {NULL, 0}, {seam_uv, 0, 3}}};
  const mien_shape outside = {"outside", {wild, 3}, {broken, 3, 3}};
  const mien_part gap = {"gap", MIEN_PART_SKIN, 0, 5, 0, 2};
  const mien_map wide = {"wide", 2, {broken, 6, 2}};
  memcpy(broken, seam_position, sizeof broken);
  broken[4] = INFINITY;
  for (int kind = 0; kind < 16; kind++) {
    mien_rig_def def = seam_def();
    mien_result expected = MIEN_ERR_ARGUMENT;
    const char *word = "";
    switch (kind) {
    case 0:
      def.struct_size = 7, expected = MIEN_ERR_OPTIONS, word = "mien_rig_def_init";
      break;
    case 1:
      def.positions.data = broken, expected = MIEN_ERR_NOT_FINITE, word = "entry 1";
      break;
    case 2:
      def.positions.count = 0, word = "no vertices";
      break;
    case 3:
      def.faces.data = wild, def.faces.count = 3, word = "vertex 6";
      break;
    case 4:
      def.faces.data = negative, def.faces.count = 3, word = "vertex -1";
      break;
    case 5:
      def.faces.count = 5, expected = MIEN_ERR_MISMATCH, word = "whole triangles";
      break;
    case 6:
      def.face_sizes = (mien_i32s){sizes, 2}, word = "face 1";
      break;
    case 7:
      def.shapes = &nan_shape, def.nshape = 1, expected = MIEN_ERR_NOT_FINITE, word = "bad";
      break;
    case 8:
      def.shapes = &short_shape, def.nshape = 1, expected = MIEN_ERR_MISMATCH, word = "short";
      break;
    case 9:
      def.shapes = &outside, def.nshape = 1, word = "outside";
      break;
    case 10:
      def.parts = &gap, def.npart = 1, expected = MIEN_ERR_MISMATCH, word = "5 of 6";
      break;
    case 11:
      def.maps = &wide, def.nmap = 1, word = "width 2";
      break;
    case 12:
      def.metres_per_unit = 0, expected = MIEN_ERR_OPTIONS, word = "metres_per_unit";
      break;
    case 13:
      def.landmarks = (mien_i32s){few, 68}, word = "landmark 0";
      break;
    case 14:
      def.uvs.count = 3, expected = MIEN_ERR_MISMATCH, word = "uvs";
      break;
    case 15:
      def.shapes = twins, def.nshape = 2, expected = MIEN_ERR_MISMATCH, word = "twin";
      break;
    }
    mien_rig *rig = (mien_rig *)&def; // must not be touched
    mien_error err;
    assert_int_equal(mien_rig_create(&def, NULL, &rig, &err), expected);
    assert_int_equal(err.code, expected);
    assert_ptr_equal(rig, &def);
    if (!strstr(err.text, word)) fail_msg("case %d: '%s' lacks '%s'", kind, err.text, word);
  }
  const mien_shape same_name[] = {{"twin", {NULL, 0}, {seam_position, 6, 3}},
                                  {"twin", {NULL, 0}, {seam_position, 6, 3}}};
  mien_rig_def def = seam_def();
  def.shapes = same_name;
  def.nshape = 2;
  mien_error err;
  mien_rig *rig = NULL;
  assert_int_equal(mien_rig_create(&def, NULL, &rig, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "both called 'twin'"));
  assert_int_equal(mien_rig_create(NULL, NULL, &rig, NULL), MIEN_ERR_ARGUMENT);
  assert_int_equal(mien_rig_create(&def, NULL, NULL, NULL), MIEN_ERR_ARGUMENT);
}

static mien_result make_and_free(const mien_host *host, void *user) {
  mien_rig *rig = NULL;
  mien_result result = mien_rig_create(user, host, &rig, NULL);
  mien_rig_free(rig);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  scene_mesh mesh = scene_sphere(30, 40, 0.1);
  mien_rig_def def = scene_rig_def(&mesh);
  const mien_shape shape = {"grow", {NULL, 0}, {mesh.position, mesh.nvert, 3}};
  def.shapes = &shape;
  def.nshape = 1;
  scene_fail_every_allocation(make_and_free, &def);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(seams_are_welded_and_mapped_back),
                                     cmocka_unit_test(lips_that_touch_stay_apart),
                                     cmocka_unit_test(parts_never_weld_together),
                                     cmocka_unit_test(polygons_and_units),
                                     cmocka_unit_test(pose_is_rest_plus_weighted_deltas),
                                     cmocka_unit_test(remarks_name_empty_equal_and_flat),
                                     cmocka_unit_test(bad_definitions_are_refused),
                                     cmocka_unit_test(survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
