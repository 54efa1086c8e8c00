#include "scenes/scene.h"

#include "energy/laws.h"

#include <math.h>

static const double still[3] = {0, 0, 0};
// facing +z, area 2
static const double triangle[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};

static void head_on_is_pure_drag(void **state) {
  (void)state;
  mi_wind wind = {{0, 0, -10}, 1.2, 1.1, 5, 0};
  double f[3];
  mi_wind_force(&wind, triangle, still, f);
  assert_near(f[2], -0.5 * 1.2 * 100 * 2 * 1.1, 1e-9);
  assert_near(fabs(f[0]) + fabs(f[1]), 0, 1e-12);
  // the same from behind, unless the skin of a solid shelters it
  wind.velocity[2] = 10;
  mi_wind_force(&wind, triangle, still, f);
  assert_near(f[2], 0.5 * 1.2 * 100 * 2 * 1.1, 1e-9);
  wind.is_one_sided = 1;
  mi_wind_force(&wind, triangle, still, f);
  assert_true(f[2] == 0);
  wind.velocity[2] = -10;
  mi_wind_force(&wind, triangle, still, f);
  assert_true(f[2] < 0);
}

static void slanted_wind_lifts(void **state) {
  (void)state;
  mi_wind wind = {{7, 0, -7}, 1.2, 0, 1, 0};
  double f[3];
  mi_wind_force(&wind, triangle, still, f);
  assert_near(f[0] * 7 - f[2] * 7, 0, 1e-9); // lift is across the wind
  assert_true(f[2] < 0 && f[0] < 0);         // and pushes through the surface
  wind.velocity[2] = 0;                      // along the surface: nothing to push
  mi_wind_force(&wind, triangle, still, f);
  assert_near(fabs(f[0]) + fabs(f[1]) + fabs(f[2]), 0, 1e-12);
}

// Moving with the air there is no wind; a triangle without area has no force.
static void nothing_from_nothing(void **state) {
  (void)state;
  mi_wind wind = {{3, 4, 5}, 1.2, 1, 1, 0};
  const double point[9] = {0};
  double f[3], x[9], g[9];
  mi_wind_force(&wind, triangle, wind.velocity, f);
  for (int k = 0; k < 3; k++) assert_true(f[k] == 0);
  mi_wind_force(&wind, point, still, f);
  for (int k = 0; k < 3; k++) assert_true(f[k] == 0);
  // the law's force adds up to it
  mi_stencil s;
  mi_wind_force(&wind, triangle, still, f);
  assert_true(mi_wind_set_up(&s, &wind, triangle, still));
  for (int i = 0; i < 9; i++) x[i] = triangle[i];
  mi_law_wind.gradient(&s, x, g);
  for (int k = 0; k < 3; k++) assert_near(-(g[k] + g[3 + k] + g[6 + k]), f[k], 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(head_on_is_pure_drag),
                                     cmocka_unit_test(slanted_wind_lifts),
                                     cmocka_unit_test(nothing_from_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
