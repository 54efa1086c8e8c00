#include "mesh/distance.h"
#include "scenes/scene.h"

#include "base/base.h"
#include "math/vec.h"

#include <float.h>
#include <string.h>

enum { NRANDOM = 4000 };

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(31, i, j) - 1;
}

static mi_vec3 point(const double *x, int i) {
  return (mi_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

// -- Brute force: nested golden sections; distance is convex in the parameters, so they find it ---

typedef struct flat_pair {
  const double *x;
  bool is_edges;
} flat_pair;

static double at_parameters(const flat_pair *p, double u, double v) {
  mi_vec3 a, b;
  if (p->is_edges) {
    a = mi_add_scaled(mi_scale(1 - u, point(p->x, 0)), u, point(p->x, 1));
    b = mi_add_scaled(mi_scale(1 - v, point(p->x, 2)), v, point(p->x, 3));
  } else {
    a = point(p->x, 0);
    double w = v * (1 - u);
    b = mi_add_scaled(mi_scale(1 - u - w, point(p->x, 1)), u, point(p->x, 2));
    b = mi_add_scaled(b, w, point(p->x, 3));
  }
  mi_vec3 d = mi_sub(a, b);
  return mi_dot(d, d);
}

static double least_over_v(const flat_pair *p, double u) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double a = low + 0.381966011250105 * (high - low), b = high - 0.381966011250105 * (high - low);
    if (at_parameters(p, u, a) < at_parameters(p, u, b))
      high = b;
    else
      low = a;
  }
  double best = fmin(at_parameters(p, u, low), at_parameters(p, u, high));
  return fmin(best, fmin(at_parameters(p, u, 0), at_parameters(p, u, 1)));
}

static double brute_force(const double *x, bool is_edges) {
  flat_pair p = {x, is_edges};
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double a = low + 0.381966011250105 * (high - low), b = high - 0.381966011250105 * (high - low);
    if (least_over_v(&p, a) < least_over_v(&p, b))
      high = b;
    else
      low = a;
  }
  double best = fmin(least_over_v(&p, low), least_over_v(&p, high));
  return sqrt(fmin(best, fmin(least_over_v(&p, 0), least_over_v(&p, 1))));
}

// -- Pairs ----------------------------------------------------------------------------------------

static void copy_point(double *x, int to, int from) {
  memcpy(x + 3 * to, x + 3 * from, 3 * sizeof *x);
}

// Random pairs; every other one is degenerate in one of many ways.
static void make_pair(uint32_t i, double *x) {
  for (uint32_t k = 0; k < 12; k++) x[k] = number(i, k);
  double t = number(i, 20), small = pow(10, -16 * mi_random_unit(31, i, 21));
  mi_vec3 u = mi_sub(point(x, 1), point(x, 0));
  switch (i % 16) {
  case 1:
    copy_point(x, 2, 1);
    break; // an edge of the triangle has no length
  case 3:
    copy_point(x, 3, 2);
    break; // nor the second edge
  case 5:  // three points on a line
    for (int k = 0; k < 3; k++) x[9 + k] = x[3 + k] + 3 * t * (x[6 + k] - x[3 + k]);
    break;
  case 7:
    copy_point(x, 1, 0), copy_point(x, 2, 0), copy_point(x, 3, 0);
    break; // one point
  case 9:  // nearly parallel edges, down to exactly so
    x[9] = x[6] + t * u.x + small * number(i, 22);
    x[10] = x[7] + t * u.y + small * number(i, 23);
    x[11] = x[8] + t * u.z + small * number(i, 24);
    break;
  case 11: // needles
    for (int k = 0; k < 3; k++)
      x[9 + k] = x[3 + k] + fabs(t) * (x[6 + k] - x[3 + k]) + small * number(i, 25 + (uint32_t)k);
    break;
  case 13:
    copy_point(x, 1, 0), copy_point(x, 3, 2);
    break; // two edges without length
  case 15:
    x[2] = x[5] = x[8] = x[11] = 0;
    break; // all in a plane
  default:
    break;
  }
}

static void check(const double *x, bool is_edges, uint32_t i) {
  mi_closest c = is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  double expected = brute_force(x, is_edges), found = sqrt(c.d2);
  // the search itself is good to about the root of rounding where the distance is 0
  if (!(found <= expected + 1e-9) || !(found >= expected - 2e-7 * (1 + expected)))
    print_error("pair %u: %.17g, expected %.17g\n", i, found, expected);
  assert_true(found <= expected + 1e-9);
  assert_true(found >= expected - 2e-7);
  // coefficients: of points that exist, and r is made of them
  double first = is_edges ? c.coef[0] + c.coef[1] : c.coef[0];
  double sum = c.coef[0] + c.coef[1] + c.coef[2] + c.coef[3];
  assert_near(first, 1, 1e-14);
  assert_near(sum, 0, 1e-14);
  mi_vec3 r = {0, 0, 0};
  for (int k = 0; k < 4; k++) {
    bool is_first = k == 0 || (is_edges && k == 1);
    assert_true((is_first ? c.coef[k] : -c.coef[k]) >= -1e-12);
    assert_true(c.support >> k & 1 || c.coef[k] == 0);
    r = mi_add_scaled(r, c.coef[k], point(x, k));
  }
  assert_near(c.r[0], r.x, 1e-14);
  assert_near(c.r[1], r.y, 1e-14);
  assert_near(c.r[2], r.z, 1e-14);
  assert_near(c.d2, mi_dot(r, r), 1e-14);
  int nfree = mi_closest_nfree(c.support);
  assert_true(nfree >= 0 && nfree <= 2);
}

static void distances_are_those_of_brute_force(void **state) {
  (void)state;
  int nregion[2][3] = {{0}};
  for (uint32_t i = 0; i < NRANDOM; i++) {
    double x[12];
    make_pair(i, x);
    check(x, false, i);
    check(x, true, i);
    nregion[0][mi_closest_nfree(mi_closest_vertex_triangle(x).support)]++;
    nregion[1][mi_closest_nfree(mi_closest_edge_edge(x).support)]++;
  }
  for (int k = 0; k < 6; k++) assert_true(nregion[k / 3][k % 3] > NRANDOM / 50);
}

// Where the answer is known, and small: digits must not be lost far from the origin.
static void small_gaps_far_away_keep_their_digits(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 500; i++) {
    double gap = pow(10, -2 - 8 * mi_random_unit(31, i, 40)), far = 1000 * number(i, 41);
    double triangle[12] = {0.2, 0.3, gap, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    double edges[12] = {-1, 0.1, gap, 1, 0.2, gap, 0, -1, 0, 0.1, 1, 0};
    for (int k = 0; k < 12; k++)
      triangle[k] += k % 3 == 2 ? 0 : far, edges[k] += k % 3 == 2 ? 0 : far;
    assert_near(sqrt(mi_closest_vertex_triangle(triangle).d2) / gap, 1, 1e-9);
    assert_near(sqrt(mi_closest_edge_edge(edges).d2) / gap, 1, 1e-9);
    assert_int_equal(mi_closest_vertex_triangle(triangle).support, 15);
    assert_int_equal(mi_closest_edge_edge(edges).support, 15);
  }
}

// At the closest points r does not change along free parameters, and slopes are those of coef.
static void slopes_are_tangent(void **state) {
  (void)state;
  int nchecked = 0;
  for (uint32_t i = 0; i < NRANDOM; i += 2) {
    double x[12], slope[2][4];
    make_pair(i, x);
    for (int is_edges = 0; is_edges < 2; is_edges++) {
      mi_closest c = is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
      int nfree = mi_closest_slopes(c.support, is_edges, slope);
      assert_int_equal(nfree, mi_closest_nfree(c.support));
      for (int k = 0; k < nfree; k++) {
        mi_vec3 along = {0, 0, 0};
        for (int p = 0; p < 4; p++) along = mi_add_scaled(along, slope[k][p], point(x, p));
        assert_near(along.x * c.r[0] + along.y * c.r[1] + along.z * c.r[2], 0, 1e-12);
        assert_true(mi_dot(along, along) > 0);
        nchecked++;
      }
    }
  }
  assert_true(nchecked > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(distances_are_those_of_brute_force),
                                     cmocka_unit_test(small_gaps_far_away_keep_their_digits),
                                     cmocka_unit_test(slopes_are_tangent)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
