#include "math/kernels.h"
#include "scenes/scene.h"

#include "base/base.h"
#include "math/vec.h"

#include <string.h>

enum { COUNT = 1000 };

static float number(uint32_t i, uint32_t j) {
  return (float)(2 * mi_random_unit(11, i, j) - 1);
}

static void add_scaled_matches_the_formula(void **state) {
  (void)state;
  const mi_kernels *bodies[] = {mi_kernels_best(), mi_kernels_scalar()};
  for (int b = 0; b < 2; b++)
    for (int count = 0; count < 40; count++) {
      float x[40], y[41], expected[40];
      for (int i = 0; i < count; i++) {
        x[i] = number((uint32_t)i, 0);
        y[i] = number((uint32_t)i, 1);
        expected[i] = (float)((double)y[i] + 0.37 * x[i]);
      }
      y[count] = 99; // must not be touched
      bodies[b]->add_scaled(y, x, 0.37f, count);
      for (int i = 0; i < count; i++) assert_near(y[i], expected[i], 2e-7);
      assert_true(y[count] == 99);
    }
}

// a run cut in two gives the same bits as one run: shapes may be stored either way
static void add_scaled_does_not_depend_on_place(void **state) {
  (void)state;
  float x[50], whole[50], parts[50];
  for (int i = 0; i < 50; i++) x[i] = number((uint32_t)i, 2), whole[i] = parts[i] = x[i] * 0.1f;
  for (int cut = 0; cut <= 50; cut++) {
    memcpy(parts, whole, sizeof whole);
    float once[50];
    memcpy(once, whole, sizeof whole);
    mi_kernels_best()->add_scaled(once, x, 0.7f, 50);
    mi_kernels_best()->add_scaled(parts, x, 0.7f, cut);
    mi_kernels_best()->add_scaled(parts + cut, x + cut, 0.7f, 50 - cut);
    assert_memory_equal(once, parts, sizeof once);
  }
}

static void measure_tets_matches_double(void **state) {
  (void)state;
  static float position[3 * 4 * COUNT], volume[COUNT], ratio[COUNT];
  static int32_t tets[4 * COUNT];
  for (int i = 0; i < 12 * COUNT; i++) position[i] = number((uint32_t)i, 3);
  for (int i = 0; i < 4 * COUNT; i++) tets[i] = i;
  const mi_kernels *bodies[] = {mi_kernels_best(), mi_kernels_scalar()};
  for (int b = 0; b < 2; b++) {
    for (int count = COUNT - 9; count <= COUNT; count++)
      bodies[b]->measure_tets(position, tets, count, volume, ratio);
    for (int e = 0; e < COUNT; e++) {
      mi_vec3 p[4];
      double edges = 0;
      for (int c = 0; c < 4; c++) p[c] = mi_vec3_load(position + 12 * e + 3 * c);
      for (int c = 0; c < 4; c++)
        for (int d = 0; d < c; d++) edges += pow(mi_distance(p[c], p[d]), 2);
      double exact = mi_det(p[0], p[1], p[2], p[3]) / 6;
      double quality = copysign(12 * pow(fabs(3 * exact), 2.0 / 3) / edges, exact);
      assert_near(volume[e], exact, 1e-6);
      assert_near(ratio[e], quality, 2e-4);
    }
  }
}

static void a_regular_tetrahedron_is_perfect(void **state) {
  (void)state;
  const float position[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  int32_t tet[4] = {0, 2, 1, 3}, flat[4] = {0, 0, 1, 2};
  float volume, ratio;
  mi_kernels_best()->measure_tets(position, tet, 1, &volume, &ratio);
  assert_near(fabs((double)volume), 8.0 / 3, 1e-6);
  assert_near(fabs((double)ratio), 1, 1e-6);
  assert_true((volume > 0) == (ratio > 0));
  mi_kernels_best()->measure_tets(position, flat, 1, &volume, &ratio);
  assert_near(volume, 0, 1e-7);
  assert_near(ratio, 0, 1e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(add_scaled_matches_the_formula),
                                     cmocka_unit_test(add_scaled_does_not_depend_on_place),
                                     cmocka_unit_test(measure_tets_matches_double),
                                     cmocka_unit_test(a_regular_tetrahedron_is_perfect)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
