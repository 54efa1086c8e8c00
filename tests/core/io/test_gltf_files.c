// A .gltf names other files: only those beside it are read, each once.
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static mien_result embed(const char *json, size_t limit, mien_error *err, char *out, size_t most) {
  mien_host host = fixture_host();
  host.memory_limit = limit;
  mi_arena arena;
  mi_arena_init(&arena, &host);
  unsigned char *bytes = (unsigned char *)(uintptr_t)json;
  size_t size = strlen(json);
  mien_result result = mi_gltf_embed(fixture_path("rig.gltf"), &arena, &bytes, &size, err);
  if (result >= 0 && out) snprintf(out, most, "%.*s", (int)size, (const char *)bytes);
  mi_arena_free(&arena);
  return result;
}

static mien_result embed_uri(const char *uri, mien_error *err) {
  char json[512];
  snprintf(json, sizeof json, "{\"buffers\":[{\"byteLength\":3,\"uri\":\"%s\"}]}", uri);
  return embed(json, 0, err, NULL, 0);
}

static void a_file_beside_it_is_read(void **state) {
  (void)state;
  mien_error err;
  char out[256];
  fixture_write(fixture_path("a b.bin"), "abc", 3);
  assert_int_equal(
      embed("{\"buffers\":[{\"byteLength\":3,\"uri\":\"a%20b.bin\"}]}", 0, &err, out, sizeof out),
      MIEN_OK);
  assert_non_null(strstr(out, "base64,YWJj"));
  assert_int_equal(embed_uri("data:;base64,YWJj", &err), MIEN_OK);
}

static void no_way_leads_out_of_the_folder(void **state) {
  (void)state;
  static const char *const out[] = {
      "../a.bin",        "/etc/hostname",        "%2e%2e/a.bin", "%2E%2E%2Fa.bin", ".%2e/a.bin",
      "%2fetc/hostname", "file:///etc/hostname", "x/../../a",    "a.bin%00.png",   ""};
  for (size_t k = 0; k < sizeof out / sizeof *out; k++) {
    mien_error err = {0};
    assert_int_equal(embed_uri(out[k], &err), MIEN_ERR_FORMAT);
    assert_non_null(strstr(err.text, "does not lie beside the file"));
  }
}

static void no_file_is_taken_twice(void **state) {
  (void)state;
  mien_error err;
  fixture_write(fixture_path("a.bin"), "abc", 3);
  assert_int_equal(
      embed("{\"buffers\":[{\"uri\":\"a.bin\"},{\"uri\":\"%61.bin\"}]}", 0, &err, NULL, 0),
      MIEN_ERR_FORMAT);
  assert_non_null(strstr(err.text, "two buffers"));
}

static void a_pipe_does_not_wait(void **state) {
  (void)state;
  mien_error err;
  remove(fixture_path("pipe"));
  assert_int_equal(mkfifo(fixture_path("pipe"), 0600), 0);
  assert_int_equal(embed_uri("pipe", &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "not a file"));
}

// jansson asks malloc, not the host: what it would take is known before.
static void text_that_unfolds_is_refused(void **state) {
  (void)state;
  enum { SIZE = 4 << 20 };
  mien_error err;
  char *json = malloc(SIZE + 1);
  assert_non_null(json);
  memset(json, ',', SIZE);
  memcpy(json, "{\"a\":[1", 7);
  for (int k = 8; k < SIZE; k += 2) json[k] = '1';
  json[SIZE - 2] = ']', json[SIZE - 1] = '}', json[SIZE] = 0;
  json[SIZE - 3] = '1', json[SIZE - 4] = ',';
  assert_int_equal(embed(json, 0, &err, NULL, 0), MIEN_ERR_FORMAT);
  assert_non_null(strstr(err.text, "too large"));
  json[1 << 16] = 0; // damaged, but the limit comes first
  assert_int_equal(embed(json, 1 << 20, &err, NULL, 0), MIEN_ERR_MEMORY);
  free(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_beside_it_is_read), cmocka_unit_test(no_way_leads_out_of_the_folder),
      cmocka_unit_test(no_file_is_taken_twice), cmocka_unit_test(a_pipe_does_not_wait),
      cmocka_unit_test(text_that_unfolds_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
