// Damaged files, systematically: cut off at every byte, a bit of every byte flipped, no memory at
// any point. Each must fail cleanly or give a rig; the sanitizers and the counting allocator watch.
#include "fixture.h"
#include "io/obj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reads copies in exactly sized blocks, so that a byte too far is noticed.
static int try_glb(const unsigned char *bytes, size_t size) {
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  host.memory_limit = (size_t)256 << 20;
  unsigned char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  mien_rig *rig = NULL;
  mien_take *take = NULL;
  mien_error err = {0};
  mien_result result = mi_glb_read_rig(copy, size, NULL, &host, &rig, &err);
  if (result >= 0)
    mi_rig_release(rig);
  else
    assert_true(err.code == result && err.text[0]);
  int good = result >= 0;
  result = mi_glb_read_take(copy, size, &host, &take, &err);
  if (result >= 0) fixture_free_take(take);
  free(copy);
  assert_int_equal(memory.live, 0);
  return good;
}

static void cut_glb_files_are_refused(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_rig_glb(&size);
  for (size_t n = 0; n < size; n++) {
    assert_false(try_glb(bytes, n));
    // and with a header that owns up to the length
    if (n < 12) continue;
    uint32_t length = (uint32_t)n, old;
    memcpy(&old, bytes + 8, 4);
    memcpy(bytes + 8, &length, 4);
    assert_false(try_glb(bytes, n));
    memcpy(bytes + 8, &old, 4);
  }
  assert_true(try_glb(bytes, size));
  free(bytes);
}

// Found by a fuzzer: a mesh whose positions have no count is no part, but its targets stayed and
// were given the names of the next part's, of which there were none.
static void a_mesh_without_vertices_leaves_nothing(void **state) {
  (void)state;
  static const char json[] =
      "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':1}],'meshes':[{'primitives':[{"
      "'attributes':{'POSITION':0},'targets':[{'POSITION':1},{'POSITION':1}]}]},{'primitives':[{"
      "'attributes':{'POSITION':1}}]}],'accessors':[{'bufferView':0,'componentType':5126,'type':"
      "'VEC3'},{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],'bufferViews':[{"
      "'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]}";
  static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  size_t size;
  unsigned char *bytes = fixture_glb(json, triangle, sizeof triangle, &size);
  mien_rig *rig = NULL;
  mien_error err = {0};
  mien_host host = fixture_host();
  if (mi_glb_read_rig(bytes, size, NULL, &host, &rig, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(rig->info.nshape, 0);
  assert_int_equal(rig->info.npart, 1);
  mi_rig_release(rig);
  assert_true(try_glb(bytes, size));
  free(bytes);
}

static void flipped_bits_do_no_harm(void **state) {
  (void)state;
  size_t size;
  unsigned char *bytes = fixture_rig_glb(&size);
  int ngood = 0;
  for (size_t n = 0; n < size; n++) { // one bit of every byte; the fuzzers try the others
    bytes[n] ^= (unsigned char)(1 << n % 8);
    ngood += try_glb(bytes, size);
    bytes[n] ^= (unsigned char)(1 << n % 8);
  }
  print_message("%d of %zu flips still give a rig\n", ngood, size);
  assert_true(ngood > 0 && ngood < (int)size); // neither all nor nothing got through
  free(bytes);
}

static const char csv[] = "Timecode,BlendShapeCount,JawOpen,HeadYaw\n"
                          "23:59:59:31.652,61,0.5,0.1\n00:00:00:33.651,61,\"0.75\",0.2\n";

static void damaged_csv_does_no_harm(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  for (size_t n = 0; n < sizeof csv; n++)
    for (int bit = -1; bit < 8; bit++) { // -1: cut off
      size_t size = bit < 0 ? n : sizeof csv - 1;
      char *copy = malloc(size ? size : 1);
      memcpy(copy, csv, size);
      if (bit >= 0 && n < size) copy[n] ^= (char)(1 << bit);
      mien_take *take = NULL;
      if (mi_csv_read_take(copy, size, &host, &take, NULL) >= 0) fixture_free_take(take);
      free(copy);
      assert_int_equal(memory.live, 0);
    }
}

static const char obj[] = "v 0 0 0\nv 0.2 0 0\nv 0.2 0.2 0\nv 0 0.2 1e-3\nvt 0 0\nvt 1 .5\n"
                          "g a\nf 1/1 2/2 3//1\ng b\nf -4 -2/-1 -1\n";

static void damaged_obj_does_no_harm(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  for (size_t n = 0; n < sizeof obj; n++)
    for (int bit = -1; bit < 8; bit++) {
      size_t size = bit < 0 ? n : sizeof obj - 1;
      char *copy = malloc(size ? size : 1);
      memcpy(copy, obj, size);
      if (bit >= 0 && n < size) copy[n] ^= (char)(1 << bit);
      const mi_obj_text text = {"x.obj", copy, size};
      mi_obj_rig making;
      mi_obj_begin(&making, &host, NULL);
      mien_rig *rig = NULL;
      mien_result result = mi_obj_set_neutral(&making, &text);
      if (result >= 0) result = mi_obj_add_shape(&making, "s", &text);
      if (result >= 0) result = mi_obj_finish(&making, NULL, 0, &rig);
      mi_obj_end(&making);
      if (result >= 0) mi_rig_release(rig);
      free(copy);
      assert_int_equal(memory.live, 0);
    }
}

typedef struct glb_file {
  unsigned char *bytes;
  size_t size;
} glb_file;

static mien_result read_rig_once(const mien_host *host, void *user) {
  const glb_file *file = user;
  mien_rig *rig;
  mien_result result = mi_glb_read_rig(file->bytes, file->size, NULL, host, &rig, NULL);
  if (result >= 0) mi_rig_release(rig);
  return result;
}

static mien_result read_take_once(const mien_host *host, void *user) {
  const glb_file *file = user;
  mien_take *take;
  mien_result result = mi_glb_read_take(file->bytes, file->size, host, &take, NULL);
  if (result >= 0) fixture_free_take(take);
  return result;
}

// jansson's own memory comes from malloc and is not part of this.
static void glb_readers_survive_a_lack_of_memory(void **state) {
  (void)state;
  glb_file file;
  file.bytes = fixture_rig_glb(&file.size);
  scene_fail_every_allocation(read_rig_once, &file);
  scene_fail_every_allocation(read_take_once, &file);
  // and when memory is not gone but limited
  mien_host host = fixture_host();
  int nrefused = 0;
  for (host.memory_limit = 1000;; host.memory_limit += 5000) {
    mien_rig *rig = NULL;
    mien_result result = mi_glb_read_rig(file.bytes, file.size, NULL, &host, &rig, NULL);
    if (result >= 0) mi_rig_release(rig);
    if (result >= 0) break;
    assert_int_equal(result, MIEN_ERR_MEMORY);
    nrefused++;
  }
  assert_true(nrefused > 2);
  free(file.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_glb_files_are_refused),
      cmocka_unit_test(a_mesh_without_vertices_leaves_nothing),
      cmocka_unit_test(flipped_bits_do_no_harm),
      cmocka_unit_test(damaged_csv_does_no_harm),
      cmocka_unit_test(damaged_obj_does_no_harm),
      cmocka_unit_test(glb_readers_survive_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
