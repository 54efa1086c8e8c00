#include "base/base.h"
#include "scenes/scene.h"

#include <string.h>

static void refuses_what_was_not_set_up(void **state) {
  (void)state;
  mien_host given, host;
  mien_error err;
  memset(&given, 0, sizeof given);
  assert_int_equal(mi_host_resolve(&given, &host, &err), MIEN_ERR_OPTIONS);
  assert_non_null(strstr(err.text, "mien_host_init"));
  assert_non_null(strstr(err.where, "versions.c"));
  assert_true(err.line > 0);
  mien_host_init(&given);
  given.threads = -1;
  assert_int_equal(mi_host_resolve(&given, &host, NULL), MIEN_ERR_OPTIONS);
  mien_host_init(&given);
  given.allocator.alloc = scene_counting_host(&(scene_memory){0}).allocator.alloc;
  assert_int_equal(mi_host_resolve(&given, &host, &err), MIEN_ERR_OPTIONS);
}

static void fills_in_defaults(void **state) {
  (void)state;
  mien_host host;
  assert_int_equal(mi_host_resolve(NULL, &host, NULL), MIEN_OK);
  assert_true(host.threads >= 1);
  void *memory = host.allocator.alloc(NULL, 100, 64);
  assert_non_null(memory);
  host.allocator.release(NULL, memory, 100);
}

static void every_result_has_a_name(void **state) {
  (void)state;
  for (int r = -7; r <= 1; r++) {
    assert_string_not_equal(mien_result_name((mien_result)r), "unknown result");
    for (int q = -7; q < r; q++)
      assert_string_not_equal(mien_result_name((mien_result)r), mien_result_name((mien_result)q));
  }
  assert_string_equal(mien_result_name((mien_result)-99), "unknown result");
}

static void log_line(void *user, mien_log_level level, const char *text) {
  assert_int_equal(level, MIEN_LOG_WARNING);
  strcpy(user, text);
}

static int stop_at_half(void *user, const char *what, double done) {
  (void)user;
  (void)what;
  return done > 0.5;
}

static void log_and_progress_reach_the_host(void **state) {
  (void)state;
  char text[100] = "";
  mien_host host;
  mien_host_init(&host);
  mi_log(&host, MIEN_LOG_WARNING, "silent");
  assert_true(mi_progress(&host, "work", 0.9));
  host.log = log_line;
  host.progress = stop_at_half;
  host.user = text;
  mi_log(&host, MIEN_LOG_WARNING, "%d lips", 2);
  assert_string_equal(text, "2 lips");
  assert_true(mi_progress(&host, "work", 0.4));
  assert_false(mi_progress(&host, "work", 0.6));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refuses_what_was_not_set_up), cmocka_unit_test(fills_in_defaults),
      cmocka_unit_test(every_result_has_a_name), cmocka_unit_test(log_and_progress_reach_the_host)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
