// Rigs from .glb files other programs write.
#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Four corners of a square, a second set of deltas, uvs and colours as bytes.
static const struct bin {
  float position[4][3]; // view 0, 48 bytes
  float delta[4][3];    // view 1
  uint16_t corner[6];   // view 2, 12 bytes
  uint8_t colour[4][4]; // view 3, 16 bytes
  uint16_t uv[4][2];    // view 4, 16 bytes
  float map[4];         // view 5, 16 bytes
} bin = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
         {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {0, 0, 4}},
         {0, 1, 2, 2, 1, 3},
         {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {51, 51, 51, 0}},
         {{0, 0}, {65535, 0}, {0, 65535}, {65535, 65535}},
         {1, 2, 3, 4}};

#define BUFFERS                                                                                    \
  "'buffers':[{'byteLength':156}],'bufferViews':[{'buffer':0,'byteLength':48},"                    \
  "{'buffer':0,'byteOffset':48,'byteLength':48},{'buffer':0,'byteOffset':96,'byteLength':12},"     \
  "{'buffer':0,'byteOffset':108,'byteLength':16},{'buffer':0,'byteOffset':124,'byteLength':16},"   \
  "{'buffer':0,'byteOffset':140,'byteLength':16}],"                                                \
  "'accessors':[{'bufferView':0,'componentType':5126,'count':4,'type':'VEC3'},"                    \
  "{'bufferView':1,'componentType':5126,'count':4,'type':'VEC3'},"                                 \
  "{'bufferView':2,'componentType':5123,'count':6,'type':'SCALAR'},"                               \
  "{'bufferView':3,'componentType':5121,'normalized':true,'count':4,'type':'VEC4'},"               \
  "{'bufferView':4,'componentType':5123,'normalized':true,'count':4,'type':'VEC2'},"               \
  "{'bufferView':5,'componentType':5126,'count':4,'type':'SCALAR'},"                               \
  "{'bufferView':2,'componentType':5123,'count':4,'type':'SCALAR'},"                               \
  "{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}]"

static mien_result read_json(const char *json, mien_rig **rig, mien_error *err) {
  _Static_assert(sizeof bin == 156, "as the JSON says");
  mien_host host = fixture_host();
  size_t size;
  unsigned char *bytes = fixture_glb(json, &bin, sizeof bin, &size);
  mien_result result = mi_glb_read_rig(bytes, size, NULL, &host, rig, err);
  free(bytes);
  return result;
}

static mien_rig *read_good(const char *json) {
  mien_rig *rig = NULL;
  mien_error err;
  if (read_json(json, &rig, &err) < 0) fail_msg("%s", err.text);
  return rig;
}

static void refuse(const char *json, mien_result code, const char *says) {
  mien_rig *rig = NULL;
  mien_error err;
  mien_result result = read_json(json, &rig, &err);
  if (result != code) fail_msg("%d instead of %d: %s", result, code, err.text);
  assert_null(rig);
  assert_text_has(err.text, says);
}

static bool has_remark(const mien_rig *rig, const char *piece) {
  for (int i = 0; i < rig->info.nremark; i++)
    if (strstr(rig->info.remarks[i], piece)) return true;
  return false;
}

static void reads_everything_a_mesh_has(void **state) {
  (void)state;
  mien_rig *rig = read_good(
      "{" BUFFERS ",'nodes':[{'name':'Head','mesh':0,'extras':{'mien':{'part':'skin',"
      "'metres_per_unit':0.01,'jaw':{'hinge':[1,2,3],'axis':[0,0,2],'open_angle':0.5}}}}],"
      "'scenes':[{'name':'Bob','nodes':[0]}],'meshes':[{'extras':{'targetNames':['jawOpen']},"
      "'primitives':[{'attributes':{'POSITION':0,'TEXCOORD_0':4,'COLOR_0':3,'_MIEN_THICKNESS':5},"
      "'indices':2,'targets':[{'POSITION':1,'NORMAL':0},{'NORMAL':0}]}]}]}");
  const mien_rig_info *info = &rig->info;
  assert_string_equal(info->name, "Bob");
  assert_int_equal(info->nrender, 4);
  assert_int_equal(info->ntri, 2);
  assert_memory_equal(info->positions.data, bin.position, sizeof bin.position);
  assert_memory_equal(info->triangles.data, ((const int32_t[]){0, 1, 2, 2, 1, 3}), 24);
  assert_true(info->uvs.data[7] == 1 && info->uvs.data[2] == 1 && info->uvs.data[3] == 0);
  assert_true(info->colours.data[0] == 1 && info->colours.data[12] == 51 / 255.0f);
  assert_true(info->colours.data[15] == 0);
  assert_int_equal(info->nshape, 2);
  assert_string_equal(info->shapes[0].name, "jawOpen");
  assert_string_equal(info->shapes[1].name, "target_1");
  assert_memory_equal(info->shapes[0].deltas.data, bin.delta, sizeof bin.delta);
  assert_int_equal(info->shapes[1].deltas.count, 0);
  assert_int_equal(info->nmap, 1);
  assert_string_equal(info->maps[0].name, "thickness");
  assert_memory_equal(info->maps[0].values.data, bin.map, sizeof bin.map);
  assert_true(info->source_unit == 0.01);
  assert_int_equal(info->parts[0].kind, MIEN_PART_SKIN);
  assert_string_equal(info->parts[0].name, "Head");
  assert_true(info->jaw.is_known && info->jaw.axis[2] == 1 && info->jaw.hinge[1] == 2);
  mi_rig_release(rig);
}

// A mesh used by two nodes is two parts; each stands where its node does, and so do its deltas.
static void nodes_move_their_meshes(void **state) {
  (void)state;
  mien_rig *rig = read_good(
      "{" BUFFERS ",'nodes':[{'children':[1,2],'scale':[2,2,2]},{'name':'a','mesh':0,"
      "'translation':[0,0,5]},{'name':'b','mesh':0,'scale':[-1,1,1]}],'scenes':[{'nodes':[0]}],"
      "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'_MIEN_THICKNESS':5},'indices':2,"
      "'targets':[{'POSITION':1}]}]}]}");
  const mien_rig_info *info = &rig->info;
  assert_int_equal(info->npart, 2);
  assert_int_equal(info->nshape, 1);
  assert_int_equal(info->nvert, 8);
  const float *p = info->positions.data;
  assert_true(p[3] == 2 && p[5] == 10); // a: doubled, after the shift
  assert_true(p[4 * 3 + 3] == -2);      // b: mirrored
  assert_int_equal(info->shapes[0].deltas.count, 8);
  assert_true(info->shapes[0].deltas.data[2] == 2); // not shifted
  // mirrored triangles are turned round so that they still face outwards
  assert_memory_equal(info->triangles.data, ((const int32_t[]){0, 1, 2}), 12);
  assert_memory_equal(info->triangles.data + 6, ((const int32_t[]){4, 6, 5}), 12);
  assert_true(info->maps[0].values.data[3] == 8); // lengths grow too
  mi_rig_release(rig);
}

static void primitives_are_merged(void **state) {
  (void)state;
  // two use the same arrays and share their vertices, the third has its own
  mien_rig *rig = read_good(
      "{" BUFFERS ",'nodes':[{'mesh':0}],'materials':[{'pbrMetallicRoughness':"
      "{'baseColorFactor':[1,0.5,0.25,1]}}],'meshes':[{'name':'m','primitives':["
      "{'attributes':{'POSITION':0},'indices':6,'mode':5,'targets':[{'POSITION':1}]},"
      "{'attributes':{'POSITION':0},'targets':[{'POSITION':1}],'mode':6},"
      "{'attributes':{'POSITION':7},'material':0},{'attributes':{'POSITION':0},'mode':0}]}]}");
  const mien_rig_info *info = &rig->info;
  assert_int_equal(info->npart, 1);
  assert_string_equal(info->parts[0].name, "m");
  assert_int_equal(info->nrender, 7);
  // strip over corners 0 1 2 2: its second triangle is degenerate and left out; fan over 0 1 2 3
  assert_int_equal(info->ntri, 1 + 2 + 1);
  assert_memory_equal(info->render_triangles.data,
                      ((const int32_t[]){0, 1, 2, 1, 2, 0, 2, 3, 0, 4, 5, 6}), 12 * 4);
  assert_true(has_remark(rig, "points or lines"));
  assert_true(info->colours.data[0] == 1 && info->colours.data[4 * 4 + 1] == 0.5f);
  mi_rig_release(rig);
}

static void strips_alternate(void **state) {
  (void)state;
  mien_rig *rig = read_good("{" BUFFERS ",'nodes':[{'mesh':0}],'meshes':[{'primitives':["
                            "{'attributes':{'POSITION':0},'mode':5}]}]}");
  assert_memory_equal(rig->info.render_triangles.data, ((const int32_t[]){0, 1, 2, 1, 3, 2}), 24);
  assert_null(rig->info.colours.data);
  assert_null(rig->info.uvs.data);
  mi_rig_release(rig);
}

static void skins_are_read_as_bound(void **state) {
  (void)state;
  mien_rig *rig = read_good(
      "{" BUFFERS ",'skins':[{'joints':[1]}],'nodes':[{'mesh':0,'skin':0,'translation':[9,9,9]},"
      "{'scale':[0.5,0.5,0.5]}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
      "'indices':2}]}]}");
  assert_true(has_remark(rig, "skin"));
  assert_true(rig->info.positions.data[3] == 0.5f);
  mi_rig_release(rig);
}

static void damage_is_refused(void **state) {
  (void)state;
#define MESH(primitive)                                                                            \
  "{" BUFFERS ",'nodes':[{'mesh':0}],'meshes':[{'primitives':[" primitive "]}]}"
  refuse("{" BUFFERS "}", MIEN_ERR_FORMAT, "no triangles");
  refuse(MESH("{'attributes':{'POSITION':0},'mode':1}"), MIEN_ERR_FORMAT, "no triangles");
  refuse(MESH("{'attributes':{},'indices':2}"), MIEN_ERR_FORMAT, "no positions");
  refuse(MESH("{'attributes':{'POSITION':5},'indices':2}"), MIEN_ERR_FORMAT, "no positions");
  refuse(MESH("{'attributes':{'POSITION':99},'indices':2}"), MIEN_ERR_FORMAT, "\"POSITION\" is 99");
  refuse(MESH("{'attributes':{'POSITION':7},'indices':2}"), MIEN_ERR_FORMAT, "names vertex 3 of 3");
  refuse(MESH("{'attributes':{'POSITION':0},'indices':0}"), MIEN_ERR_FORMAT, "not whole numbers");
  refuse(MESH("{'attributes':{'POSITION':0},'mode':7}"), MIEN_ERR_FORMAT, "mode 7");
  refuse(MESH("{'attributes':{'POSITION':7,'TEXCOORD_0':4}}"), MIEN_ERR_FORMAT,
         "TEXCOORD_0 has 4 elements for 3");
  refuse(MESH("{'attributes':{'POSITION':0,'COLOR_0':4},'indices':2}"), MIEN_ERR_FORMAT, "COLOR_0");
  refuse(MESH("{'attributes':{'POSITION':0},'indices':2,'targets':[{'POSITION':7}]}"),
         MIEN_ERR_FORMAT, "\"target_0\" has 3 deltas for 4");
  refuse("{" BUFFERS ",'nodes':[{'mesh':1}],'meshes':[{}]}", MIEN_ERR_FORMAT, "\"mesh\" is 1");
#define EXTRAS(text)                                                                               \
  "{" BUFFERS ",'nodes':[{'mesh':0,'extras':{'mien':{" text                                        \
  "}}}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':2}]}]}"
  refuse(EXTRAS("'landmarks':[1,2]"), MIEN_ERR_FORMAT, "68");
  refuse(EXTRAS("'metres_per_unit':-1"), MIEN_ERR_FORMAT, "metres_per_unit");
  refuse(EXTRAS("'jaw':{'hinge':[1,2]}"), MIEN_ERR_FORMAT, "mien.jaw");
  refuse(EXTRAS("'jaw':{'hinge':[0,0,0],'axis':[0,0,0],'open_angle':1}"), MIEN_ERR_FORMAT, "axis");
}

static void numbers_must_be_finite(void **state) {
  (void)state;
  const char *json = "{" BUFFERS ",'nodes':[{'mesh':0}],'meshes':[{'extras':{'targetNames':["
                     "'smile']},'primitives':[{'attributes':{'POSITION':0},'indices':2,"
                     "'targets':[{'POSITION':1}]}]}]}";
  mien_host host = fixture_host();
  for (int k = 0; k < 2; k++) {
    struct bin bad = bin;
    if (k)
      bad.delta[2][1] = NAN;
    else
      bad.position[1][0] = INFINITY;
    size_t size;
    unsigned char *bytes = fixture_glb(json, &bad, sizeof bad, &size);
    mien_rig *rig = NULL;
    mien_error err;
    assert_int_equal(mi_glb_read_rig(bytes, size, NULL, &host, &rig, &err), MIEN_ERR_NOT_FINITE);
    assert_text_has(err.text, k ? "smile" : "positions");
    free(bytes);
  }
  // transforms that overflow
  refuse("{" BUFFERS ",'nodes':[{'children':[1],'scale':[1e300,1e300,1e300]},{'mesh':0,"
         "'scale':[1e300,1,1]}],'scenes':[{'nodes':[0]}],'meshes':[{'primitives':["
         "{'attributes':{'POSITION':0},'indices':2}]}]}",
         MIEN_ERR_NOT_FINITE, "finite");
}

// A thousand nodes that use one mesh, each meaning a copy: bounded by the size of the file.
static void copies_do_not_unfold_without_end(void **state) {
  (void)state;
  enum { NNODE = 20000, NVERT = 20000 };
  char *json = malloc(64 * NNODE + 1000), *at = json;
  at += sprintf(at,
                "{'buffers':[{'byteLength':%d}],'bufferViews':[{'buffer':0,'byteLength':%d}],"
                "'accessors':[{'bufferView':0,'componentType':5126,'count':%d,'type':'VEC3'}],"
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],'nodes':[",
                NVERT * 12, NVERT * 12, NVERT);
  for (int i = 0; i < NNODE; i++) at += sprintf(at, "%s{'mesh':0}", i ? "," : "");
  sprintf(at, "]}");
  float *position = calloc(NVERT, 12);
  size_t size;
  unsigned char *bytes = fixture_glb(json, position, NVERT * 12, &size);
  mien_host host = fixture_host();
  mien_rig *rig = NULL;
  mien_error err;
  assert_int_equal(mi_glb_read_rig(bytes, size, NULL, &host, &rig, &err), MIEN_ERR_FORMAT);
  free(bytes);
  free(position);
  free(json);
}

static void bytes_may_lie_anywhere(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_rig_glb(&size);
  mien_host host = fixture_host();
  mien_rig *first = NULL;
  assert_true(mi_glb_read_rig(bytes, size, NULL, &host, &first, NULL) >= 0);
  unsigned char *room = malloc(size + 3);
  for (int shift = 1; shift < 4; shift++) {
    memcpy(room + shift, bytes, size);
    mien_rig *rig = NULL;
    assert_true(mi_glb_read_rig(room + shift, size, NULL, &host, &rig, NULL) >= 0);
    assert_true(rig->hash == first->hash);
    mi_rig_release(rig);
  }
  mi_rig_release(first);
  free(room);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_everything_a_mesh_has),
      cmocka_unit_test(nodes_move_their_meshes),
      cmocka_unit_test(primitives_are_merged),
      cmocka_unit_test(strips_alternate),
      cmocka_unit_test(skins_are_read_as_bound),
      cmocka_unit_test(damage_is_refused),
      cmocka_unit_test(numbers_must_be_finite),
      cmocka_unit_test(copies_do_not_unfold_without_end),
      cmocka_unit_test(bytes_may_lie_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
