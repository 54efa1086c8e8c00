#include "scenes/scene.h"

#include "lab_laws.h"

#include <math.h>

enum { N = 8, NVERT = N + 1 };

// a vertex on a sphere and a ring around it, at `angle` from it
static void cap(double radius, double angle, double *x) {
  for (int k = 0; k < 3; k++) x[k] = k == 2 ? radius : 0;
  for (int i = 0; i < N; i++) {
    double turn = 2 * 3.14159265358979323846 * i / N;
    x[3 * i + 3] = radius * sin(angle) * cos(turn);
    x[3 * i + 4] = radius * sin(angle) * sin(turn);
    x[3 * i + 5] = radius * cos(angle);
  }
}

// The Laplacian of a sphere's position is 2 / r: twice its mean curvature.
static void laplacian_is_twice_the_mean_curvature(void **state) {
  (void)state;
  double x[3 * NVERT], c[N], gx[3], p[3];
  mi_stencil s;
  for (double radius = 0.05; radius < 0.2; radius += 0.05) {
    cap(radius, 0.05, x);
    double area = lab_bending_cotangents(NVERT, x, c);
    assert_true(area > 0);
    assert_true(lab_bending_set_up(&s, NVERT, x, c, area));
    lab_law_bending.reduce(&s, x, gx, p);
    assert_near(gx[2], -2 / radius, 0.01 / radius);
    assert_near(gx[0], 0, 1e-9);
  }
}

// The ring's share of the plane around its middle: a quarter of a square of four triangles.
static void area_is_the_voronoi_cell(void **state) {
  (void)state;
  const double x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0};
  double c[4];
  assert_near(lab_bending_cotangents(5, x, c), 1, 1e-12);
  for (int i = 0; i < 4; i++) assert_near(c[i], 1, 1e-12); // two cotangents of 45 degrees, halved
  // obtuse at the neighbours: half of the area would be too much
  const double obtuse[12] = {0, 0, 0, 1, 0, 0, -0.2, 0.1, 0, -0.2, -0.1, 0};
  double area = lab_bending_cotangents(4, obtuse, c);
  assert_true(area > 0 && area < 0.12);
  const double point[12] = {0};
  assert_true(lab_bending_cotangents(4, point, c) == 0);
}

// A flat rest state is pulled flat; one with curvature is pulled back to it from both sides.
static void curvature_is_kept(void **state) {
  (void)state;
  double rest[3 * NVERT], x[3 * NVERT], c[N], g[3 * NVERT];
  mi_stencil s;
  cap(0.1, 0.3, rest);
  double area = lab_bending_cotangents(NVERT, rest, c);
  assert_true(lab_bending_set_up(&s, NVERT, rest, c, area));
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < 3 * NVERT; i++) x[i] = rest[i];
    x[2] += sign * 0.001;
    lab_law_bending.gradient(&s, x, g);
    assert_true(sign * g[2] > 0);
  }
  for (int i = 0; i < 3 * NVERT; i++) x[i] = i % 3 == 2 ? 0.1 : rest[i];
  assert_true(lab_bending_set_up(&s, NVERT, x, c, area));
  assert_near(s.parameter[0], 0, 1e-9);
  assert_true(lab_law_bending.value(&s, rest) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(laplacian_is_twice_the_mean_curvature),
                                     cmocka_unit_test(area_is_the_voronoi_cell),
                                     cmocka_unit_test(curvature_is_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
