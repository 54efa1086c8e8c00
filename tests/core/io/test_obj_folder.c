#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[256];

static void new_folder(const char *name) {
  snprintf(folder, sizeof folder, "%s", fixture_path(name));
  assert_int_equal(mkdir(folder, 0700), 0);
}

static void put(const char *name, const char *text) {
  char path[400];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  fixture_write(path, text, strlen(text));
}

#define TRIANGLE "v 0 0 0\nv 20 0 0\nv 0 20 0\nf 1 2 3\n"

static mien_result read_it(mien_rig **rig, mien_error *err) {
  mien_host host = fixture_host();
  return mi_obj_read_folder(folder, NULL, &host, rig, err);
}

static void shapes_are_named_after_their_files(void **state) {
  (void)state;
  new_folder("plain");
  put("smile.OBJ", "v 0 0 0\nv 20 1 0\nv 0 20 0\n");
  put("Neutral.obj", TRIANGLE);
  put("jawOpen.obj", "v 0 -2 0\nv 20 0 0\nv 0 20 0\n");
  put("notes.txt", "not ours");
  put(".hidden.obj", "not ours");
  put("rig.json", "{\"metres_per_unit\":0.01}");
  mien_rig *rig = NULL;
  mien_error err;
  if (read_it(&rig, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(rig->info.nshape, 2);
  assert_string_equal(rig->info.shapes[0].name, "jawOpen"); // sorted
  assert_string_equal(rig->info.shapes[1].name, "smile");
  assert_near((double)rig->info.shapes[0].deltas.data[1], -0.02, 1e-9);
  mi_rig_release(rig);
}

static void refuse(mien_result code, const char *says) {
  mien_rig *rig = NULL;
  mien_error err;
  assert_int_equal(read_it(&rig, &err), code);
  assert_text_has(err.text, says);
}

static void trouble_names_the_file(void **state) {
  (void)state;
  new_folder("trouble");
  refuse(MIEN_ERR_FORMAT, "no OBJ files");
  put("b.obj", TRIANGLE);
  put("a.obj", TRIANGLE);
  refuse(MIEN_ERR_FORMAT, "2 OBJ files: a.obj, b.obj");
  put("basis.obj", TRIANGLE);
  put("b.obj", "v 0 0 0\n");
  refuse(MIEN_ERR_MISMATCH, "b.obj has 1 vertices, the neutral has 3");
  put("b.obj", "v 0 0 0\nv 0 0 0\nv nan 0 0\n");
  refuse(MIEN_ERR_NOT_FINITE, "'b'");
  put("b.obj", TRIANGLE);
  put("rig.json", "{");
  refuse(MIEN_ERR_FORMAT, "rig.json is damaged");
  put("rig.json", "{\"landmarks\":[1]}");
  refuse(MIEN_ERR_FORMAT, "68");
  strcat(folder, "/absent");
  refuse(MIEN_ERR_IO, "cannot open");
}

static int stop_at_once(void *user, const char *what, double done) {
  (void)user;
  (void)what;
  (void)done;
  return 1;
}

static void the_host_can_stop_it(void **state) {
  (void)state;
  new_folder("stop");
  put("neutral.obj", TRIANGLE);
  put("a.obj", TRIANGLE);
  mien_host host = fixture_host();
  host.progress = stop_at_once;
  mien_rig *rig = NULL;
  mien_error err;
  assert_int_equal(mi_obj_read_folder(folder, NULL, &host, &rig, &err), MIEN_ERR_CANCELLED);
  assert_text_has(err.text, "stopped by the host");
}

static mien_result read_once(const mien_host *host, void *user) {
  mien_rig *rig;
  mien_result result = mi_obj_read_folder(user, NULL, host, &rig, NULL);
  if (result >= 0) mi_rig_release(rig);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  new_folder("memory");
  char text[60000] = "", shape[60000] = "";
  for (int i = 0; i < 1000; i++) {
    snprintf(text + strlen(text), 64, "v %d %d 0\n", i % 10, i / 10);
    snprintf(shape + strlen(shape), 64, "v %d %d 1\n", i % 10, i / 10);
  }
  strcat(text, "g a\nf 1 2 3\ng b\nf 4 5 6\n");
  put("neutral.obj", text);
  put("a.obj", shape);
  put("b.obj", shape);
  scene_fail_every_allocation(read_once, folder);
}

// A vertex in no face, one on a seam of uvs, and an order that faces do not follow.
static void a_file_alone_is_a_neutral_in_its_own_order(void **state) {
  (void)state;
  new_folder("alone");
  put("head.OBJ", "v 7 7 7\nv 0 20 0\nv 20 0 0\nv 0 0 0\nv 20 20 0\nvt 0 0\nvt 1 1\n"
                  "f 4/1 3/1 2/1\nf 3/2 5/1 2/1\n");
  char path[400];
  snprintf(path, sizeof path, "%s/head.OBJ", folder);
  mien_host host = fixture_host();
  mien_rig *rig = NULL;
  mien_error err;
  if (mien_rig_load(path, &host, &rig, &err) < 0) fail_msg("%s", err.text);
  const mien_rig_info *info = mien_rig_get_info(rig);
  assert_int_equal(info->nshape, 0);
  assert_int_equal(info->nrender, 6);
  static const int32_t numbers[6] = {0, 1, 2, 2, 3, 4};
  for (int r = 0; r < 6; r++) assert_int_equal(info->file_vertices.data[r], numbers[r]);
  mien_rig_free(rig);
  put("head.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
  assert_int_equal(mien_rig_load(path, &host, &rig, &err), MIEN_ERR_FORMAT);
  assert_non_null(strstr(err.text, "head.OBJ: a face names vertex 4"));
  snprintf(path, sizeof path, "%s/none.obj", folder);
  assert_int_equal(mien_rig_load(path, &host, &rig, &err), MIEN_ERR_IO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_alone_is_a_neutral_in_its_own_order),
      cmocka_unit_test(shapes_are_named_after_their_files),
      cmocka_unit_test(trouble_names_the_file),
      cmocka_unit_test(the_host_can_stop_it),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
