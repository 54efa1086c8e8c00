#include "fixture.h"
#include "io/png.h"

#include <stdlib.h>
#include <string.h>

static void fill(unsigned char *pixels, int count) {
  for (int i = 0; i < count; i++) pixels[i] = (unsigned char)(i * 37 + i / 7);
}

static void images_come_back(void **state) {
  (void)state;
  mien_host host = fixture_host();
  mi_arena arena;
  mi_arena_init(&arena, &host);
  for (int nchannel = 3; nchannel <= 4; nchannel++) {
    unsigned char pixels[13 * 7 * 4];
    fill(pixels, 13 * 7 * nchannel);
    mi_image image = {13, 7, nchannel, pixels}, back;
    const char *path = fixture_path("a.png");
    mien_error err;
    if (mi_png_write(path, &image, &host, &err) < 0) fail_msg("%s", err.text);
    size_t size;
    unsigned char *bytes = fixture_read(path, &size);
    if (mi_png_read(bytes, size, &arena, &back, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(back.width, 13);
    assert_int_equal(back.height, 7);
    assert_int_equal(back.nchannel, nchannel);
    assert_memory_equal(back.pixels, pixels, (size_t)(13 * 7 * nchannel));
    free(bytes);
  }
  mi_arena_free(&arena);
}

static void damage_is_refused(void **state) {
  (void)state;
  mien_host host = fixture_host();
  unsigned char pixels[8 * 8 * 3];
  fill(pixels, sizeof pixels);
  const char *path = fixture_path("b.png");
  assert_int_equal(mi_png_write(path, &(mi_image){8, 8, 3, pixels}, &host, NULL), MIEN_OK);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  mi_image back;
  for (size_t n = 0; n + 12 < size; n++) { // the last chunk says only that it is the last
    mi_arena arena;
    mi_arena_init(&arena, &host);
    assert_int_equal(mi_png_read(bytes, n, &arena, &back, NULL), MIEN_ERR_FORMAT);
    mi_arena_free(&arena);
  }
  for (size_t n = 0; n < size; n++)
    for (int bit = 0; bit < 8; bit++) {
      mi_arena arena;
      mi_arena_init(&arena, &host);
      bytes[n] ^= (unsigned char)(1 << bit);
      mi_png_read(bytes, size, &arena, &back, NULL);
      bytes[n] ^= (unsigned char)(1 << bit);
      mi_arena_free(&arena);
    }
  free(bytes);
  assert_int_equal(mi_png_write(path, &(mi_image){0, 8, 3, pixels}, &host, NULL),
                   MIEN_ERR_ARGUMENT);
  assert_int_equal(mi_png_write(path, &(mi_image){8, 8, 2, pixels}, &host, NULL),
                   MIEN_ERR_ARGUMENT);
}

static mien_result write_and_read(const mien_host *host, void *user) {
  static unsigned char pixels[64 * 64 * 3];
  mien_result result = mi_png_write(user, &(mi_image){64, 64, 3, pixels}, host, NULL);
  if (result < 0) return result;
  size_t size;
  unsigned char *bytes = fixture_read(user, &size);
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_image back;
  result = mi_png_read(bytes, size, &arena, &back, NULL);
  mi_arena_free(&arena);
  free(bytes);
  return result;
}

static void survives_a_lack_of_memory(void **state) {
  (void)state;
  char path[256];
  strcpy(path, fixture_path("c.png"));
  scene_fail_every_allocation(write_and_read, path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_come_back),
      cmocka_unit_test(damage_is_refused),
      cmocka_unit_test(survives_a_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
