// Contact sheets, legends and colour maps.
#include "picture.h"

static const uint32_t colours[] = {0xC00000, 0x00C000, 0x0000C0, 0xC0C000, 0x00C0C0};

static void cells_go_where_the_layout_says(void **state) {
  (void)state;
  render_image images[5];
  render_cell cells[5];
  for (int i = 0; i < 5; i++) {
    assert_int_equal(render_image_create(60, 40, colours[i], &images[i], NULL), MIEN_OK);
    cells[i] = (render_cell){&images[i], i % 2 ? "label" : NULL};
  }
  render_sheet sheet = {.title = "Title", .cells = cells, .ncell = 5, .ncolumn = 3, .gap = 10};
  render_image out = {0};
  assert_int_equal(render_sheet_draw(&sheet, &out, NULL), MIEN_OK);
  assert_int_equal(out.width, 10 + 3 * 70);
  for (int i = 0; i < 5; i++) {
    render_rect cell = render_sheet_cell(&sheet, i);
    assert_int_equal(cell.x, 10 + 70 * (i % 3));
    assert_true(cell.y >= 10 && cell.y + cell.height <= out.height - 10);
    assert_int_equal(pixel(&out, cell.x, cell.y), colours[i]);
    assert_int_equal(pixel(&out, cell.x + 59, cell.y + 39), colours[i]);
    assert_int_not_equal(pixel(&out, cell.x - 1, cell.y), colours[i]);
    assert_int_not_equal(pixel(&out, cell.x, cell.y + 40), colours[i]);
  }
  assert_true(render_sheet_cell(&sheet, 3).y > render_sheet_cell(&sheet, 2).y + 40);
  render_image_free(&out);
  for (int i = 0; i < 5; i++) render_image_free(&images[i]);
}

static void large_images_are_scaled_into_their_cell(void **state) {
  (void)state;
  render_image image = {0}, out = {0};
  assert_int_equal(render_image_create(400, 100, 0xC00000, &image, NULL), MIEN_OK);
  render_cell cell = {&image, NULL};
  render_sheet sheet = {.cells = &cell, .ncell = 1, .cell_width = 100, .cell_height = 100};
  assert_int_equal(render_sheet_draw(&sheet, &out, NULL), MIEN_OK);
  assert_int_equal(out.width, 100);
  assert_int_equal(pixel(&out, 2, 50), 0xC00000);
  assert_int_not_equal(pixel(&out, 50, 30), 0xC00000); // 100 x 25, in the middle
  render_image_free(&out);
  sheet.ncell = 0;
  assert_int_equal(render_sheet_draw(&sheet, &out, NULL), MIEN_ERR_ARGUMENT);
  render_image_free(&image);
}

static float lightness(uint32_t colour) {
  float linear[3];
  render_linear_colour(colour, linear);
  return cbrtf(0.2126f * linear[0] + 0.7152f * linear[1] + 0.0722f * linear[2]);
}

static void heat_gets_lighter_in_even_steps(void **state) {
  (void)state;
  float whole = lightness(render_map_colour(RENDER_MAP_HEAT, 1.0f)) -
                lightness(render_map_colour(RENDER_MAP_HEAT, 0.0f));
  assert_true(whole > 0.5f);
  for (int i = 0; i < 10; i++) {
    float step = lightness(render_map_colour(RENDER_MAP_HEAT, 0.1f * (float)(i + 1))) -
                 lightness(render_map_colour(RENDER_MAP_HEAT, 0.1f * (float)i));
    assert_true(step > 0.4f * whole / 10.0f && step < 2.0f * whole / 10.0f);
  }
  assert_int_equal(render_map_colour(RENDER_MAP_HEAT, -3.0f),
                   render_map_colour(RENDER_MAP_HEAT, 0.0f));
  assert_int_equal(render_map_colour(RENDER_MAP_HEAT, NAN),
                   render_map_colour(RENDER_MAP_HEAT, 0.0f));
}

static void signed_map_is_lightest_in_the_middle(void **state) {
  (void)state;
  uint32_t low = render_map_colour(RENDER_MAP_SIGNED, 0.0f);
  uint32_t high = render_map_colour(RENDER_MAP_SIGNED, 1.0f);
  assert_true((low & 255u) > (low >> 16) + 80u);   // blue
  assert_true((high >> 16) > (high & 255u) + 80u); // red
  float middle = lightness(render_map_colour(RENDER_MAP_SIGNED, 0.5f));
  assert_true(middle > lightness(low) + 0.3f && middle > lightness(high) + 0.3f);
  assert_true(fabsf(lightness(low) - lightness(high)) < 0.12f);
}

static void legend_shows_both_ends(void **state) {
  (void)state;
  render_image image = {0};
  assert_int_equal(render_image_create(200, 300, 0x000000, &image, NULL), MIEN_OK);
  render_legend legend = {RENDER_MAP_HEAT, 0.0, 10.0, "mm", 0xFFFFFF};
  render_image_legend(&image, (render_rect){20, 20, 90, 260}, &legend);
  int first = -1, last = -1;
  for (int y = 0; y < 300; y++) {
    if (channel_gap(pixel(&image, 30, y), render_map_colour(RENDER_MAP_HEAT, 1.0f)) < 6 &&
        first < 0)
      first = y;
    if (channel_gap(pixel(&image, 30, y), render_map_colour(RENDER_MAP_HEAT, 0.0f)) < 6) last = y;
  }
  assert_in_range(first, 30, 70);
  assert_in_range(last, 240, 280);
  render_image_free(&image);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_go_where_the_layout_says),
      cmocka_unit_test(large_images_are_scaled_into_their_cell),
      cmocka_unit_test(heat_gets_lighter_in_even_steps),
      cmocka_unit_test(signed_map_is_lightest_in_the_middle),
      cmocka_unit_test(legend_shows_both_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
