// Triangles that go through each other: known pairs, and a soup against looking at every pair.
#include "mesh/cross.h"
#include "scenes/scene.h"

#include "crossings.h"

#include <math.h>

enum { NTRI = 300 };

static mi_arena scratch_arena(void) {
  mien_host host;
  mi_arena arena;
  mien_host_init(&host);
  assert_int_equal(mi_host_resolve(&host, &host, NULL), MIEN_OK);
  mi_arena_init(&arena, &host);
  return arena;
}

static void known_pairs(void **state) {
  (void)state;
  const mi_vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const mi_vec3 through[3] = {{0.2, 0.2, -1}, {0.3, 0.2, 1}, {0.2, 0.3, 1}};
  const mi_vec3 beside[3] = {{0.9, 0.9, -1}, {0.9, 0.9, 1}, {2, 2, 1}};
  const mi_vec3 above[3] = {{0, 0, 0.1}, {1, 0, 0.1}, {0, 1, 0.1}};
  assert_true(mi_triangles_cross(flat, through) && mi_triangles_cross(through, flat));
  assert_false(mi_triangles_cross(flat, beside) || mi_triangles_cross(flat, above));
}

static void turn_over(const mi_vec3 from[3], int first, bool is_flipped, mi_vec3 to[3]) {
  for (int k = 0; k < 3; k++) to[k] = from[(first + (is_flipped ? 3 - k : k)) % 3];
}

// The same answer in either order, from whichever corner and side the triangles are read.
static bool agrees(const mi_vec3 a[3], const mi_vec3 b[3]) {
  bool answer = mi_triangles_cross(a, b);
  for (int k = 0; k < 36; k++) {
    mi_vec3 x[3], y[3];
    turn_over(a, k % 3, k / 3 % 2, x);
    turn_over(b, k / 6 % 3, k / 18, y);
    if (mi_triangles_cross(x, y) != answer || mi_triangles_cross(y, x) != answer) return false;
  }
  return true;
}

static void touching_is_not_crossing(void **state) {
  (void)state;
  const mi_vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const mi_vec3 on_top[3] = {{0.2, 0.2, 0}, {0.3, 0.2, 1}, {0.2, 0.3, 1}};
  const mi_vec3 below[3] = {{0.2, 0.2, 0}, {0.3, 0.2, -1}, {0.2, 0.3, -1}};
  const mi_vec3 lying[3] = {{0.1, 0.1, 0}, {0.3, 0.1, 0}, {0.2, 0.3, 0}};
  const mi_vec3 standing[3] = {{0.1, 0.1, 0}, {0.3, 0.1, 0}, {0.2, 0.1, 1}};
  const mi_vec3 pointing[3] = {{0.1, 0.1, 0}, {0.3, 0.1, 1}, {0.2, 0.1, -1}}; // through it
  const mi_vec3 *const touching[] = {on_top, below, lying, standing, flat};
  for (int k = 0; k < 5; k++) assert_true(agrees(flat, touching[k]));
  for (int k = 0; k < 5; k++) assert_false(mi_triangles_cross(flat, touching[k]));
  assert_true(agrees(flat, pointing) && mi_triangles_cross(flat, pointing));
}

// Corners on a coarse grid: most pairs have a corner in the other's plane, an edge in common or no
// area. What the exact judge finds apart does not cross.
static void degenerate_pairs_have_one_answer(void **state) {
  (void)state;
  int ncross = 0, ntouch = 0;
  for (uint32_t pair = 0; pair < 20000; pair++) {
    mi_vec3 at[6];
    float place[6][3];
    for (uint32_t k = 0; k < 18; k++)
      place[k / 3][k % 3] = (float)floor(4 * mi_random_unit(3, pair, k));
    for (int k = 0; k < 6; k++) at[k] = mi_vec3_load(place[k]);
    const float *const a[3] = {place[0], place[1], place[2]};
    const float *const b[3] = {place[3], place[4], place[5]};
    bool meets = crossings_of_two(a, b), crosses = mi_triangles_cross(at, at + 3);
    if (!agrees(at, at + 3)) fail_msg("pair %u: the answer depends on the order", pair);
    assert_true(meets || !crosses);
    ncross += crosses;
    ntouch += meets && !crosses;
  }
  print_message("%d pairs cross, %d touch\n", ncross, ntouch);
  assert_true(ncross > 1000 && ntouch > 1000);
}

static void make_soup(uint32_t seed, float *position, int32_t *tri) {
  for (int t = 0; t < NTRI; t++)
    for (int c = 0; c < 3; c++) {
      tri[3 * t + c] = 3 * t + c;
      for (int k = 0; k < 3; k++)
        position[9 * t + 3 * c + k] =
            (float)(mi_random_unit(seed, 0, (uint32_t)(3 * t + k)) +
                    0.2 * mi_random_unit(seed, 1, (uint32_t)(9 * t + 3 * c + k)));
    }
  for (int t = 0; t + 1 < NTRI; t += 10) tri[3 * t] = tri[3 * t + 3]; // some share a vertex
}

static void corners(const float *position, const int32_t *tri, mi_vec3 out[3]) {
  for (int c = 0; c < 3; c++) out[c] = mi_vec3_load(position + 3 * (size_t)tri[c]);
}

static bool share(const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

static void a_soup_as_pair_by_pair(void **state) {
  (void)state;
  static float position[2][9 * NTRI];
  static int32_t tri[2][3 * NTRI];
  mi_cross_mesh mesh[2];
  mi_arena scratch = scratch_arena();
  for (int m = 0; m < 2; m++) {
    make_soup(7 + (uint32_t)m, position[m], tri[m]);
    mesh[m] = (mi_cross_mesh){position[m], tri[m], NTRI};
  }
  for (int between = 0; between < 2; between++) {
    int expected = 0;
    for (int i = 0; i < NTRI; i++)
      for (int j = between ? 0 : i + 1; j < NTRI; j++) {
        mi_vec3 a[3], b[3];
        corners(position[0], tri[0] + 3 * i, a);
        corners(position[between], tri[between] + 3 * j, b);
        if (between || !share(tri[0] + 3 * i, tri[0] + 3 * j)) expected += mi_triangles_cross(a, b);
      }
    mi_crossings found = mi_cross_find(mesh, between ? mesh + 1 : NULL, &scratch);
    print_message("%d pairs cross\n", found.count);
    assert_true(expected > 20);
    assert_int_equal(found.count, expected);
    for (int k = 0; k < 3; k++) assert_true(fabs(found.near[k] - 0.6) <= 0.6);
  }
  mi_arena_free(&scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_pairs), cmocka_unit_test(touching_is_not_crossing),
      cmocka_unit_test(degenerate_pairs_have_one_answer), cmocka_unit_test(a_soup_as_pair_by_pair)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
