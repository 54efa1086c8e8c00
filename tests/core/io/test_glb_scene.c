// Nodes: order, transforms, cycles, depth.
#include "fixture.h"
#include "io/glb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mien_result read_scene(const char *json, mi_glb *glb, mi_glb_scene *scene) {
  static mien_host host;
  static mien_error err;
  host = fixture_host();
  size_t size;
  unsigned char *bytes = fixture_glb(json, NULL, 0, &size);
  if (mi_glb_open(glb, bytes, size, &host, &err) < 0) fail_msg("%s", err.text);
  mien_result result = mi_glb_read_scene(glb, scene);
  free(bytes); // JSON was copied, and there is no binary chunk
  return result;
}

static void children_follow_their_parent(void **state) {
  (void)state;
  mi_glb glb;
  mi_glb_scene scene;
  assert_int_equal(
      read_scene("{'scene':0,'scenes':[{'name':'s','nodes':[3,0]}],'nodes':["
                 "{},{'translation':[1,2,3]},{},"
                 "{'children':[1,2],'scale':[2,2,2],'rotation':[0,0,0.7071067811865476,"
                 "0.7071067811865476]}]}",
                 &glb, &scene),
      MIEN_OK);
  assert_string_equal(scene.name, "s");
  assert_int_equal(scene.norder, 4);
  assert_memory_equal(scene.order, ((const int[]){3, 1, 2, 0}), 4 * sizeof(int));
  // a quarter turn about z after (1, 2, 3), doubled: (-4, 2, 6)
  const mi_affine *world = &scene.node[1].world;
  assert_near(world->m[0][3], -4, 1e-12);
  assert_near(world->m[1][3], 2, 1e-12);
  assert_near(world->m[2][3], 6, 1e-12);
  assert_true(mi_affine_is_identity(&scene.node[0].world));
  mi_glb_close(&glb);
}

static void a_matrix_is_column_major(void **state) {
  (void)state;
  mi_glb glb;
  mi_glb_scene scene;
  assert_int_equal(
      read_scene("{'nodes':[{'matrix':[1,2,3,0,4,5,6,0,7,8,9,0,10,11,12,1]}]}", &glb, &scene),
      MIEN_OK);
  const mi_affine *world = &scene.node[0].world;
  assert_true(world->m[0][1] == 4 && world->m[1][0] == 2 && world->m[2][3] == 12);
  mi_glb_close(&glb);
}

static void refuse(const char *json, const char *says) {
  mi_glb glb;
  mi_glb_scene scene;
  assert_int_equal(read_scene(json, &glb, &scene), MIEN_ERR_FORMAT);
  assert_text_has(glb.err->text, says);
  mi_glb_close(&glb);
}

static void cycles_are_refused(void **state) {
  (void)state;
  refuse("{'scenes':[{'nodes':[0]}],'nodes':[{'children':[1]},{'children':[0]}]}", "node 0 hangs");
  refuse("{'scenes':[{'nodes':[0]}],'nodes':[{'children':[0]}]}", "node 0 hangs");
  refuse("{'scenes':[{'nodes':[0,0]}],'nodes':[{}]}", "node 0 hangs");
  refuse("{'scenes':[{'nodes':[0]}],'nodes':[{'children':[1]}]}", "node 1 does not exist");
  refuse("{'scenes':[{'nodes':[-1]}],'nodes':[{}]}", "does not exist");
  refuse("{'scene':2,'scenes':[{'nodes':[0]}],'nodes':[{}]}", "\"scene\" is 2");
  refuse("{'nodes':[{'translation':[1,2]}]}", "not 3 numbers");
  refuse("{'nodes':[{'rotation':[1,2,3,'x']}]}", "not 4 numbers");
}

static void depth_has_no_limit(void **state) {
  (void)state;
  enum { DEPTH = 50000 };
  char *json = malloc(64 * DEPTH), *at = json;
  at += sprintf(at, "{'scenes':[{'nodes':[0]}],'nodes':[");
  for (int i = 0; i < DEPTH; i++)
    at += sprintf(at, "{'children':[%d],'translation':[0,1,0]},", i + 1);
  sprintf(at, "{}]}");
  mi_glb glb;
  mi_glb_scene scene;
  assert_int_equal(read_scene(json, &glb, &scene), MIEN_OK);
  assert_near(scene.node[DEPTH].world.m[1][3], DEPTH, 1e-6);
  mi_glb_close(&glb);
  free(json);
}

static void inverses_undo(void **state) {
  (void)state;
  mi_affine a = {.m = {{1, 2, 3, 4}, {0, -1, 4, 5}, {5, 6, 0, 6}}}, inverse;
  assert_true(mi_affine_invert(&a, &inverse));
  mi_affine one = mi_affine_multiply(&a, &inverse);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) assert_near(one.m[i][j], i == j, 1e-12);
  mi_affine flat = {.m = {{1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 0}}};
  assert_false(mi_affine_invert(&flat, &inverse));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(children_follow_their_parent),
      cmocka_unit_test(a_matrix_is_column_major),
      cmocka_unit_test(cycles_are_refused),
      cmocka_unit_test(depth_has_no_limit),
      cmocka_unit_test(inverses_undo),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
