// The inside of the flesh in every shape: never inverted, the skin untouched, the same after a
// file, and shapes that fold the skin over itself said and left out.
#include "face/face.h"
#include "scenes/scene.h"
#include "solve/state.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NVERT = 21 * 21 };
static float pushed[3 * NVERT], crossed[3 * NVERT], torn[3 * NVERT];

// A sheet held by bone; "push" presses its middle deeper than the flesh is thick, "slide" shears
// it, "cross" takes one vertex across its neighbours, "tear" two.
static mien_rig *make_rig(scene_mesh *mesh, int nfold) {
  static float slid[3 * NVERT];
  *mesh = scene_grid(20, 20, 0.2);
  assert_int_equal(mesh->nvert, NVERT);
  memset(pushed, 0, sizeof pushed);
  memset(crossed, 0, sizeof crossed);
  memset(torn, 0, sizeof torn);
  memset(slid, 0, sizeof slid);
  for (int i = 0; i < NVERT; i++) {
    const float *at = mesh->position + 3 * i;
    double r2 = (double)at[0] * at[0] + (double)at[1] * at[1];
    pushed[3 * i + 2] = (float)(-0.02 * exp(-r2 / 0.0006));
    slid[3 * i] = (float)(0.02 * exp(-r2 / 0.003));
  }
  crossed[3 * (NVERT / 2)] = 0.021f;
  torn[3 * (NVERT / 2)] = torn[3 * (NVERT / 2 + 84)] = 0.021f;
  static float held[NVERT];
  for (int i = 0; i < NVERT; i++) held[i] = 1;
  const mien_shape shapes[] = {{"push", {NULL, 0}, {pushed, NVERT, 3}},
                               {"slide", {NULL, 0}, {slid, NVERT, 3}},
                               {"cross", {NULL, 0}, {crossed, NVERT, 3}},
                               {"tear", {NULL, 0}, {torn, NVERT, 3}}};
  const mien_map map = {"attachment", 1, {held, NVERT, 1}};
  mien_rig_def def = scene_rig_def(mesh);
  def.shapes = shapes;
  def.nshape = 2 + nfold;
  def.maps = &map;
  def.nmap = 1;
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_create(&def, NULL, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static mien_face *attach(const mien_rig *rig, bool blendvolumes) {
  mien_face *face = NULL;
  mien_face_def def;
  mien_error err;
  mien_face_def_init(&def);
  def.blendvolumes = blendvolumes;
  def.thickness = 0.008;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  return face;
}

static const mien_state_info *pose(mien_state *state, const float *weights, int count) {
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.solver = MIEN_SOLVER_KINEMATIC;
  input.weights = (mien_f32s){weights, count, 1};
  if (mien_step(state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  return mien_state_get_info(state);
}

static int count_inverted(const mien_face *face, const float *flesh) {
  int count = 0;
  for (int t = 0; t < face->info.ntet; t++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++) p[c] = mi_vec3_load(flesh + 3 * face->tets[4 * t + c]);
    count += !(mi_det(p[0], p[1], p[2], p[3]) > 0);
  }
  return count;
}

static void no_shape_inverts(void **state) {
  (void)state;
  scene_mesh mesh;
  mien_rig *rig = make_rig(&mesh, 0);
  mien_face *plain = attach(rig, false), *face = attach(rig, true);
  mien_state *without = NULL, *with = NULL;
  assert_int_equal(mien_state_create(plain, NULL, &without, NULL), MIEN_OK);
  assert_int_equal(mien_state_create(face, NULL, &with, NULL), MIEN_OK);
  static const float weights[][2] = {{1, 0}, {0, 1}, {0.5f, 0.5f}, {1, 1}, {0.3f, 1}};
  int before = 0;
  for (int k = 0; k < 5; k++) {
    before += count_inverted(plain, pose(without, weights[k], 2)->flesh.data);
    const mien_state_info *info = pose(with, weights[k], 2);
    assert_int_equal(count_inverted(face, info->flesh.data), 0);
    assert_int_equal(info->nposed_inverted, 0);
    float expected[3 * NVERT];
    assert_int_equal(mien_rig_pose(rig, weights[k], 2, expected, NULL), MIEN_OK);
    assert_memory_equal(expected, info->flesh.data, sizeof expected); // the artist's, bit for bit
  }
  assert_true(before > 20);
  assert_int_equal(mien_face_get_info(face)->nleft_out, 0);
  assert_true(mien_face_get_info(face)->nmended >= 1);
  mien_state_free(without);
  mien_state_free(with);
  mien_face_free(plain);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void folded_skin_is_said_and_left_out(void **state) {
  (void)state;
  scene_mesh mesh;
  mien_rig *rig = make_rig(&mesh, 1);
  mien_face *face = attach(rig, true);
  const mien_face_info *info = mien_face_get_info(face);
  assert_true(info->nleft_out > 0 && info->nleft_out < 20);
  bool said = false;
  for (int i = 0; i < info->nremark; i++)
    said |= strstr(info->remarks[i], "'cross' folds the skin over itself near") != NULL;
  assert_true(said);
  mien_state *made = NULL;
  assert_int_equal(mien_state_create(face, NULL, &made, NULL), MIEN_OK);
  for (int s = 0; s < 3; s++) {
    float weights[3] = {0};
    weights[s] = 1;
    assert_int_equal(count_inverted(face, pose(made, weights, 3)->flesh.data), 0);
  }
  mien_state_free(made);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

// Our own head has five: one sentence says so.
static void folds_are_one_remark(void **state) {
  (void)state;
  scene_mesh mesh;
  mien_rig *rig = make_rig(&mesh, 2);
  mien_face *face = attach(rig, true);
  const mien_face_info *info = mien_face_get_info(face);
  static const char said[] = "2 shapes fold the skin over itself, most of all 'tear', near (";
  int count = 0;
  for (int i = 0; i < info->nremark; i++) {
    count += strstr(info->remarks[i], "the skin over itself") != NULL;
    if (strstr(info->remarks[i], "over itself"))
      assert_memory_equal(info->remarks[i], said, sizeof said - 1);
  }
  assert_int_equal(count, 1);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

static void a_file_keeps_them(void **state) {
  (void)state;
  static const char path[] = "blendvolumes.glb";
  scene_mesh mesh;
  mien_rig *rig = make_rig(&mesh, 1), *loaded = NULL;
  mien_face *face = attach(rig, true);
  mien_error err;
  if (mien_rig_save(rig, face, NULL, path, &err) < 0) fail_msg("%s", err.text);
  if (mien_rig_load(path, NULL, &loaded, &err) < 0) fail_msg("%s", err.text);
  assert_true(mien_rig_find_map(loaded, "blendvolume:push") >= 0);
  mien_face *again = attach(loaded, true);
  assert_true(face->blendvolumes.inputs_hash == again->blendvolumes.inputs_hash);
  assert_true(face->info.hash == again->info.hash);
  assert_int_equal(again->info.nleft_out, face->info.nleft_out);
  mien_face_free(again);
  mien_face_free(face);
  mien_rig_free(loaded);
  mien_rig_free(rig);
  remove(path);
  scene_mesh_free(&mesh);
}

// Thickness painted for a shape: half as deep there, and as deep as ever in the neutral.
static void thickness_follows_a_shape(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(20, 20, 0.2);
  static float lift[3 * NVERT], thin[NVERT], held[NVERT];
  for (int i = 0; i < NVERT; i++) {
    lift[3 * i + 2] = 0.002f;
    thin[i] = 0.004f;
  }
  const mien_shape shape = {"lift", {NULL, 0}, {lift, NVERT, 3}};
  const mien_map maps[] = {{"thickness:lift", 1, {thin, NVERT, 1}},
                           {"attachment", 1, {held, NVERT, 1}}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = &shape;
  def.nshape = 1;
  def.maps = maps;
  def.nmap = 2;
  mien_rig *rig = NULL;
  mien_state *made = NULL;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  mien_face *face = attach(rig, true); // 8 mm
  assert_int_equal(mien_state_create(face, NULL, &made, NULL), MIEN_OK);
  static const float weights[] = {0, 0.5f, 1};
  static const double expected[] = {0.008, 0.006, 0.004};
  for (int k = 0; k < 3; k++) {
    const float *x = pose(made, weights + k, 1)->flesh.data;
    for (int i = 0; i < NVERT; i++)
      assert_near(x[3 * i + 2] - x[3 * (NVERT + i) + 2], expected[k], 1e-5);
    assert_int_equal(count_inverted(face, x), 0);
  }
  mien_state_free(made);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

// What cannot be a thickness is named, and left as it was.
static void bad_thickness_is_named(void **state) {
  (void)state;
  scene_mesh mesh = scene_grid(20, 20, 0.2);
  static float lift[3 * NVERT], bad[NVERT];
  for (int i = 0; i < NVERT; i++) {
    lift[3 * i + 2] = 0.002f;
    bad[i] = i < 5 ? -0.004f : i < 12 ? 50 : 0;
  }
  const mien_shape shape = {"lift", {NULL, 0}, {lift, NVERT, 3}};
  const mien_map map = {"thickness:lift", 1, {bad, NVERT, 1}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = &shape;
  def.nshape = 1;
  mien_rig *rig = NULL, *plain_rig = NULL;
  assert_true(mien_rig_create(&def, NULL, &plain_rig, NULL) >= 0);
  def.maps = &map;
  def.nmap = 1;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  mien_face *face = attach(rig, true), *plain = attach(plain_rig, true);
  bool said = false;
  for (int i = 0; i < face->info.nremark; i++)
    said |= strstr(face->info.remarks[i], "'thickness:lift' is below 0 or above") != NULL &&
            strstr(face->info.remarks[i], "at 12 vertices and was ignored there") != NULL;
  assert_true(said);
  assert_int_equal(face->blendvolumes.first[1], plain->blendvolumes.first[1]);
  mien_face_free(face);
  mien_face_free(plain);
  mien_rig_free(rig);
  mien_rig_free(plain_rig);
  scene_mesh_free(&mesh);
}

static int stop_at_once(void *user, const char *what, double done) {
  (void)user, (void)done;
  return strcmp(what, "blendvolumes") == 0;
}

static void it_can_be_stopped(void **state) {
  (void)state;
  scene_mesh mesh;
  mien_rig *rig = make_rig(&mesh, 0);
  mien_face *face = NULL;
  mien_host host;
  mien_error err;
  mien_host_init(&host);
  host.progress = stop_at_once;
  assert_int_equal(mien_face_create(rig, NULL, &host, &face, &err), MIEN_ERR_CANCELLED);
  assert_non_null(strstr(err.text, "stopped"));
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_shape_inverts),
                                     cmocka_unit_test(folded_skin_is_said_and_left_out),
                                     cmocka_unit_test(folds_are_one_remark),
                                     cmocka_unit_test(a_file_keeps_them),
                                     cmocka_unit_test(thickness_follows_a_shape),
                                     cmocka_unit_test(bad_thickness_is_named),
                                     cmocka_unit_test(it_can_be_stopped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
