// Files are whole or not there.
#include "fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_there(const char *path) {
  return access(path, F_OK) == 0;
}

static void appears_when_committed(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("a.txt"), *part = fixture_path("a.txt.part");
  mi_file *file;
  mien_error err;
  assert_int_equal(mi_file_create(path, &host, &file, &err), MIEN_OK);
  mi_file_write(file, "one ", 4);
  mi_file_print(file, "%d", 2);
  mi_file_patch(file, 0, "O", 1);
  mi_file_write(file, "!", 1);
  assert_false(is_there(path));
  assert_true(is_there(part));
  assert_int_equal(mi_file_commit(file, &err), MIEN_OK);
  assert_false(is_there(part));
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_int_equal(size, 6);
  assert_memory_equal(bytes, "One 2!", 6);
  free(bytes);
}

static void abandoning_leaves_the_old_file(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("b.txt"), *part = fixture_path("b.txt.part");
  fixture_write(path, "old", 3);
  mi_file *file;
  assert_int_equal(mi_file_create(path, &host, &file, NULL), MIEN_OK);
  mi_file_write(file, "new", 3);
  mi_file_abandon(file);
  assert_false(is_there(part));
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_memory_equal(bytes, "old", 3);
  free(bytes);
}

static void trouble_is_named(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mi_arena arena;
  mi_arena_init(&arena, &host);
  unsigned char *bytes;
  size_t size;
  mien_error err;
  assert_int_equal(mi_file_read(fixture_path("absent"), &arena, &bytes, &size, &err), MIEN_ERR_IO);
  assert_text_has(err.text, "absent");
  assert_int_equal(mi_file_read("/", &arena, &bytes, &size, &err), MIEN_ERR_IO);
  mi_file *file;
  const char *nowhere = fixture_path("no_folder/x");
  assert_int_equal(mi_file_create(nowhere, &host, &file, &err), MIEN_ERR_IO);
  assert_text_has(err.text, "No such file");
  mi_arena_free(&arena);
}

// A disk that is full after `most` bytes.
static void limit_files(rlim_t most) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = most;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_full_disk_fails_the_commit(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("full"), *part = fixture_path("full.part");
  mien_result (*const begin[])(const char *, const mien_host *, mi_file **,
                               mien_error *) = {mi_file_create, mi_file_begin};
  for (int is_kept = 0; is_kept < 2; is_kept++) {
    mi_file *file;
    mien_error err;
    limit_files(300000);
    assert_int_equal(begin[is_kept](path, &host, &file, &err), MIEN_OK);
    assert_int_equal(mi_file_check(file, &err), MIEN_OK);
    for (int i = 0; i < 100000; i++) mi_file_write(file, "0123456789", 10);
    assert_int_equal(mi_file_check(file, &err), MIEN_ERR_IO);
    assert_text_has(err.text, "File too large");
    assert_int_equal(mi_file_sync(file, &err), MIEN_ERR_IO);
    assert_int_equal(mi_file_commit(file, &err), MIEN_ERR_IO);
    limit_files(RLIM_INFINITY);
    assert_false(is_there(path));
    assert_int_equal(is_there(part), is_kept); // what takes hours is kept, what is made at once not
  }
}

static void goes_on_where_it_was_suspended(void **state) {
  (void)state;
  mien_host host = fixture_host();
  const char *path = fixture_path("c.bin");
  mi_file *file;
  assert_int_equal(mi_file_create(path, &host, &file, NULL), MIEN_OK);
  mi_file_write(file, "abcdefgh", 8);
  mi_file_suspend(file);
  assert_int_equal(mi_file_resume(path, &host, &file, NULL), MIEN_OK);
  assert_int_equal(mi_file_size(file), 8);
  char three[3];
  assert_true(mi_file_get(file, 1, three, 3));
  assert_memory_equal(three, "bcd", 3);
  mi_file_cut(file, 4);
  mi_file_write(file, "XY", 2);
  assert_int_equal(mi_file_commit(file, NULL), MIEN_OK);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_int_equal(size, 6);
  assert_memory_equal(bytes, "abcdXY", 6);
  free(bytes);
}

static mien_result create_and_abandon(const mien_host *host, void *user) {
  mi_file *file;
  mien_result result = mi_file_create(user, host, &file, NULL);
  if (result >= 0) mi_file_abandon(file);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  char path[256];
  strcpy(path, fixture_path("d.bin"));
  scene_fail_every_allocation(create_and_abandon, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(appears_when_committed),
      cmocka_unit_test(abandoning_leaves_the_old_file),
      cmocka_unit_test(trouble_is_named),
      cmocka_unit_test(a_full_disk_fails_the_commit),
      cmocka_unit_test(goes_on_where_it_was_suspended),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
