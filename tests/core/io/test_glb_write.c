// What is written comes back bit for bit, and keeps the rules other programs rely on.
#include "fixture.h"
#include "scenes/shared_rigs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void assert_same_views(const mien_f32s *a, const mien_f32s *b, int width) {
  assert_int_equal(a->count, b->count);
  assert_int_equal(!a->data, !b->data);
  for (int i = 0; a->data && i < a->count; i++)
    assert_memory_equal(mi_f32s_at(a, width, i), mi_f32s_at(b, width, i),
                        (size_t)width * sizeof(float));
}

static void assert_same_indices(const mien_i32s *a, const mien_i32s *b) {
  assert_int_equal(a->count, b->count);
  assert_memory_equal(a->data, b->data, (size_t)a->count * sizeof *a->data);
}

static void assert_same_rigs(const mien_rig_info *a, const mien_rig_info *b) {
  assert_string_equal(a->name, b->name);
  assert_true(a->source_unit == b->source_unit);
  assert_same_views(&a->positions, &b->positions, 3);
  assert_same_views(&a->uvs, &b->uvs, 2);
  assert_same_views(&a->colours, &b->colours, 4);
  assert_same_indices(&a->triangles, &b->triangles);
  assert_same_indices(&a->render_triangles, &b->render_triangles);
  assert_same_indices(&a->render_map, &b->render_map);
  assert_same_indices(&a->landmarks, &b->landmarks);
  assert_memory_equal(&a->jaw, &b->jaw, sizeof a->jaw);
  assert_int_equal(a->npart, b->npart);
  for (int p = 0; p < a->npart; p++) {
    assert_string_equal(a->parts[p].name, b->parts[p].name);
    assert_int_equal(a->parts[p].kind, b->parts[p].kind);
    assert_int_equal(a->parts[p].nvert, b->parts[p].nvert);
    assert_int_equal(a->parts[p].ntri, b->parts[p].ntri);
  }
  assert_int_equal(a->nshape, b->nshape);
  for (int s = 0; s < a->nshape; s++) {
    assert_string_equal(a->shapes[s].name, b->shapes[s].name);
    assert_same_indices(&a->shapes[s].indices, &b->shapes[s].indices);
    assert_same_views(&a->shapes[s].deltas, &b->shapes[s].deltas, 3);
  }
  assert_int_equal(a->nmap, b->nmap);
  for (int m = 0; m < a->nmap; m++) {
    assert_string_equal(a->maps[m].name, b->maps[m].name);
    assert_int_equal(a->maps[m].width, b->maps[m].width);
    assert_same_views(&a->maps[m].values, &b->maps[m].values, a->maps[m].width);
  }
}

static unsigned char *write_rig(const mien_rig *rig, const mi_glb_extra *extra, size_t *size) {
  const char *path = fixture_path("out.glb");
  mien_error err;
  if (mi_glb_write(rig, extra, path, &err) < 0) fail_msg("%s", err.text);
  return fixture_read(path, size);
}

static json_t *json_of(const unsigned char *bytes) {
  uint32_t length;
  memcpy(&length, bytes + 12, sizeof length);
  json_error_t why;
  json_t *json = json_loadb((const char *)bytes + 20, length, 0, &why);
  if (!json) fail_msg("%s", why.text);
  return json;
}

static void a_rig_comes_back_bit_for_bit(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host), *back = NULL;
  size_t size;
  unsigned char *bytes = write_rig(rig, NULL, &size);
  mien_error err;
  if (mi_glb_read_rig(bytes, size, NULL, &host, &back, &err) < 0) fail_msg("%s", err.text);
  assert_same_rigs(&rig->info, &back->info);
  assert_true(rig->hash == back->hash);
  free(bytes);
  mi_rig_release(rig);
  mi_rig_release(back);
}

// Enough vertices that shapes become sparse and corners need 32 bits.
static void a_large_rig_comes_back_bit_for_bit(void **state) {
  (void)state;
  mien_host host = fixture_host();
  scene_mesh mesh = scene_grid(300, 230, 0.2);
  mien_rig_def def = scene_rig_def(&mesh);
  enum { NFEW = 100 };
  int32_t few[NFEW];
  float deltas[NFEW][3];
  float *all = malloc((size_t)mesh.nvert * 12);
  for (int i = 0; i < NFEW; i++) {
    few[i] = 600 * i + 7;
    for (int k = 0; k < 3; k++) deltas[i][k] = (float)(i + 1) / (float)(k + 3);
  }
  for (int i = 0; i < 3 * mesh.nvert; i++) all[i] = 1 / (float)(i + 1);
  const mien_shape shapes[] = {{"few", {few, NFEW}, {&deltas[0][0], NFEW, 3}},
                               {"all", {NULL, 0}, {all, mesh.nvert, 3}}};
  def.shapes = shapes;
  def.nshape = 2;
  mien_rig *rig = NULL, *back = NULL;
  assert_true(mi_rig_create(&def, &host, &rig, NULL) >= 0);
  assert_true(rig->info.nvert > 65536);
  size_t size;
  unsigned char *bytes = write_rig(rig, NULL, &size);
  assert_true(mi_glb_read_rig(bytes, size, NULL, &host, &back, NULL) >= 0);
  assert_same_views(&rig->info.positions, &back->info.positions, 3);
  for (int s = 0; s < 2; s++) {
    assert_same_indices(&rig->info.shapes[s].indices, &back->info.shapes[s].indices);
    assert_same_views(&rig->info.shapes[s].deltas, &back->info.shapes[s].deltas, 3);
  }
  json_t *json = json_of(bytes);
  json_t *targets = json_object_get(
      json_array_get(
          json_object_get(json_array_get(json_object_get(json, "meshes"), 0), "primitives"), 0),
      "targets");
  json_t *accessors = json_object_get(json, "accessors");
  for (int s = 0; s < 2; s++) {
    json_int_t index =
        json_integer_value(json_object_get(json_array_get(targets, (size_t)s), "POSITION"));
    json_t *sparse = json_object_get(json_array_get(accessors, (size_t)index), "sparse");
    assert_int_equal(sparse != NULL, s == 0);
  }
  json_decref(json);
  free(bytes);
  free(all);
  scene_mesh_free(&mesh);
  mi_rig_release(rig);
  mi_rig_release(back);
}

// A strip of squares cut into two parts whose triangles share the vertices of the cut.
static mien_rig *joined_rig(const mien_host *host) {
  scene_mesh mesh = scene_grid(1, 4, 0.2); // rows of two vertices, from below
  mien_rig_def def = scene_rig_def(&mesh);
  assert_int_equal(mesh.nvert, 10);
  const mien_part parts[] = {{"face", MIEN_PART_SKIN, 0, 6, 0, 4},
                             {"neck", MIEN_PART_SKIN, 6, 4, 4, 4}};
  const int32_t cut[] = {4, 5, 7};
  const float deltas[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const mien_shape shape = {"stretch", {cut, 3}, {deltas, 3, 3}};
  def.parts = parts;
  def.npart = 2;
  def.shapes = &shape;
  def.nshape = 1;
  mien_rig *rig = NULL;
  mien_error err;
  if (mi_rig_create(&def, host, &rig, &err) < 0) fail_msg("%s", err.text);
  scene_mesh_free(&mesh);
  return rig;
}

static void parts_that_grow_into_each_other_stay_joined(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mien_rig *rig = joined_rig(&host), *back = NULL;
  size_t size;
  unsigned char *bytes = write_rig(rig, NULL, &size);
  mien_error err;
  if (mi_glb_read_rig(bytes, size, NULL, &host, &back, &err) < 0) fail_msg("%s", err.text);
  assert_same_rigs(&rig->info, &back->info);
  mi_rig_release(back);

  // another program moved vertices about: the parts are read apart, and it is said
  static const char says[] = "\"borrowed\":[[\"face\",[4,5]";
  char *at = NULL;
  for (size_t i = 0; !at && i + sizeof says < size; i++)
    if (memcmp(bytes + i, says, sizeof says - 1) == 0) at = (char *)bytes + i;
  assert_non_null(at);
  at[sizeof says - 3] = '3';
  if (mi_glb_read_rig(bytes, size, NULL, &host, &back, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(back->info.nvert, rig->info.nvert + 2);
  bool is_said = false;
  for (int i = 0; i < back->info.nremark; i++)
    is_said |= strstr(back->info.remarks[i], "no longer joined") != NULL;
  assert_true(is_said);
  mi_rig_release(back);
  mi_rig_release(rig);
  free(bytes);
}

static void a_real_rig_comes_back_bit_for_bit(void **state) {
  (void)state;
  mien_host host = fixture_host();
  shared_truth truth;
  mien_rig *rig = shared_rig_load("ict-facekit", NULL, &truth), *back = NULL;
  size_t size;
  unsigned char *bytes = write_rig(rig, NULL, &size);
  mien_error err;
  if (mi_glb_read_rig(bytes, size, NULL, &host, &back, &err) < 0) fail_msg("%s", err.text);
  // the rig was made without welding, reading welds: what is per render vertex must agree
  const mien_rig_info *a = &rig->info, *b = &back->info;
  assert_int_equal(a->nrender, b->nrender);
  assert_same_indices(&a->render_triangles, &b->render_triangles);
  for (int v = 0; v < a->nrender; v++)
    assert_memory_equal(mi_f32s_at(&a->positions, 3, a->render_map.data[v]),
                        mi_f32s_at(&b->positions, 3, b->render_map.data[v]), 12);
  assert_int_equal(a->nshape, b->nshape);
  float *weights = calloc((size_t)a->nshape, sizeof *weights);
  float *pose_a = malloc((size_t)a->nvert * 12), *pose_b = malloc((size_t)b->nvert * 12);
  for (int s = 0; s < a->nshape; s++) {
    assert_string_equal(a->shapes[s].name, b->shapes[s].name);
    weights[s] = 1;
    mi_rig_pose(rig, weights, a->nshape, pose_a);
    mi_rig_pose(back, weights, a->nshape, pose_b);
    weights[s] = 0;
    for (int v = 0; v < a->nrender; v++)
      assert_memory_equal(pose_a + 3 * a->render_map.data[v], pose_b + 3 * b->render_map.data[v],
                          12);
  }
  free(weights);
  free(pose_a);
  free(pose_b);
  free(bytes);
  mi_rig_release(rig);
  mi_rig_release(back);
}

static void a_take_comes_back(void **state) {
  (void)state;
  mien_host host = fixture_host();
  size_t size;
  unsigned char *bytes = fixture_rig_glb(&size);
  mien_take *take = fixture_take(&host), *back = NULL;
  mien_error err;
  if (mi_glb_read_take(bytes, size, &host, &back, &err) < 0) fail_msg("%s", err.text);
  assert_string_equal(back->info.name, "nod");
  assert_int_equal(back->info.nframe, 5);
  assert_memory_equal(back->info.times, take->info.times, 5 * sizeof(double));
  int nmatched = 0;
  for (int c = 0; c < back->info.nchannel; c++) {
    int from = -1;
    for (int k = 0; k < 2; k++)
      if (strcmp(take->info.channels[k], back->info.channels[c]) == 0) from = k;
    nmatched += from >= 0;
    for (int f = 0; f < 5; f++)
      assert_true(back->info.weights[f * back->info.nchannel + c] ==
                  (from < 0 ? 0 : take->info.weights[f * 2 + from]));
  }
  assert_int_equal(nmatched, 2);
  for (int f = 0; f < 5; f++) {
    for (int k = 0; k < 4; k++)
      assert_near(back->info.head[f].rotation[k], take->info.head[f].rotation[k], 1e-7);
    for (int k = 0; k < 3; k++)
      assert_near(back->info.head[f].translation[k], take->info.head[f].translation[k], 1e-7);
  }
  free(bytes);
  fixture_free_take(take);
  fixture_free_take(back);
}

// Times before 0 are not allowed in glTF, nor are two that are the same as floats.
static void times_keep_the_rules(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host);
  mien_take_def def;
  mien_take_def_init(&def);
  def.channels = (const char *const[]){"JAW_OPEN"};
  def.nchannel = 1;
  def.nframe = 4;
  def.times = (const double[]){-1, 0, 1, 1 + 1e-12};
  def.weights = (const float[]){0, 0.25f, 0.5f, 1};
  mien_take *take = NULL, *back = NULL;
  assert_int_equal(mi_take_create(&def, &host, &take, NULL), MIEN_OK);
  size_t size;
  unsigned char *bytes = write_rig(rig, &(mi_glb_extra){.take = take}, &size);
  assert_int_equal(mi_glb_read_take(bytes, size, &host, &back, NULL), MIEN_OK);
  assert_int_equal(back->info.nframe, 3);
  assert_true(back->info.times[0] == 0 && back->info.times[2] == 2);
  assert_null(back->info.head);
  free(bytes);
  fixture_free_take(take);
  fixture_free_take(back);
  mi_rig_release(rig);
}

static void extra_maps_and_members_are_added(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host), *back = NULL;
  int n = rig->info.nvert;
  float values[32], zero[32] = {0};
  assert_true(n <= 32);
  for (int i = 0; i < n; i++) values[i] = (float)(i + 1);
  const mien_map maps[] = {{"thickness", 1, {values, n, 1}}, {"empty", 1, {zero, n, 1}}};
  size_t size;
  unsigned char *bytes = write_rig(
      rig, &(mi_glb_extra){.maps = maps, .nmap = 2, .mien_json = "{\"flesh\":{\"a\":[1,2]}}"},
      &size);
  assert_true(mi_glb_read_rig(bytes, size, NULL, &host, &back, NULL) >= 0);
  assert_int_equal(back->info.nmap, 3);
  int m = mi_rig_find_map(back, "thickness");
  assert_memory_equal(back->info.maps[m].values.data, values, (size_t)n * sizeof(float));
  assert_true(mi_rig_find_map(back, "empty") >= 0);
  json_t *json = json_of(bytes);
  json_t *node = json_array_get(json_object_get(json, "nodes"), 0);
  json_t *mien = json_object_get(json_object_get(node, "extras"), "mien");
  assert_int_equal(json_array_size(json_object_get(json_object_get(mien, "flesh"), "a")), 2);
  json_decref(json);
  free(bytes);

  mien_error err;
  const char *path = fixture_path("never.glb");
  assert_int_equal(mi_glb_write(rig, &(mi_glb_extra){.mien_json = "[1]"}, path, &err),
                   MIEN_ERR_ARGUMENT);
  const mien_map wrong = {"wrong", 1, {values, n - 1, 1}};
  assert_int_equal(mi_glb_write(rig, &(mi_glb_extra){.maps = &wrong, .nmap = 1}, path, &err),
                   MIEN_ERR_MISMATCH);
  mi_rig_release(rig);
  mi_rig_release(back);
}

// The rules of the Khronos validator that are easily broken.
static void the_file_is_valid(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_rig_glb(&size);
  uint32_t word[5];
  memcpy(word, bytes, sizeof word);
  assert_int_equal(word[2], size);
  assert_int_equal(word[3] % 4, 0);
  json_t *json = json_of(bytes), *item;
  size_t i, bin_length = (size_t)json_integer_value(
                json_object_get(json_array_get(json_object_get(json, "buffers"), 0), "byteLength"));
  assert_int_equal(size, 20 + word[3] + 8 + bin_length);
  json_array_foreach(json_object_get(json, "bufferViews"), i, item) {
    json_int_t offset = json_integer_value(json_object_get(item, "byteOffset"));
    json_int_t length = json_integer_value(json_object_get(item, "byteLength"));
    assert_int_equal(offset % 4, 0);
    assert_true(length > 0 && offset + length <= (json_int_t)bin_length);
  }
  json_t *accessors = json_object_get(json, "accessors"), *mesh;
  json_array_foreach(json_object_get(json, "meshes"), i, mesh) {
    json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0), *target;
    json_t *targets = json_object_get(primitive, "targets");
    assert_int_equal(json_array_size(targets), json_array_size(json_object_get(mesh, "weights")));
    size_t t, needed = 0;
    json_array_foreach(targets, t, target) {
      json_int_t index = json_integer_value(json_object_get(target, "POSITION"));
      item = json_array_get(accessors, (size_t)index);
      needed += json_array_size(json_object_get(item, "min")) == 3 &&
                json_array_size(json_object_get(item, "max")) == 3;
    }
    assert_int_equal(needed, json_array_size(targets));
    json_t *attributes = json_object_get(primitive, "attributes");
    item = json_array_get(accessors,
                          (size_t)json_integer_value(json_object_get(attributes, "POSITION")));
    assert_int_equal(json_array_size(json_object_get(item, "min")), 3);
    item = json_array_get(accessors,
                          (size_t)json_integer_value(json_object_get(attributes, "NORMAL")));
    assert_non_null(item);
  }
  json_decref(json);
  free(bytes);
}

static mien_result write_once(const mien_host *host, void *user) {
  // the rig and take are made with the default host: only the writer's memory fails
  mien_rig *rig = user;
  mien_host before = rig->host;
  rig->host = *host;
  mien_host plain = fixture_host();
  mien_take *take = fixture_take(&plain);
  take->host = *host;
  mien_error err;
  mien_result result =
      mi_glb_write(rig, &(mi_glb_extra){.take = take}, fixture_path("fail.glb"), &err);
  rig->host = before;
  fixture_free_take(take);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mien_rig *rig = fixture_rig(&host);
  scene_fail_every_allocation(write_once, rig);
  mi_rig_release(rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rig_comes_back_bit_for_bit),
      cmocka_unit_test(a_large_rig_comes_back_bit_for_bit),
      cmocka_unit_test(parts_that_grow_into_each_other_stay_joined),
      cmocka_unit_test(a_real_rig_comes_back_bit_for_bit),
      cmocka_unit_test(a_take_comes_back),
      cmocka_unit_test(times_keep_the_rules),
      cmocka_unit_test(extra_maps_and_members_are_added),
      cmocka_unit_test(the_file_is_valid),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
