#include "creature/creature.h"
#include "mesh_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int make_creature(void **state) {
  creature_rig *rig = malloc(sizeof *rig);
  if (!rig || creature_create(rig) != 0) return -1;
  *state = rig;
  return 0;
}

static int drop_creature(void **state) {
  creature_free(*state);
  free(*state);
  return 0;
}

static const mien_rig_def *definition(void **state) {
  return &((creature_rig *)*state)->store.def;
}

static const mien_shape *find_shape(const mien_rig_def *def, const char *name) {
  for (int s = 0; s < def->nshape; s++) {
    if (strcmp(def->shapes[s].name, name) == 0) return &def->shapes[s];
  }
  fail_msg("no shape %s", name);
  return NULL;
}

static const mien_part *find_part(const mien_rig_def *def, mien_part_kind kind) {
  for (int k = 0; k < def->npart; k++) {
    if (def->parts[k].kind == kind) return &def->parts[k];
  }
  fail_msg("no part of kind %d", (int)kind);
  return NULL;
}

static int region(const mien_rig_def *def, int v) {
  assert_string_equal(def->maps[0].name, "region");
  return (int)def->maps[0].values.data[v];
}

static float *rest_pose(const mien_rig_def *def) {
  size_t bytes = 3 * (size_t)def->positions.count * sizeof(float);
  float *pose = malloc(bytes);
  assert_non_null(pose);
  memcpy(pose, def->positions.data, bytes);
  return pose;
}

static void add_shape(float *pose, const mien_shape *shape, float weight) {
  for (int k = 0; k < shape->indices.count; k++) {
    for (int a = 0; a < 3; a++)
      pose[3 * shape->indices.data[k] + a] += weight * shape->deltas.data[3 * k + a];
  }
}

static double distance(const float *a, const float *b) {
  return sqrt(pow((double)a[0] - b[0], 2) + pow((double)a[1] - b[1], 2) +
              pow((double)a[2] - b[2], 2));
}

// -- The mesh -------------------------------------------------------------------------------------

static void skin_is_one_sound_sheet(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  mesh_report report;
  assert_int_equal(mesh_check(def, skin, &report), 0);
  assert_in_range(skin->nvert, 4000, 6500);
  assert_int_equal(report.ncomponent, 1);
  assert_int_equal(report.nbad_edge, 0);
  assert_int_equal(report.nbad_vertex, 0);
  assert_int_equal(report.nborder_loop, 3); // the neck and behind the lids
  assert_true(report.volume > 0.004 && report.volume < 0.008);
  assert_true(report.least_area > 1e-7);
  assert_true(report.least_angle > 4.0);
  assert_true(report.mean_quality > 0.68);
  assert_int_equal(mesh_count_crossings(def, skin, NULL), 0);
}

static void bones_and_eyes_are_closed(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part_kind kinds[] = {MIEN_PART_SKULL, MIEN_PART_JAW, MIEN_PART_EYE_LEFT,
                                  MIEN_PART_EYE_RIGHT};
  for (int i = 0; i < 4; i++) {
    mesh_report report;
    const mien_part *part = find_part(def, kinds[i]);
    assert_int_equal(mesh_check(def, part, &report), 0);
    assert_int_equal(report.ncomponent, 1);
    assert_int_equal(report.nborder_edge, 0);
    assert_int_equal(report.nbad_edge, 0);
    assert_int_equal(report.nbad_vertex, 0);
    assert_true(report.volume > 1e-5);
    assert_true(report.least_angle > 4.0);
    assert_int_equal(mesh_count_crossings(def, part, NULL), 0);
  }
  // +X is the subject's left.
  const mien_part *left = find_part(def, MIEN_PART_EYE_LEFT);
  assert_true(def->positions.data[3 * left->first_vertex] > 0.02f);
}

// One mesh of two parts crosses nothing: the bones lie under the skin and the eyes behind the lids.
static void parts_keep_apart(void **state) {
  const mien_rig_def *def = definition(state);
  mien_part all = {.name = "all", .nvert = def->positions.count, .ntri = def->faces.count / 3};
  assert_int_equal(mesh_count_crossings(def, &all, NULL), 0);
}

static void border_is_marked(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  mesh_report report;
  assert_int_equal(mesh_check(def, skin, &report), 0);
  int marked = 0;
  for (int v = 0; v < skin->nvert; v++) marked += (region(def, v) & MIEN_REGION_BORDER) != 0;
  assert_int_equal(marked, report.nborder_edge);
}

static void same_bits_every_time(void **state) {
  const mien_rig_def *def = definition(state);
  creature_rig again;
  assert_int_equal(creature_create(&again), 0);
  size_t bytes = 3 * (size_t)def->positions.count * sizeof(float);
  assert_memory_equal(def->positions.data, again.store.def.positions.data, bytes);
  for (int s = 0; s < def->nshape; s++) {
    const mien_shape *a = &def->shapes[s], *b = &again.store.def.shapes[s];
    assert_int_equal(a->deltas.count, b->deltas.count);
    assert_memory_equal(a->deltas.data, b->deltas.data,
                        3 * (size_t)a->deltas.count * sizeof(float));
  }
  creature_free(&again);
}

// -- Tentacles ------------------------------------------------------------------------------------

static int root_of(int *parent, int v) {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

static void tentacles_hang_apart(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  int *parent = malloc((size_t)skin->nvert * sizeof *parent);
  assert_non_null(parent);
  for (int v = 0; v < skin->nvert; v++) parent[v] = v;
  for (int i = 0; i < 3 * skin->ntri; i++) {
    int a = def->faces.data[i], b = def->faces.data[i - i % 3 + (i + 1) % 3];
    if (region(def, a) & region(def, b) & MIEN_REGION_PASSIVE)
      parent[root_of(parent, a)] = root_of(parent, b);
  }
  int count = 0;
  double least = 1.0;
  for (int v = 0; v < skin->nvert; v++) {
    if (!(region(def, v) & MIEN_REGION_PASSIVE)) continue;
    count += parent[v] == v;
    for (int w = 0; w < skin->nvert; w++) {
      int is_other_tentacle =
          (region(def, w) & MIEN_REGION_PASSIVE) && root_of(parent, v) != root_of(parent, w);
      int is_face = region(def, w) == 0;
      if (is_other_tentacle || is_face)
        least = fmin(least, distance(def->positions.data + 3 * v, def->positions.data + 3 * w));
    }
  }
  free(parent);
  assert_int_equal(count, 8);
  assert_true(least >= 0.002);
}

static void shapes_leave_the_free_part_alone(void **state) {
  const mien_rig_def *def = definition(state);
  int passive = 0;
  for (int v = 0; v < def->positions.count; v++)
    passive += (region(def, v) & MIEN_REGION_PASSIVE) != 0;
  assert_true(passive > 500);
  for (int s = 0; s < def->nshape; s++) {
    for (int k = 0; k < def->shapes[s].indices.count; k++)
      assert_false(region(def, def->shapes[s].indices.data[k]) & MIEN_REGION_PASSIVE);
  }
}

// -- Shapes ---------------------------------------------------------------------------------------

static void shapes_are_named_and_sparse(void **state) {
  const mien_rig_def *def = definition(state);
  static const char *const NAMES[] = {"jawOpen",          "mouthClose",     "mouthSmileLeft",
                                      "mouthSmileRight",  "mouthFrownLeft", "mouthFrownRight",
                                      "mouthPucker",      "mouthFunnel",    "browDownLeft",
                                      "browDownRight",    "browInnerUp",    "browOuterUpLeft",
                                      "browOuterUpRight", "eyeBlinkLeft",   "eyeBlinkRight",
                                      "cheekPuff",        "swell",          "shrink"};
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    const mien_shape *shape = find_shape(def, NAMES[i]);
    assert_true(shape->indices.count > 20);
    assert_true(shape->indices.count < def->positions.count * 6 / 10);
    assert_int_equal(shape->indices.count, shape->deltas.count);
    for (int k = 1; k < shape->indices.count; k++)
      assert_true(shape->indices.data[k] > shape->indices.data[k - 1]);
  }
}

static void sides_do_not_mix(void **state) {
  const mien_rig_def *def = definition(state);
  static const char *const LEFT[] = {"mouthSmileLeft", "mouthFrownLeft", "browDownLeft",
                                     "browOuterUpLeft", "eyeBlinkLeft"};
  for (size_t i = 0; i < sizeof LEFT / sizeof LEFT[0]; i++) {
    const mien_shape *shape = find_shape(def, LEFT[i]);
    for (int k = 0; k < shape->indices.count; k++)
      assert_true(def->positions.data[3 * shape->indices.data[k]] > -0.025f);
  }
}

static void jaw_turns_about_its_hinge(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *jaw = find_part(def, MIEN_PART_JAW);
  assert_int_equal(def->jaw.is_known, 1);
  float *pose = rest_pose(def);
  add_shape(pose, find_shape(def, "jawOpen"), 1.0f);
  double c = cos(def->jaw.open_angle), s = sin(def->jaw.open_angle);
  for (int v = jaw->first_vertex; v < jaw->first_vertex + jaw->nvert; v++) {
    double y = def->positions.data[3 * v + 1] - def->jaw.hinge[1];
    double z = def->positions.data[3 * v + 2] - def->jaw.hinge[2];
    assert_true(fabs(pose[3 * v] - def->positions.data[3 * v]) < 1e-6);
    assert_true(fabs(pose[3 * v + 1] - def->jaw.hinge[1] - (c * y - s * z)) < 1e-6);
    assert_true(fabs(pose[3 * v + 2] - def->jaw.hinge[2] - (s * y + c * z)) < 1e-6);
  }
  free(pose);
}

// The gap between the inner lips in the middle of the mouth.
static double lip_gap(const mien_rig_def *def, const float *pose) {
  double gap = 1.0;
  for (int v = 0; v < def->positions.count; v++) {
    int lower = MIEN_REGION_LIP_LOWER | MIEN_REGION_LIP_INNER;
    if ((region(def, v) & lower) != lower || fabsf(def->positions.data[3 * v]) > 0.004f) continue;
    for (int w = 0; w < def->positions.count; w++) {
      int upper = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_INNER;
      if ((region(def, w) & upper) == upper) gap = fmin(gap, distance(pose + 3 * v, pose + 3 * w));
    }
  }
  return gap;
}

static void equal_weights_seal_the_lips(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  double at_rest = lip_gap(def, def->positions.data);
  assert_true(at_rest > 0.0003 && at_rest < 0.0015);
  for (int i = 1; i <= 2; i++) {
    float *pose = rest_pose(def);
    add_shape(pose, find_shape(def, "jawOpen"), 0.5f * (float)i);
    assert_true(lip_gap(def, pose) > 0.010 * i);
    add_shape(pose, find_shape(def, "mouthClose"), 0.5f * (float)i);
    assert_true(fabs(lip_gap(def, pose) - at_rest) < 0.0003);
    assert_int_equal(mesh_count_crossings(def, skin, pose), 0);
    free(pose);
  }
}

static void poses_do_not_fold(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  for (int s = 0; s < def->nshape; s++) {
    if (strcmp(def->shapes[s].name, "mouthClose") == 0) continue; // meant for an open jaw
    float *pose = rest_pose(def);
    add_shape(pose, &def->shapes[s], 1.0f);
    assert_int_equal(mesh_count_crossings(def, skin, pose), 0);
    free(pose);
  }
}

static double volume_of(const mien_rig_def *def, const mien_part *part, const float *pose) {
  double volume = 0.0;
  for (int t = part->first_triangle; t < part->first_triangle + part->ntri; t++) {
    const float *p[3];
    for (int k = 0; k < 3; k++) p[k] = pose + 3 * def->faces.data[3 * t + k];
    volume += (p[0][0] * ((double)p[1][1] * p[2][2] - (double)p[1][2] * p[2][1]) +
               p[0][1] * ((double)p[1][2] * p[2][0] - (double)p[1][0] * p[2][2]) +
               p[0][2] * ((double)p[1][0] * p[2][1] - (double)p[1][1] * p[2][0])) /
              6.0;
  }
  return volume;
}

static void extremes_change_the_volume(void **state) {
  const mien_rig_def *def = definition(state);
  const mien_part *skin = find_part(def, MIEN_PART_SKIN);
  double rest = volume_of(def, skin, def->positions.data);
  float *pose = rest_pose(def);
  add_shape(pose, find_shape(def, "swell"), 1.0f);
  assert_true(volume_of(def, skin, pose) > 1.5 * rest);
  free(pose);
  pose = rest_pose(def);
  add_shape(pose, find_shape(def, "shrink"), 1.0f);
  assert_true(volume_of(def, skin, pose) < 0.9 * rest);
  free(pose);
}

// -- The whole rig --------------------------------------------------------------------------------

static void mien_accepts_it(void **state) {
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_error error;
  assert_int_equal(mien_rig_create(definition(state), NULL, &rig, &error), MIEN_OK);
  assert_true(mien_face_create(rig, NULL, NULL, &face, &error) >= 0);
  const mien_face_info *info = mien_face_get_info(face);
  assert_int_equal(info->ninverted, 0);
  // mouthClose without the jaw it is made for folds the skin over itself at one corner
  assert_in_range(info->nleft_out, 0, 1);
  assert_int_equal(info->has_mouth, 1);
  assert_true(info->npassive > 500);
  mien_face_free(face);
  mien_rig_free(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(skin_is_one_sound_sheet),
      cmocka_unit_test(bones_and_eyes_are_closed),
      cmocka_unit_test(parts_keep_apart),
      cmocka_unit_test(border_is_marked),
      cmocka_unit_test(same_bits_every_time),
      cmocka_unit_test(tentacles_hang_apart),
      cmocka_unit_test(shapes_leave_the_free_part_alone),
      cmocka_unit_test(shapes_are_named_and_sparse),
      cmocka_unit_test(sides_do_not_mix),
      cmocka_unit_test(jaw_turns_about_its_hinge),
      cmocka_unit_test(equal_weights_seal_the_lips),
      cmocka_unit_test(poses_do_not_fold),
      cmocka_unit_test(extremes_change_the_volume),
      cmocka_unit_test(mien_accepts_it),
  };
  return cmocka_run_group_tests(tests, make_creature, drop_creature);
}
