// A job that crashes, eats memory or never ends takes nobody with it.
#include "limited_child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const child_limits little = {(size_t)64 << 20, 1};

static int succeed(void *given) {
  return *(int *)given;
}

static int crash(void *given) {
  (void)given;
  signal(SIGSEGV, SIG_DFL);
  raise(SIGSEGV);
  return 0;
}

static int loop(void *given) {
  (void)given;
  volatile int forever = 1;
  while (forever) {
  }
  return 0;
}

// 0 when so much memory was given after all
static int eat(void *given) {
  size_t size = *(size_t *)given;
  char *bytes = malloc(size);
  if (!bytes) return 3;
  memset(bytes, 1, size);
  int is_there = bytes[size - 1];
  free(bytes);
  return is_there ? 0 : 4;
}

static void a_child_comes_to_its_end(void **state) {
  (void)state;
  int code = 2;
  assert_int_equal(child_run(succeed, &code, &little, "it"), 2);
  assert_int_equal(child_run(crash, NULL, &little, "it"), 1);
  assert_int_equal(child_run(loop, NULL, &little, "it"), 1);
  size_t small = 1 << 20;
  assert_int_equal(child_run(eat, &small, &little, "it"), 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  size_t much = (size_t)200 << 20;
  assert_int_equal(child_run(eat, &much, &little, "it"), 3);
#endif
}

static void large_files_may_take_more(void **state) {
  (void)state;
  child_limits small = child_limits_for(1000), large = child_limits_for((size_t)100 << 20);
  child_limits absurd = child_limits_for(SIZE_MAX);
  assert_true(small.memory < large.memory && large.memory < absurd.memory);
  assert_true(small.seconds < large.seconds);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_child_comes_to_its_end),
                                     cmocka_unit_test(large_files_may_take_more)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
