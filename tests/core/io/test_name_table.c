#include "io/name_table.h"
#include "scenes/scene.h"

#include <stdio.h>

static void numbers_follow_the_order_of_arrival(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_name_table table = {.arena = &arena};
  assert_int_equal(mi_name_find(&table, "x"), -1);
  char name[32];
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "name_%d", i);
    assert_int_equal(mi_name_add(&table, name), i);
  }
  for (int i = 0; i < 5000; i++) {
    snprintf(name, sizeof name, "name_%d", i);
    assert_int_equal(mi_name_add(&table, name), i);
    assert_int_equal(mi_name_find(&table, name), i);
    assert_string_equal(table.name[i], name);
  }
  assert_int_equal(table.count, 5000);
  assert_int_equal(mi_name_find(&table, "name_5000"), -1);
  mi_arena_free(&arena);
  assert_int_equal(memory.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_follow_the_order_of_arrival)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
