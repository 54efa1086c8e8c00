// What is written as CSV comes back: weights and times bit for bit, the head to rounding.
#include "fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mien_take *there_and_back(const mien_take *take) {
  mien_host host = fixture_host();
  const char *path = fixture_path("take.csv");
  mien_error err;
  if (mi_csv_write_take(take, path, &err) < 0) fail_msg("%s", err.text);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  mien_take *back = NULL;
  if (mi_csv_read_take(bytes, size, &host, &back, &err) < 0) fail_msg("%s", err.text);
  free(bytes);
  return back;
}

static void comes_back_bit_for_bit(void **state) {
  (void)state;
  enum { NFRAME = 500, NCHANNEL = 3 };
  static const char *const channels[NCHANNEL] = {"a", "with, comma", "c"};
  static double times[NFRAME];
  static float weights[NFRAME * NCHANNEL];
  static mien_rigid head[NFRAME];
  for (int f = 0; f < NFRAME; f++) {
    times[f] = f / 24.0 + 1e-3 * mi_random_unit(1, (uint32_t)f, 0);
    for (int c = 0; c < NCHANNEL; c++)
      weights[f * NCHANNEL + c] = (float)mi_random_unit(2, (uint32_t)f, (uint32_t)c);
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) q[k] = mi_random_unit(3, (uint32_t)f, (uint32_t)k) - 0.5;
    for (int k = 0; k < 4; k++) length += q[k] * q[k];
    for (int k = 0; k < 4; k++) head[f].rotation[k] = q[k] / sqrt(length);
    for (int k = 0; k < 3; k++)
      head[f].translation[k] = mi_random_unit(4, (uint32_t)f, (uint32_t)k);
  }
  // straight up and straight down, where yaw and roll are one
  head[7] = (mien_rigid){.rotation = {sqrt(0.5), 0, 0, sqrt(0.5)}};
  head[8] = (mien_rigid){.rotation = {-0.5, 0.5, 0.5, 0.5}};
  mien_take_def def;
  mien_take_def_init(&def);
  def.channels = channels;
  def.nchannel = NCHANNEL;
  def.nframe = NFRAME;
  def.times = times;
  def.weights = weights;
  def.head = head;
  mien_host host = fixture_host();
  mien_take *take = NULL;
  assert_int_equal(mi_take_create(&def, &host, &take, NULL), MIEN_OK);
  mien_take *back = there_and_back(take);
  assert_int_equal(back->info.nframe, NFRAME);
  assert_memory_equal(back->info.times, times, sizeof times);
  assert_memory_equal(back->info.weights, weights, sizeof weights);
  for (int c = 0; c < NCHANNEL; c++) assert_string_equal(back->info.channels[c], channels[c]);
  for (int f = 0; f < NFRAME; f++) {
    double cosine = 0;
    for (int k = 0; k < 4; k++)
      cosine += take->info.head[f].rotation[k] * back->info.head[f].rotation[k];
    assert_near(fabs(cosine), 1, 1e-12);
    assert_memory_equal(back->info.head[f].translation, head[f].translation,
                        sizeof head[f].translation);
  }
  fixture_free_take(take);
  fixture_free_take(back);
}

static void without_a_head_there_are_no_columns(void **state) {
  (void)state;
  mien_take_def def;
  mien_take_def_init(&def);
  def.channels = (const char *const[]){"x"};
  def.nchannel = def.nframe = 1;
  def.times = (const double[]){0.5};
  def.weights = (const float[]){0.1f};
  mien_host host = fixture_host();
  mien_take *take = NULL;
  assert_int_equal(mi_take_create(&def, &host, &take, NULL), MIEN_OK);
  const char *path = fixture_path("plain.csv");
  assert_int_equal(mi_csv_write_take(take, path, NULL), MIEN_OK);
  size_t size;
  unsigned char *bytes = fixture_read(path, &size);
  assert_int_equal(size, strlen("Time,x\n0.5,0.1\n"));
  assert_memory_equal(bytes, "Time,x\n0.5,0.1\n", size);
  free(bytes);
  mien_error err;
  assert_int_equal(mi_csv_write_take(take, fixture_path("nowhere/x.csv"), &err), MIEN_ERR_IO);
  fixture_free_take(take);
}

// It would come back as the head's way, or not at all.
static void a_name_that_means_something_else_is_refused(void **state) {
  (void)state;
  static const char *const names[] = {"HeadX", "time", "LeftEyeYaw", ""};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    mien_take_def def;
    mien_take_def_init(&def);
    def.channels = names + k;
    def.nchannel = def.nframe = 1;
    def.times = (const double[]){0};
    def.weights = (const float[]){1};
    mien_host host = fixture_host();
    mien_take *take = NULL;
    mien_error err = {0};
    assert_int_equal(mi_take_create(&def, &host, &take, NULL), MIEN_OK);
    assert_int_equal(mi_csv_write_take(take, fixture_path("else.csv"), &err), MIEN_ERR_ARGUMENT);
    assert_text_has(err.text, "something else");
    fixture_free_take(take);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(comes_back_bit_for_bit),
      cmocka_unit_test(without_a_head_there_are_no_columns),
      cmocka_unit_test(a_name_that_means_something_else_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
