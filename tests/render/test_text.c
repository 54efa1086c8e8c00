// Every glyph is there, different from the others, and where it was asked for.
#include "picture.h"

#define SIDE 40

static render_image draw_letter(char letter) {
  render_image image = {0};
  assert_int_equal(render_image_create(SIDE, SIDE, 0xFFFFFF, &image, NULL), MIEN_OK);
  char text[2] = {letter, 0};
  render_text(&image, 4.0f, 30.0f, (render_type){.size = 20.0f}, text);
  return image;
}

static int ink(const render_image *image) {
  int dark = 0;
  for (int i = 0; i < image->width * image->height; i++) dark += image->rgb[3 * i] < 128;
  return dark;
}

static void glyphs_are_there_and_distinct(void **state) {
  (void)state;
  render_image letters[95];
  for (int i = 0; i < 95; i++) letters[i] = draw_letter((char)(' ' + i));
  assert_int_equal(ink(&letters[0]), 0);
  for (int i = 1; i < 95; i++) {
    if (ink(&letters[i]) < 4) fail_msg("glyph %c is empty", ' ' + i);
    for (int j = 0; j < i; j++) {
      int different = 0;
      for (int k = 0; k < 3 * SIDE * SIDE; k++) {
        different += abs(letters[i].rgb[k] - letters[j].rgb[k]) > 60;
      }
      if (different < 12) fail_msg("glyphs %c and %c look the same", ' ' + i, ' ' + j);
    }
  }
  for (int i = 0; i < 95; i++) render_image_free(&letters[i]);
}

static void capitals_stand_on_the_baseline(void **state) {
  (void)state;
  render_image image = draw_letter('E');
  int top = SIDE, bottom = 0;
  for (int y = 0; y < SIDE; y++) {
    for (int x = 0; x < SIDE; x++) {
      if (image.rgb[3 * (y * SIDE + x)] > 128) continue;
      if (y < top) top = y;
      if (y > bottom) bottom = y;
    }
  }
  assert_in_range(top, 8, 10); // baseline 30, 20 tall, and half a stroke
  assert_in_range(bottom, 29, 31);
  render_image_free(&image);
}

static void alignment_and_width_agree(void **state) {
  (void)state;
  render_type type = {.size = 10.0f};
  float width = render_text_width(type, "mien 0.1");
  assert_true(width > 50.0f && width < 90.0f);
  assert_true(fabsf(render_text_width((render_type){.size = 20.0f}, "mien 0.1") - 2.0f * width) <
              0.01f);
  render_image left = {0}, right = {0};
  assert_int_equal(render_image_create(200, 30, 0xFFFFFF, &left, NULL), MIEN_OK);
  assert_int_equal(render_image_create(200, 30, 0xFFFFFF, &right, NULL), MIEN_OK);
  render_text(&left, 150.0f - width, 20.0f, type, "mien 0.1");
  type.align = RENDER_RIGHT;
  render_text(&right, 150.0f, 20.0f, type, "mien 0.1");
  assert_memory_equal(left.rgb, right.rgb, 200 * 30 * 3);
  render_image_free(&left);
  render_image_free(&right);
}

static void one_box_for_a_foreign_character(void **state) {
  (void)state;
  render_type type = {.size = 12.0f};
  float box = render_text_width(type, "\x7f");
  assert_true(fabsf(render_text_width(type, "\xc3\xa9") - box) < 1e-4f);
  assert_true(fabsf(render_text_width(type, "\xe2\x82\xac") - box) < 1e-4f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(glyphs_are_there_and_distinct),
      cmocka_unit_test(capitals_stand_on_the_baseline),
      cmocka_unit_test(alignment_and_width_agree),
      cmocka_unit_test(one_box_for_a_foreign_character),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
