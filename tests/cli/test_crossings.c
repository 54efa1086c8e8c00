#include "crossings.h"
#include "exact.h"
#include "lip_strips.h"
#include "scenes/scene.h"

#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(71, i, j) - 1;
}

static bool cross(const float a[9], const float b[9]) {
  const float *const x[3] = {a, a + 3, a + 6}, *const y[3] = {b, b + 3, b + 6};
  bool found = crossings_of_two(x, y);
  // neither the order of triangles nor that of corners may matter
  const float *const turned[3] = {b + 6, b, b + 3}, *const flipped[3] = {a, a + 6, a + 3};
  assert_int_equal(crossings_of_two(y, x), found);
  assert_int_equal(crossings_of_two(flipped, turned), found);
  return found;
}

static const float floor_tri[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static void hand_made_pairs(void **state) {
  (void)state;
  const float *f = floor_tri;
  // through it, from above: the whole way, by 1e-7, touching, short by 1e-7
  assert_true(cross(f, (float[9]){0.2f, 0.2f, -1, 0.2f, 0.2f, 1, 0.9f, 0.9f, 1}));
  assert_true(cross(f, (float[9]){0.2f, 0.2f, -1e-7f, 0.2f, 0.3f, 1, 0.3f, 0.2f, 1}));
  assert_true(cross(f, (float[9]){0.2f, 0.2f, 0, 0.2f, 0.3f, 1, 0.3f, 0.2f, 1}));
  assert_false(cross(f, (float[9]){0.2f, 0.2f, 1e-7f, 0.2f, 0.3f, 1, 0.3f, 0.2f, 1}));
  assert_false(cross(f, (float[9]){0.2f, 0.2f, FLT_TRUE_MIN, 0.2f, 0.3f, 1, 0.3f, 0.2f, 1}));
  // an edge of it grazed by an edge: inside by 1e-7, on it, outside by 1e-7
  assert_true(cross(f, (float[9]){0.5f, 1e-7f, -1, 0.5f, 1e-7f, 1, 0.5f, -1, 0}));
  assert_true(cross(f, (float[9]){0.5f, 0, -1, 0.5f, 0, 1, 0.5f, -1, 0}));
  assert_false(cross(f, (float[9]){0.5f, -1e-7f, -1, 0.5f, -1e-7f, 1, 0.5f, -1, 0}));
  // corner to corner, corner on edge, and just not
  assert_true(cross(f, (float[9]){0, 0, 0, -1, 0, 1, 0, -1, 1}));
  assert_true(cross(f, (float[9]){0.25f, 0, 0, 0, -1, 1, 1, -1, 1}));
  assert_false(cross(f, (float[9]){0.25f, -1e-30f, 0, 0, -1, 1, 1, -1, 1}));
}

static void in_one_plane(void **state) {
  (void)state;
  const float *f = floor_tri;
  assert_true(cross(f, f));                                                       // itself
  assert_true(cross(f, (float[9]){0.1f, 0.1f, 0, 0.2f, 0.1f, 0, 0.1f, 0.2f, 0})); // inside
  assert_true(cross(f, (float[9]){-9, -9, 0, 9, -9, 0, 0, 9, 0}));                // around
  assert_true(cross(f, (float[9]){0.5f, 0.5f, 0, 2, 2, 0, 2, 1, 0}));             // on the edge
  assert_false(cross(f, (float[9]){0.5f, 0.50001f, 0, 2, 2, 0, 2, 1, 0}));
  assert_true(cross(f, (float[9]){1, 0, 0, 2, 0, 0, 2, -1, 0})); // a corner in common
  assert_false(cross(f, (float[9]){1.001f, 0, 0, 2, 0, 0, 2, -1, 0}));
  assert_true(cross(f, (float[9]){0.3f, -1, 0, 0.4f, -1, 0, 0.35f, 5, 0})); // across
  assert_false(cross(f, (float[9]){0, 0, 1, 1, 0, 1, 0, 1, 1}));            // parallel
  // a plane along no axis
  float a[9], b[9], c[9];
  for (int i = 0; i < 9; i++) {
    const float u[3] = {1, 2, 4}, v[3] = {-4, 2, 1};
    const float at[3][2] = {{0, 0}, {8, 0}, {0, 8}};
    a[i] = at[i / 3][0] * u[i % 3] + at[i / 3][1] * v[i % 3];
    b[i] = (at[i / 3][0] + 2) * u[i % 3] + (at[i / 3][1] + 2) * v[i % 3];
    c[i] = (at[i / 3][0] + 5) * u[i % 3] + (at[i / 3][1] + 5) * v[i % 3];
  }
  assert_true(cross(a, b));
  assert_false(cross(a, c));
}

static void without_area(void **state) {
  (void)state;
  const float *f = floor_tri;
  assert_true(cross(f, (float[9]){0.2f, 0.2f, -1, 0.2f, 0.2f, 1, 0.2f, 0.2f, 0.5f})); // an edge
  assert_false(cross(f, (float[9]){2, 2, -1, 2, 2, 1, 2, 2, 0.5f}));
  assert_true(cross(f, (float[9]){0.2f, 0.2f, 0, 0.2f, 0.2f, 0, 0.2f, 0.2f, 0})); // a point
  assert_false(cross(f, (float[9]){0.2f, 0.2f, 1e-9f, 0.2f, 0.2f, 1e-9f, 0.2f, 0.2f, 1e-9f}));
  const float edge[9] = {-1, 0, 0, 1, 0, 0, 0, 0, 0};
  assert_true(cross(edge, (float[9]){0, -1, 0, 0, 1, 0, 0, 0, 0}));
  assert_false(cross(edge, (float[9]){0, -1, 1e-9f, 0, 1, 1e-9f, 0, 0, 1e-9f}));
  assert_true(cross(edge, (float[9]){1, 0, 0, 2, 0, 0, 3, 0, 0})); // on one line
  assert_false(cross(edge, (float[9]){1.5f, 0, 0, 2, 0, 0, 3, 0, 0}));
  assert_true(cross(edge, edge));
}

// Signs against integers that are exact: coordinates are small integers times powers of two.
static void signs_are_exact(void **state) {
  (void)state;
  int nzero = 0, nside[2] = {0};
  for (uint32_t i = 0; i < 20000; i++) {
    int64_t p[4][3];
    float x[4][3];
    int range = i % 2 ? 2 : 1 << 12, shift = (int)(i % 60) - 30;
    for (uint32_t k = 0; k < 12; k++) {
      p[k / 3][k % 3] = (int64_t)floor(range * number(i, k)) + (i % 3 ? 0 : 1 << 20);
      x[k / 3][k % 3] = ldexpf((float)p[k / 3][k % 3], shift);
    }
    if (i % 5 == 0) // in one plane, on purpose
      for (int k = 0; k < 3; k++) {
        p[3][k] = p[0][k] + 2 * (p[1][k] - p[0][k]) - (p[2][k] - p[0][k]);
        x[3][k] = ldexpf((float)p[3][k], shift);
      }
    int64_t u[3], v[3], w[3], det = 0;
    for (int k = 0; k < 3; k++)
      u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k], w[k] = p[3][k] - p[0][k];
    for (int k = 0; k < 3; k++)
      det += w[k] * (u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3]);
    assert_int_equal(exact_side_3d(x[0], x[1], x[2], x[3]), (det > 0) - (det < 0));
    int64_t flat = u[1] * v[2] - u[2] * v[1];
    assert_int_equal(exact_side_2d(x[0], x[1], x[2], 0), (flat > 0) - (flat < 0));
    nzero += det == 0;
    if (det) nside[det > 0]++;
  }
  assert_true(nzero > 3000 && nside[0] > 3000 && nside[1] > 3000);
  // one bit of one coordinate, far from the origin and at the ends of what floats can hold
  const float a[3] = {1e6f, 0, 0}, b[3] = {1e6f + 1, 1, 0}, c[3] = {1e6f, 1, 1};
  const float on[3] = {1e6f + 1, 2, 1}, off[3] = {1e6f + 1, nextafterf(2, 3), 1};
  assert_int_equal(exact_side_3d(a, b, c, on), 0);
  assert_int_not_equal(exact_side_3d(a, b, c, off), 0);
  const float big[4][3] = {{FLT_MAX, 0, 0}, {0, FLT_MAX, 0}, {0, 0, FLT_MAX}, {0, 0, FLT_TRUE_MIN}};
  assert_int_equal(exact_side_3d(big[0], big[1], big[2], big[3]),
                   -exact_side_3d(big[1], big[0], big[2], big[3]));
  assert_int_not_equal(exact_side_3d(big[0], big[1], big[2], big[3]), 0);
}

// Two boxes: how many triangles cross is known by looking at it, and by testing all pairs.
static void meshes(void **state) {
  (void)state;
  scene_mesh a = scene_sphere(16, 20, 1), b = scene_sphere(12, 18, 1);
  crossings_mesh ma = {a.position, a.tri, a.ntri, NULL}, mb = {b.position, b.tri, b.ntri, NULL};
  assert_int_equal(crossings_within(&ma).count, 0);
  assert_int_equal(crossings_within(&ma).first[0], -1);
  for (int step = 0; step < 4; step++) {
    for (int i = 0; i < b.nvert; i++) b.position[3 * i] += 0.7f;
    crossings found = crossings_between(&ma, &mb);
    int64_t expected = 0;
    for (int s = 0; s < a.ntri; s++)
      for (int t = 0; t < b.ntri; t++) {
        const float *x[3], *y[3];
        for (int k = 0; k < 3; k++) {
          x[k] = a.position + 3 * a.tri[3 * s + k];
          y[k] = b.position + 3 * b.tri[3 * t + k];
        }
        expected += crossings_of_two(x, y);
      }
    assert_int_equal(found.count, expected);
    assert_int_equal(found.count > 0, step < 2);
    scene_mesh both = scene_join(&a, &b);
    crossings_mesh m = {both.position, both.tri, both.ntri, NULL};
    assert_int_equal(crossings_within(&m).count, expected);
    scene_mesh_free(&both);
  }
  a.position[4] = NAN;
  assert_int_equal(crossings_within(&ma).count, -1);
  assert_int_equal(crossings_between(&mb, &ma).count, -1);
  ma.ntri = 0;
  assert_int_equal(crossings_within(&ma).count, 0);
  scene_mesh_free(&a);
  scene_mesh_free(&b);
}

// Lips: apart they do not cross; pushed together by more than the gap they do.
static void strips(void **state) {
  (void)state;
  lip_strips s;
  assert_true(lip_strips_create(&lip_strips_usual, &s));
  float *x = malloc(3 * sizeof(float) * (size_t)s.nvert);
  crossings_mesh mesh = {x, s.tri, s.ntri, NULL};
  lip_strips_close(&s, 0, x);
  assert_int_equal(crossings_within(&mesh).count, 0);
  lip_strips_close(&s, 0.07e-3, x);
  assert_int_equal(crossings_within(&mesh).count, 0);
  lip_strips_close(&s, 0.1e-3, x);
  crossings found = crossings_within(&mesh);
  assert_true(found.count > 20 && found.apart == 0);
  // what crossed before is counted apart, what crosses since then is not
  float *before = malloc(3 * sizeof(float) * (size_t)s.nvert);
  mesh.before = memcpy(before, x, 3 * sizeof(float) * (size_t)s.nvert);
  crossings again = crossings_within(&mesh);
  assert_true(again.count == 0 && again.apart == found.count && again.first[0] == -1);
  // a little deeper some pairs are the same and some are new; from 0.15 mm on all are new
  lip_strips_close(&s, 0.103e-3, x);
  again = crossings_within(&mesh);
  mesh.before = NULL;
  assert_true(again.count > 0 && again.apart > 0);
  assert_true(again.count + again.apart == crossings_within(&mesh).count);
  free(before);
  free(x);
  lip_strips_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hand_made_pairs), cmocka_unit_test(in_one_plane),
      cmocka_unit_test(without_area),    cmocka_unit_test(signs_are_exact),
      cmocka_unit_test(meshes),          cmocka_unit_test(strips)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
