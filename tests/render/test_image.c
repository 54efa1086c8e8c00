// Pixels: fill, blit, lines, scaling, PNG there and back.
#include "picture.h"

#include <stdio.h>
#include <unistd.h>

static render_image blank(int width, int height, uint32_t colour) {
  render_image image = {0};
  assert_int_equal(render_image_create(width, height, colour, &image, NULL), MIEN_OK);
  return image;
}

static void fill_and_blit_stay_inside(void **state) {
  (void)state;
  render_image to = blank(8, 6, 0x102030), from = blank(4, 4, 0xFFFFFF);
  render_image_fill(&to, (render_rect){-3, -3, 5, 5}, 0xFF0000, 1.0f);
  assert_int_equal(pixel(&to, 1, 1), 0xFF0000);
  assert_int_equal(pixel(&to, 2, 1), 0x102030);
  render_image_blit(&to, &from, 6, 4, 1.0f);
  assert_int_equal(pixel(&to, 6, 4), 0xFFFFFF);
  assert_int_equal(pixel(&to, 5, 4), 0x102030);
  render_image_blit(&to, &from, -2, -2, 0.5f);
  assert_int_equal(pixel(&to, 1, 1), 0xFF8080);
  render_image_blit(&to, &from, 100, 100, 1.0f);
  render_image_free(&to);
  render_image_free(&from);
}

static void line_is_as_wide_as_asked(void **state) {
  (void)state;
  render_image image = blank(40, 40, 0x000000);
  const float points[] = {5, 20, 35, 20};
  render_image_line(&image, points, 2, (render_pen){0xFFFFFF, 4.0f, 1.0f});
  int sum = 0;
  for (int y = 0; y < 40; y++) sum += (int)(pixel(&image, 20, y) & 255u);
  assert_true(abs(sum - 4 * 255) < 8);
  assert_int_equal(pixel(&image, 20, 19), 0xFFFFFF);
  assert_int_equal(pixel(&image, 1, 20), 0x000000);
  render_image_free(&image);
}

static void scaling_averages_light(void **state) {
  (void)state;
  render_image checks = blank(64, 64, 0x000000), small = {0};
  for (int i = 0; i < 64 * 64; i++) {
    if ((i + i / 64) % 2) memset(checks.rgb + 3 * i, 255, 3);
  }
  assert_int_equal(render_image_scale(&checks, 16, 16, &small, NULL), MIEN_OK);
  assert_pixel(&small, 8, 8, 0xBCBCBC); // half the light, not half the number
  render_image_free(&small);
  assert_int_equal(render_image_scale(&checks, 23, 9, &small, NULL), MIEN_OK);
  assert_int_equal(small.width, 23);
  assert_int_equal(small.height, 9);
  render_image_free(&small);
  render_image_free(&checks);
}

static void png_comes_back_the_same(void **state) {
  (void)state;
  const char *path = "test_image_round_trip.png";
  render_image image = blank(37, 11, 0x336699), back = {0};
  image.rgb[100] = 7;
  mien_error err = {0};
  assert_int_equal(render_image_save(&image, path, &err), MIEN_OK);
  assert_int_equal(render_image_load(path, &back, &err), MIEN_OK);
  assert_int_equal(back.width, 37);
  assert_int_equal(back.height, 11);
  assert_memory_equal(image.rgb, back.rgb, 37 * 11 * 3);
  remove(path);
  render_image_free(&image);
  render_image_free(&back);
}

static void trouble_with_files_is_told(void **state) {
  (void)state;
  render_image image = blank(4, 4, 0), back = {0};
  mien_error err = {0};
  assert_int_equal(render_image_save(&image, "no/such/folder/a.png", &err), MIEN_ERR_IO);
  assert_non_null(strstr(err.text, "no/such/folder/a.png"));
  const char *path = "test_image_damaged.png";
  assert_int_equal(render_image_save(&image, path, NULL), MIEN_OK);
  assert_int_equal(truncate(path, 45), 0);
  assert_true(render_image_load(path, &back, &err) < 0);
  assert_null(back.rgb);
  remove(path);
  assert_int_equal(render_image_create(0, 4, 0, &back, &err), MIEN_ERR_ARGUMENT);
  assert_int_equal(render_image_create(4, 99999, 0, &back, &err), MIEN_ERR_ARGUMENT);
  render_image_free(&image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fill_and_blit_stay_inside),  cmocka_unit_test(line_is_as_wide_as_asked),
      cmocka_unit_test(scaling_averages_light),     cmocka_unit_test(png_comes_back_the_same),
      cmocka_unit_test(trouble_with_files_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
