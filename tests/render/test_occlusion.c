// A floor under a lid sees less sky than a free one.
#include "picture.h"

// Two squares facing each other at a distance of 0.1, each of 2 x 2; and a free one far away.
static const float positions[] = {
    -1, 0,    -1, 1,  0,    -1, 1,  0,    1, -1, 0,    1, 0,  0, 0,  // floor and its middle
    -1, 0.1f, -1, 1,  0.1f, -1, 1,  0.1f, 1, -1, 0.1f, 1,            // lid
    9,  0,    -1, 11, 0,    -1, 11, 0,    1, 9,  0,    1, 10, 0, 0}; // free floor
static const int32_t triangles[] = {0, 4, 1, 1, 4,  2,  2,  4,  3,  3,  4,  0,  5,  6,  7,
                                    5, 7, 8, 9, 13, 10, 10, 13, 11, 11, 13, 12, 12, 13, 9};

static void covered_floor_is_dark_and_free_floor_is_not(void **state) {
  (void)state;
  float open[14];
  mien_error err = {0};
  assert_int_equal(
      render_occlusion((mien_f32s){positions, 14, 3}, (mien_i32s){triangles, 30}, 1.0f, open, &err),
      MIEN_OK);
  assert_true(open[4] < 0.35f);
  assert_true(open[13] > 0.999f);
  assert_true(open[9] > 0.999f);
  // A lid farther away than rays reach does not count.
  assert_int_equal(render_occlusion((mien_f32s){positions, 14, 3}, (mien_i32s){triangles, 30},
                                    0.05f, open, &err),
                   MIEN_OK);
  assert_true(open[4] > 0.999f);
}

static void same_input_same_bits(void **state) {
  (void)state;
  float a[14], b[14];
  mien_f32s p = {positions, 14, 3};
  mien_i32s t = {triangles, 30};
  assert_int_equal(render_occlusion(p, t, 1.0f, a, NULL), MIEN_OK);
  assert_int_equal(render_occlusion(p, t, 1.0f, b, NULL), MIEN_OK);
  assert_memory_equal(a, b, sizeof a);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  float open[14];
  const int32_t beyond[] = {0, 1, 14};
  mien_f32s p = {positions, 14, 3};
  assert_int_equal(render_occlusion(p, (mien_i32s){beyond, 3}, 1.0f, open, NULL),
                   MIEN_ERR_ARGUMENT);
  assert_int_equal(render_occlusion(p, (mien_i32s){triangles, 30}, 0.0f, open, NULL),
                   MIEN_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(covered_floor_is_dark_and_free_floor_is_not),
      cmocka_unit_test(same_input_same_bits),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
