#include "fixture.h"
#include "io/cache.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NPOINT = 5 };
static const mi_pc2_def def = {NPOINT, 10, 1};

static mien_f32s frame(int f, float storage[NPOINT * 4]) {
  for (int i = 0; i < NPOINT * 4; i++) storage[i] = i % 4 == 3 ? -99 : (float)(100 * f + i);
  return (mien_f32s){storage, NPOINT, 4};
}

static void append(mi_pc2 *pc2, int from, int to) {
  float storage[NPOINT * 4];
  for (int f = from; f < to; f++) {
    mien_f32s points = frame(f, storage);
    assert_int_equal(mi_pc2_append(pc2, &points, NULL), MIEN_OK);
  }
}

static void expect_frames(const char *path, int nframe) {
  mien_host host = fixture_host();
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_pc2_frames back;
  mien_error err;
  if (mi_pc2_read(path, &arena, &back, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(back.nframe, nframe);
  assert_int_equal(back.def.npoint, NPOINT);
  assert_true(back.def.start == 10 && back.def.step == 1);
  for (int f = 0; f < nframe; f++) {
    float storage[NPOINT * 4];
    mien_f32s points = frame(f, storage);
    for (int i = 0; i < NPOINT; i++)
      assert_memory_equal(back.points + 3 * (f * NPOINT + i), points.data + 4 * i, 12);
  }
  mi_arena_free(&arena);
}

static void frames_come_back(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("a.pc2");
  mi_pc2 *pc2;
  assert_int_equal(mi_pc2_create(path, &def, &host, &pc2, NULL), MIEN_OK);
  append(pc2, 0, 4);
  mien_f32s wrong = {(const float[]){0, 0, 0}, 1, 3};
  assert_int_equal(mi_pc2_append(pc2, &wrong, NULL), MIEN_ERR_MISMATCH);
  assert_int_equal(mi_pc2_commit(pc2, NULL), MIEN_OK);
  expect_frames(path, 4);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_int_equal(size, 32 + 4 * NPOINT * 12);
  assert_memory_equal(bytes, "POINTCACHE2\0\1\0\0\0\5\0\0\0", 20);
  free(bytes);
}

static void a_killed_bake_goes_on(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("b.pc2"), *part = fixture_path("b.pc2.part");
  mi_pc2 *pc2;
  assert_int_equal(mi_pc2_create(path, &def, &host, &pc2, NULL), MIEN_OK);
  append(pc2, 0, 3);
  mi_pc2_suspend(pc2);
  assert_int_equal(truncate(part, 32 + 2 * NPOINT * 12 + 17), 0); // in the middle of a frame
  int nframe = -1;
  mien_error err;
  if (mi_pc2_resume(path, &def, -1, &host, &pc2, &nframe, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(nframe, 2);
  append(pc2, 2, 6);
  assert_int_equal(mi_pc2_commit(pc2, NULL), MIEN_OK);
  expect_frames(path, 6);
}

static void another_mesh_is_not_resumed(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("c.pc2"), *part = fixture_path("c.pc2.part");
  mi_pc2 *pc2;
  int nframe;
  mien_error err;
  assert_int_equal(mi_pc2_create(path, &def, &host, &pc2, NULL), MIEN_OK);
  append(pc2, 0, 1);
  mi_pc2_suspend(pc2);
  const mi_pc2_def other = {NPOINT + 1, 10, 1};
  assert_int_equal(mi_pc2_resume(path, &other, -1, &host, &pc2, &nframe, &err), MIEN_ERR_MISMATCH);
  assert_int_equal(access(part, F_OK), 0); // what was there stays
  fixture_write(part, "this is something else altogether", 33);
  assert_int_equal(mi_pc2_resume(path, &def, -1, &host, &pc2, &nframe, &err), MIEN_ERR_FORMAT);
}

// Nothing begun, a header cut short, no whole frame: there is nothing to lose, and it begins.
static void what_holds_no_frame_begins(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("f.pc2"), *part = fixture_path("f.pc2.part");
  for (int k = 0; k < 3; k++) {
    mi_pc2 *pc2;
    int nframe = -1;
    if (k == 1) fixture_write(part, "POINTC", 6);
    if (k == 2) {
      assert_int_equal(mi_pc2_create(path, &def, &host, &pc2, NULL), MIEN_OK);
      append(pc2, 0, 3);
      mi_pc2_suspend(pc2);
    }
    assert_int_equal(mi_pc2_resume(path, &def, 0, &host, &pc2, &nframe, NULL), MIEN_OK);
    assert_int_equal(nframe, 0);
    append(pc2, 0, 4);
    assert_int_equal(mi_pc2_sync(pc2, NULL), MIEN_OK);
    assert_int_equal(mi_pc2_commit(pc2, NULL), MIEN_OK);
    expect_frames(path, 4);
  }
}

static void damage_is_refused(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("d.pc2");
  mi_pc2 *pc2;
  assert_int_equal(mi_pc2_create(path, &def, &host, &pc2, NULL), MIEN_OK);
  append(pc2, 0, 2);
  assert_int_equal(mi_pc2_commit(pc2, NULL), MIEN_OK);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_pc2_frames back;
  for (size_t n = 0; n < size; n++) {
    fixture_write(path, bytes, n);
    assert_int_equal(mi_pc2_read(path, &arena, &back, NULL), MIEN_ERR_FORMAT);
  }
  const int32_t huge = INT32_MAX;
  memcpy(bytes + 16, &huge, 4);
  memcpy(bytes + 28, &huge, 4);
  fixture_write(path, bytes, size);
  assert_int_equal(mi_pc2_read(path, &arena, &back, NULL), MIEN_ERR_FORMAT);
  mi_arena_free(&arena);
  free(bytes);
  const mi_pc2_def bad[] = {{0, 0, 1}, {5, 0, 0}, {-1, 0, 1}};
  for (int i = 0; i < 3; i++)
    assert_int_equal(mi_pc2_create(path, &bad[i], &host, &pc2, NULL), MIEN_ERR_ARGUMENT);
}

static mien_result create_once(const mien_host *host, void *user) {
  mi_pc2 *pc2;
  mien_result result = mi_pc2_create(user, &def, host, &pc2, NULL);
  if (result >= 0) mi_pc2_abandon(pc2);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  char path[256];
  strcpy(path, fixture_path("e.pc2"));
  scene_fail_every_allocation(create_once, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_come_back),
      cmocka_unit_test(a_killed_bake_goes_on),
      cmocka_unit_test(another_mesh_is_not_resumed),
      cmocka_unit_test(what_holds_no_frame_begins),
      cmocka_unit_test(damage_is_refused),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
