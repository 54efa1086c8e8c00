#include "base/base.h"
#include "scenes/scene.h"

#include <string.h>

enum { COUNT = 10007, CHUNK = 64, NCHUNK = (COUNT + CHUNK - 1) / CHUNK };

typedef struct sums {
  int visits[COUNT];
  float partial[NCHUNK];
} sums;

static void add(void *task, int begin, int end) {
  sums *s = task;
  float sum = 0;
  for (int i = begin; i < end; i++) {
    s->visits[i]++;
    sum += 1.0f / (float)(i + 1);
  }
  s->partial[begin / CHUNK] = sum;
}

static void same_bits_for_any_number_of_threads(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 8, 32};
  static sums first, other;
  for (int k = 0; k < 4; k++) {
    sums *s = k ? &other : &first;
    memset(s, 0, sizeof *s);
    mi_parallel(threads[k], COUNT, CHUNK, add, s);
    for (int i = 0; i < COUNT; i++) assert_int_equal(s->visits[i], 1);
    assert_memory_equal(s->partial, first.partial, sizeof first.partial);
  }
}

static void nothing_to_do_is_fine(void **state) {
  (void)state;
  mi_parallel(2, 0, 16, add, NULL);
  assert_true(mi_threads_available() >= 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_for_any_number_of_threads),
                                     cmocka_unit_test(nothing_to_do_is_fine)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
