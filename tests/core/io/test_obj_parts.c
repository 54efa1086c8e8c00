// OBJ texts -> rigs, without a folder: splitting by uv, groups, units.
#include "fixture.h"
#include "io/obj.h"

#include <stdlib.h>
#include <string.h>

static mien_rig *build(const char *neutral, const char *shape, const char *json) {
  mien_host host = fixture_host();
  mien_error err;
  mi_obj_rig making;
  mien_rig *rig = NULL;
  mi_obj_begin(&making, &host, &err);
  mien_result result =
      mi_obj_set_neutral(&making, &(mi_obj_text){"neutral.obj", neutral, strlen(neutral)});
  if (result >= 0 && shape)
    result = mi_obj_add_shape(&making, "s", &(mi_obj_text){"s.obj", shape, strlen(shape)});
  if (result >= 0) result = mi_obj_finish(&making, json, json ? strlen(json) : 0, &rig);
  mi_obj_end(&making);
  if (result < 0) fail_msg("%s", err.text);
  return rig;
}

static bool has_remark(const mien_rig *rig, const char *piece) {
  for (int i = 0; i < rig->info.nremark; i++)
    if (strstr(rig->info.remarks[i], piece)) return true;
  return false;
}

#define SQUARE "v 0 0 0\nv 20 0 0\nv 20 20 0\nv 0 20 0\nv 5 5 5\n"

static void vertices_split_along_uv_seams(void **state) {
  (void)state;
  // vertices 1 and 3 have two uvs each, vertex 5 is in no face
  mien_rig *rig = build(SQUARE "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.5 0.25\n"
                               "f 1/1 2/2 3/3\nf 1/5 3/5 4/4\n",
                        "v 0 0 1\nv 20 0 0\nv 20 20 0\nv 0 20 0\nv 5 5 5\n", NULL);
  const mien_rig_info *info = &rig->info;
  assert_int_equal(info->nrender, 7);
  assert_int_equal(info->nvert, 5);
  assert_memory_equal(info->render_map.data, ((const int32_t[]){0, 0, 1, 2, 2, 3, 4}), 28);
  assert_memory_equal(info->render_triangles.data, ((const int32_t[]){0, 2, 3, 1, 4, 5}), 24);
  assert_true(info->uvs.data[0] == 0 && info->uvs.data[1] == 1); // v counts downwards
  assert_true(info->uvs.data[2] == 0.5f && info->uvs.data[3] == 0.75f);
  assert_int_equal(info->shapes[0].indices.count, 1);
  assert_near((double)info->shapes[0].deltas.data[2], 0.01, 1e-9);
  mi_rig_release(rig);
}

// Whatever a file calls its parts: a rig's names are UTF-8 that can be printed.
static void names_can_be_printed(void **state) {
  (void)state;
  mien_rig *rig = build("g M\xe4"
                        "d\nv 0 0 0\nv 20 0 0\nv 0 20 0\nf 1 2 3\n"
                        "g a\x1b]0;x\nv 0 0 1\nv 20 0 1\nv 0 20 1\nf 4 5 6\n",
                        NULL, NULL);
  assert_int_equal(rig->info.npart, 2);
  assert_string_equal(rig->info.parts[0].name, "M\xc3\xa4"
                                               "d");
  assert_string_equal(rig->info.parts[1].name, "a\xe2\x90\x9b]0;x");
  mi_rig_release(rig);
}

static void the_unit_is_guessed_from_the_size(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double unit;
  } cases[] = {{"v 0 0 0\nv 0.2 0.25 0\nv 0 0.25 0\nf 1 2 3\n", 1},
               {"v 0 0 0\nv 20 25 0\nv 0 25 0\nf 1 2 3\n", 0.01},
               {"v 0 0 0\nv 200 250 0\nv 0 250 0\nf 1 2 3\n", 0.001}};
  for (int i = 0; i < 3; i++) {
    mien_rig *rig = build(cases[i].text, NULL, NULL);
    assert_true(rig->info.source_unit == cases[i].unit);
    assert_near((double)rig->info.box_max[1], 0.25, 1e-6);
    assert_true(has_remark(rig, "unit"));
    mi_rig_release(rig);
    rig = build(cases[i].text, NULL, "{\"metres_per_unit\":2}");
    assert_true(rig->info.source_unit == 2);
    assert_false(has_remark(rig, "do not say their unit"));
    mi_rig_release(rig);
  }
}

static void groups_become_parts(void **state) {
  (void)state;
  mien_rig *rig = build("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\nv 1 1 5\n"
                        "o nobody\ng skin\nf 1 2 3\ng eye left\nf 4 5 6\nf 5 7 6\n",
                        NULL, "{\"metres_per_unit\":1}");
  assert_int_equal(rig->info.npart, 2);
  assert_string_equal(rig->info.parts[0].name, "skin");
  assert_string_equal(rig->info.parts[1].name, "eye left");
  assert_int_equal(rig->info.parts[1].first_vertex, 3);
  assert_int_equal(rig->info.parts[1].ntri, 2);
  mi_rig_release(rig);
}

static void mixed_groups_are_one_part(void **state) {
  (void)state;
  static const char *const texts[] = {
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\ng a\nf 1 2 3\ng b\nf 2 4 3\n", // shared
      "v 0 0 0\nv 0 0 5\nv 1 0 0\nv 1 0 5\nv 0 1 0\nv 0 1 5\ng a\nf 1 3 5\ng b\nf 2 4 "
      "6\n", // mixed
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\ng b\nf 4 5 6\ng a\nf 1 2 "
      "3\n", // swapped
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\ng a\nf 4 5 6\ng "
      "b\n", // bare
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nv 0 0 5\nv 1 0 5\nv 0 1 5\n"
      "g a\nf 1 2 3\ng b\nf 5 6 7\ng a\nf 2 4 3\n"}; // comes back
  for (int i = 0; i < 5; i++) {
    mien_rig *rig = build(texts[i], NULL, "{\"metres_per_unit\":1}");
    assert_int_equal(rig->info.npart, 1);
    assert_true(has_remark(rig, "one part"));
    mi_rig_release(rig);
  }
}

static void landmarks_and_jaw_come_from_json(void **state) {
  (void)state;
  char json[1000] = "{\"metres_per_unit\":0.01,\"landmarks\":[";
  for (int i = 0; i < 68; i++) strcat(json, i == 0 ? "2" : ",-1");
  strcat(json, "],\"jaw\":{\"hinge\":[1,2,3],\"axis\":[1,0,0],\"open_angle\":0.5}}");
  mien_rig *rig = build(SQUARE "vt 0 0\nvt 1 1\nf 1/1 2/1 3/1\nf 1/2 3/2 4/2\n", NULL, json);
  assert_int_equal(rig->info.landmarks.data[0], 2);
  assert_int_equal(rig->info.nlandmark, 1);
  assert_near((double)rig->info.jaw.hinge[2], 0.03, 1e-8);
  mi_rig_release(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vertices_split_along_uv_seams),
      cmocka_unit_test(names_can_be_printed),
      cmocka_unit_test(the_unit_is_guessed_from_the_size),
      cmocka_unit_test(groups_become_parts),
      cmocka_unit_test(mixed_groups_are_one_part),
      cmocka_unit_test(landmarks_and_jaw_come_from_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
