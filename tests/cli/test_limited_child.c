// What ends a command's job is a sentence that names who worked.
#include "cli.h"
#include "limited_child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const mi_child_limits little = {.memory = (size_t)64 << 20, .seconds = 1};

static int succeed(void *given) {
  return *(int *)given;
}

static int complain(void *given) {
  return cli_fail("%s", (const char *)given);
}

static int crash(void *given) {
  (void)given;
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

static void expect_words(int code, const char *words) {
  assert_int_equal(code, CLI_FAILED);
  if (!strstr(cli_said_error(), words)) fail_msg("'%s' says no '%s'", cli_said_error(), words);
}

static void a_child_comes_to_its_end(void **state) {
  (void)state;
  int code = 2;
  char no_mesh[] = "there is no mesh";
  assert_int_equal(child_run(succeed, &code, &little, "it"), 2);
  expect_words(child_run(complain, no_mesh, &little, "it"), "no mesh");
  expect_words(child_run(crash, NULL, &little, "it"), "it crashed");
  expect_words(child_run(loop, NULL, &little, "it"), "it did not come to an end within 1 s");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_child_comes_to_its_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
