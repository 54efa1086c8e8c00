#include "base/base.h"
#include "scenes/scene.h"

#include <stdint.h>
#include <string.h>

static void gives_zeroed_aligned_memory(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  for (size_t size = 0; size < 300000; size = 3 * size + 1) {
    unsigned char *block = mi_arena_push(&arena, size, 1);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % 64, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 0);
    memset(block, 0xff, size);
  }
  assert_true(memory.live >= 200000);
  mi_arena_free(&arena);
  assert_int_equal(memory.live, 0);
}

// Large arrays cost what they are, and small ones between them do not open a block each.
static void wastes_little(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  size_t wanted = 0;
  for (int i = 0; i < 60; i++) {
    assert_non_null(mi_arena_push(&arena, 300000, 1));
    assert_non_null(mi_arena_push(&arena, 100, 1));
    wanted += 300100;
  }
  assert_true((size_t)memory.live < wanted + wanted / 50);
  mi_arena_free(&arena);
  assert_int_equal(memory.live, 0);
}

static void refuses_overflow_and_limit(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  host.memory_limit = 100000;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  assert_null(mi_arena_push(&arena, SIZE_MAX / 2, 16));
  assert_null(mi_arena_push(&arena, SIZE_MAX, 1));
  assert_null(mi_arena_push(&arena, 100001, 1));
  assert_non_null(mi_arena_push(&arena, 50000, 1));
  assert_null(mi_arena_push(&arena, 60000, 1));
  assert_true(memory.live <= 100000);
  mi_arena_free(&arena);
  assert_int_equal(memory.live, 0);
}

typedef struct object {
  double before;
  mi_arena arena;
  float *few;
  int32_t *many;
} object;

static void an_object_lies_in_an_arena_of_its_own(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  host.memory_limit = 100000;
  object *made = MI_CREATE(object, &host);
  assert_non_null(made);
  assert_true(made->before == 0 && !made->few);
  assert_true(MI_RESERVE(&made->arena, MI_ROOM(made->few, 3), MI_ROOM(made->many, 10000)));
  for (int i = 0; i < 3; i++) assert_true(made->few[i] == 0);
  for (int i = 0; i < 10000; i++) assert_int_equal(made->many[i], 0);
  made->many = NULL; // beyond the limit: what there was room for is there
  assert_false(MI_RESERVE(&made->arena, MI_ROOM(made->few, 7), MI_ROOM(made->many, 20000)));
  assert_non_null(made->few);
  assert_null(made->many);
  mi_arena_delete(made->arena);
  assert_int_equal(memory.live, 0);
  host.memory_limit = 10;
  assert_null(MI_CREATE(object, &host));
  assert_int_equal(memory.live, 0);
}

static void remarks_grow(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_remarks remarks = {.arena = &arena};
  for (int i = 0; i < 100; i++) assert_true(mi_remark(&remarks, "remark %d", i));
  assert_int_equal(remarks.count, 100);
  assert_string_equal(remarks.text[0], "remark 0");
  assert_string_equal(remarks.text[99], "remark 99");
  mi_arena_free(&arena);
}

// every size and both alignments: all bytes, and none beside them
static void copies_away(void **state) {
  (void)state;
  enum { ROOM = 1024 };
  unsigned char from[ROOM + 64], to[ROOM + 64];
  for (int i = 0; i < ROOM + 64; i++) from[i] = (unsigned char)(1 + i % 251);
  for (size_t size = 0; size < ROOM - 64; size += 13)
    for (size_t shift = 0; shift < 64; shift += 7) {
      memset(to, 0, sizeof to);
      mi_copy_away(to + shift, from + shift / 2, size);
      assert_memory_equal(to + shift, from + shift / 2, size);
      for (size_t i = 0; i < sizeof to; i++)
        if (i < shift || i >= shift + size) assert_int_equal(to[i], 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gives_zeroed_aligned_memory),
                                     cmocka_unit_test(wastes_little),
                                     cmocka_unit_test(refuses_overflow_and_limit),
                                     cmocka_unit_test(an_object_lies_in_an_arena_of_its_own),
                                     cmocka_unit_test(remarks_grow),
                                     cmocka_unit_test(copies_away)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
