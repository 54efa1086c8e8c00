// Curves are drawn where their values say, and only there.
#include "picture.h"

#include "plot.h"

static const double x[] = {0, 1, 2, 3}, y[] = {0, 4, 1, 9};

static bool is_red(const render_image *image, float px, float py) {
  uint32_t c = pixel(image, (int)px, (int)py);
  return (c >> 16) > 180 && (c >> 8 & 255u) < 90 && (c & 255u) < 90;
}

static int count_red(const render_image *image) {
  int red = 0;
  for (int i = 0; i < image->width * image->height; i++) {
    red += is_red(image, (float)(i % image->width), (float)(i / image->width));
  }
  return red;
}

static plot one_curve(const plot_series *series) {
  return (plot){.title = "t", .x_label = "x", .y_label = "y", .series = series, .nseries = 1};
}

static void curve_passes_its_points(void **state) {
  (void)state;
  plot_series series = {"a", x, y, 4, PLOT_LINE, 0xE01010};
  plot p = one_curve(&series);
  render_image image = {0};
  assert_int_equal(plot_draw(&p, &image, NULL), MIEN_OK);
  for (int i = 0; i < 30; i++) {
    double at = 0.05 + i * 0.098;
    int k = (int)at;
    double value = y[k] + (at - k) * (y[k + 1] - y[k]);
    float pixel_at[2];
    plot_locate(&p, at, value, pixel_at);
    assert_true(is_red(&image, pixel_at[0], pixel_at[1]));
    plot_locate(&p, at, value > 4.5 ? value - 3.0 : value + 3.0, pixel_at);
    assert_false(is_red(&image, pixel_at[0], pixel_at[1]));
  }
  render_image_free(&image);
}

static void log_axis_skips_what_it_cannot_show(void **state) {
  (void)state;
  const double values[] = {1.0, 1e-4, -1.0, 1e-2};
  plot_series series = {NULL, x, values, 4, PLOT_LINE, 0xE01010};
  plot p = one_curve(&series);
  p.log_y = 1;
  render_image image = {0};
  assert_int_equal(plot_draw(&p, &image, NULL), MIEN_OK);
  float at[2];
  plot_locate(&p, 0.5, 1e-2, at); // half way down on a log axis
  assert_true(is_red(&image, at[0], at[1]));
  float left[2], right[2];
  plot_locate(&p, 1.2, 1e-4, left);
  plot_locate(&p, 2.9, 1.0, right);
  for (float px = left[0]; px < right[0]; px += 1.0f) {
    for (float py = right[1]; py < left[1]; py += 1.0f) assert_false(is_red(&image, px, py));
  }
  render_image_free(&image);
}

static void curve_is_cut_at_the_frame(void **state) {
  (void)state;
  plot_series series = {NULL, x, y, 4, PLOT_LINE, 0xE01010};
  plot p = one_curve(&series);
  p.y_min = 2.0, p.y_max = 3.0;
  render_image image = {0};
  assert_int_equal(plot_draw(&p, &image, NULL), MIEN_OK);
  float low[2], high[2];
  plot_locate(&p, 0.0, 2.0, low);
  plot_locate(&p, 3.0, 3.0, high);
  assert_true(count_red(&image) > 100);
  for (int py = 0; py < image.height; py++) {
    if ((float)py > high[1] - 4.0f && (float)py < low[1] + 4.0f) continue;
    for (int px = 0; px < image.width; px++) assert_false(is_red(&image, (float)px, (float)py));
  }
  render_image_free(&image);
}

static void styles_differ_and_nan_leaves_a_gap(void **state) {
  (void)state;
  const double gap[] = {0, NAN, NAN, 9};
  int red[4];
  for (int i = 0; i < 4; i++) {
    plot_series series = {NULL,    x, i == 3 ? gap : y, 4, i == 3 ? PLOT_LINE : (plot_style)i,
                          0xE01010};
    plot p = one_curve(&series);
    render_image image = {0};
    assert_int_equal(plot_draw(&p, &image, NULL), MIEN_OK);
    red[i] = count_red(&image);
    render_image_free(&image);
  }
  assert_true(red[PLOT_DASHED] < 0.7 * red[PLOT_LINE] && red[PLOT_DASHED] > 0.3 * red[PLOT_LINE]);
  assert_true(red[PLOT_DOTS] > 0 && red[PLOT_DOTS] < red[PLOT_DASHED]);
  assert_int_equal(red[3], 0);
}

static void constant_and_empty_series_still_make_a_plot(void **state) {
  (void)state;
  const double flat[] = {5, 5, 5, 5};
  plot_series series[] = {{"flat", NULL, flat, 4, PLOT_LINE, 0xE01010},
                          {"none", NULL, NULL, 0, PLOT_LINE, 0}};
  plot p = {.series = series, .nseries = 2, .width = 300, .height = 200};
  render_image image = {0};
  assert_int_equal(plot_draw(&p, &image, NULL), MIEN_OK);
  assert_int_equal(image.width, 300);
  assert_true(count_red(&image) > 200);
  render_image_free(&image);
  series[1].count = 3;
  mien_error err = {0};
  assert_int_equal(plot_draw(&p, &image, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "Series 1"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curve_passes_its_points),
      cmocka_unit_test(log_axis_skips_what_it_cannot_show),
      cmocka_unit_test(curve_is_cut_at_the_frame),
      cmocka_unit_test(styles_differ_and_nan_leaves_a_gap),
      cmocka_unit_test(constant_and_empty_series_still_make_a_plot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
