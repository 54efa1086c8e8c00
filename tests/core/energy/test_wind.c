#include "scenes/scene.h"

#include "energy/laws.h"
#include "face/face.h"

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

// A face of loose triangles across a wind along -z: one that it blows at, one that looks away, one
// in the mouth, and one a metre farther on. Returns how fast each is after a second.
static void blow(double gust, double time, double speed[4]) {
  float flesh[36], velocity[36] = {0}, still_flesh[36] = {0}, mass[12];
  int32_t tri[12], bits[12] = {0};
  for (int i = 0; i < 12; i++) {
    int corner = i / 3 == 1 ? (3 - i % 3) % 3 : i % 3; // the second is turned round
    for (int c = 0; c < 3; c++)
      flesh[3 * i + c] = (float)triangle[3 * corner + c] - (c == 2 && i / 3 == 3 ? 1 : 0);
    tri[i] = i, mass[i] = 1;
    if (i / 3 == 2) bits[i] = MIEN_REGION_MOUTH_BAG;
  }
  mien_face face = {.skin = {.tri = tri, .ntri = 4, .nvert = 12}, .mass = mass};
  face.regions.bits = bits;
  mi_forces forces = {
      .wind = {0, 0, -10}, .gust = gust, .time = time, .flesh = flesh, .velocity = still_flesh};
  mi_law_wind.accelerate(&face, &forces, 1, velocity);
  for (int k = 0; k < 4; k++) speed[k] = (double)velocity[9 * k + 2];
}

static void skin_shelters_its_lee_and_the_mouth(void **state) {
  (void)state;
  double speed[4];
  blow(0, 0, speed);
  assert_near(speed[0], -0.5 * 1.2 * 100 * 2 / 3, 1e-4);
  assert_true(speed[1] == 0 && speed[2] == 0);
  assert_near(speed[3], speed[0], 1e-4);
}

// A gust reaches a metre farther on a tenth of a second later.
static void gusts_travel_with_the_wind(void **state) {
  (void)state;
  double now[4], later[4];
  blow(0.5, 0.3, now);
  blow(0.5, 0.4, later);
  assert_true(fabs(now[3] - now[0]) > 1);
  assert_near(later[3], now[0], 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(head_on_is_pure_drag), cmocka_unit_test(slanted_wind_lifts),
      cmocka_unit_test(nothing_from_nothing), cmocka_unit_test(skin_shelters_its_lee_and_the_mouth),
      cmocka_unit_test(gusts_travel_with_the_wind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
