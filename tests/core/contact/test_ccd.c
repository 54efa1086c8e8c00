#include "pair_ccd.h"

#include "base/base.h"
#include "mesh/distance.h"
#include "scenes/scene.h"

#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NRANDOM = 3000 };

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(53, i, j) - 1;
}

static double distance_at(const double *from, const double *to, double t, bool is_edges) {
  double x[12];
  for (int k = 0; k < 12; k++) x[k] = from[k] + t * (to[k] - from[k]);
  return sqrt((is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x)).d2);
}

static double time_of(const double *from, const double *to, bool is_edges, ccd_limits ccd) {
  return is_edges ? ccd_edge_edge(from, to, &ccd) : ccd_vertex_triangle(from, to, &ccd);
}

// -- The true time of collision: roots of the cubic at which the four points are in a plane -------

static double volume_at(const double *from, const double *to, double t) {
  mi_vec3 p[4];
  for (int i = 0; i < 4; i++)
    p[i] = (mi_vec3){from[3 * i] + t * (to[3 * i] - from[3 * i]),
                     from[3 * i + 1] + t * (to[3 * i + 1] - from[3 * i + 1]),
                     from[3 * i + 2] + t * (to[3 * i + 2] - from[3 * i + 2])};
  return mi_det(p[0], p[1], p[2], p[3]);
}

static double bisect(const double *from, const double *to, double low, double high) {
  bool is_up = volume_at(from, to, low) < volume_at(from, to, high);
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if ((volume_at(from, to, middle) > 0) == is_up)
      high = middle;
    else
      low = middle;
  }
  return (low + high) / 2;
}

// The first root at which the pair really touches, 2 = none.
static double true_time(const double *from, const double *to, bool is_edges) {
  // a cubic through four values: its slope's roots part [0, 1] into monotone pieces
  double f0 = volume_at(from, to, 0), f1 = volume_at(from, to, 1), fm = volume_at(from, to, -1),
         f2 = volume_at(from, to, 2);
  double d = f0, b = (f1 + fm) / 2 - d, a = (f2 - 2 * f1 - 2 * b + d) / 6, c = f1 - a - b - d;
  double knot[4] = {0, 1, 1, 1}, disc = b * b - 3 * a * c;
  int nknot = 1;
  if (disc >= 0 && a != 0)
    for (int s = -1; s <= 1; s += 2) {
      double t = (-b + copysign(1, a) * s * sqrt(disc)) / (3 * a);
      if (t > 0 && t < 1) knot[nknot++] = t;
    }
  knot[nknot] = 1;
  for (int i = 0; i < nknot; i++) {
    double low = volume_at(from, to, knot[i]), high = volume_at(from, to, knot[i + 1]);
    if ((low > 0) == (high > 0)) continue;
    double t = bisect(from, to, knot[i], knot[i + 1]);
    if (distance_at(from, to, t, is_edges) < 1e-7) return t;
  }
  return 2;
}

static void make_motion(uint32_t i, double *from, double *to) {
  double size = i % 3 == 0 ? 1 : 1e-3, travel = i % 4 == 0 ? 1 : 2 * size;
  for (uint32_t k = 0; k < 12; k++) {
    from[k] = size * number(i, k);
    to[k] = from[k] + travel * (number(i, 20 + k) + (i % 4 < 2 ? 0 : 3 * number(i, 40 + k % 3)));
  }
  // half of them go to the other side of what they face
  for (int k = 0; i % 4 < 2 && k < 3; k++) to[k] = 3 * from[9 + k] - 2 * from[k];
}

static void never_later_than_the_collision(void **state) {
  (void)state;
  int nhit = 0;
  for (uint32_t i = 0; i < NRANDOM; i++)
    for (int is_edges = 0; is_edges < 2; is_edges++) {
      double from[12], to[12];
      make_motion(i, from, to);
      double truth = true_time(from, to, is_edges);
      double time = time_of(from, to, is_edges, (ccd_limits){0.999, 0, 1, 64});
      assert_true(time >= 0 && time <= 1);
      assert_true(time < truth);
      nhit += truth <= 1;
    }
  assert_true(nhit > NRANDOM / 10);
}

// On the way up to the time found the gap keeps its share; at that time little more is left.
static void the_gap_keeps_its_share(void **state) {
  (void)state;
  int nbounded = 0, ntight = 0;
  for (uint32_t i = 0; i < NRANDOM; i++) {
    bool is_edges = i & 1;
    double from[12], to[12];
    make_motion(i, from, to);
    double start = distance_at(from, to, 0, is_edges);
    double offset = i % 5 ? 0 : 0.3 * start, share = 0.5 + 0.45 * mi_random_unit(53, i, 60);
    double level = offset + (1 - share) * (start - offset);
    double time = time_of(from, to, is_edges, (ccd_limits){share, offset, 1, 64});
    for (int k = 0; k <= 400; k++)
      assert_true(distance_at(from, to, time * k / 400, is_edges) >= level - 1e-12);
    if (time >= 1) continue;
    nbounded++;
    ntight += distance_at(from, to, time, is_edges) <= level + 0.02 * share * (start - offset);
  }
  assert_true(nbounded > NRANDOM / 4);
  assert_true(ntight > nbounded * 97 / 100);
}

// A metre in one step through something thin, with nothing near it at either end.
static void nothing_tunnels(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 1000; i++) {
    double s = 1e-3 * pow(10, -2 * mi_random_unit(53, i, 1)),
           u = 0.2 + 0.2 * mi_random_unit(53, i, 2);
    double triangle[12] = {u * s, u * s, 0.5, 0, 0, 0, s, 0, 0, 0, s, 0};
    double edges[12] = {-s, 0, 0.5, s, 0, 0.5, 0.1 * s, -s, 0, 0, s, 0};
    for (int is_edges = 0; is_edges < 2; is_edges++) {
      const double *from = is_edges ? edges : triangle;
      double to[12];
      memcpy(to, from, sizeof to);
      for (int k = 0; k < (is_edges ? 2 : 1); k++) to[3 * k + 2] = -0.5;
      double time = time_of(from, to, is_edges, (ccd_limits){0.9, 0, 1, 64});
      assert_true(time < 0.5 && time > 0.44);
      // sliding past it, however far, is no collision
      memcpy(to, from, sizeof to);
      for (int k = 0; k < 12; k++) to[k] += k % 3 == 0 && k < (is_edges ? 6 : 3) ? 1 : 0;
      assert_near(time_of(from, to, is_edges, (ccd_limits){0.9, 0, 1, 64}), 1, 0);
    }
  }
}

static void few_iterations_are_safe_too(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 1000; i++) {
    bool is_edges = i & 1;
    double from[12], to[12], before = 0;
    make_motion(i, from, to);
    for (int most = 1; most <= 64; most *= 2) {
      double time = time_of(from, to, is_edges, (ccd_limits){0.9, 0, 1, most});
      assert_true(time >= before && time <= 1);
      before = time;
    }
    double start = distance_at(from, to, 0, is_edges);
    double once = time_of(from, to, is_edges, (ccd_limits){0.9, 0, 1, 1});
    assert_true(distance_at(from, to, once, is_edges) >= 0.1 * start - 1e-12);
    // a limit ends the search and changes nothing before it
    double all = time_of(from, to, is_edges, (ccd_limits){0.9, 0, 1, 64});
    double half = time_of(from, to, is_edges, (ccd_limits){0.9, 0, 0.5, 64});
    assert_true(half == (all < 0.5 ? all : 0.5));
  }
}

static void odd_motions(void **state) {
  (void)state;
  const ccd_limits usual = {0.9, 0, 1, 64};
  double from[12] = {0.2, 0.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, to[12]; // touching
  memcpy(to, from, sizeof to);
  assert_near(time_of(from, to, false, usual), 1, 0); // and at rest
  to[2] = 1;
  assert_near(time_of(from, to, false, usual), 0, 0);
  from[2] = 0.1; // too close to its offset: it may leave and may not come nearer
  to[2] = 0.2;
  assert_near(time_of(from, to, false, (ccd_limits){0.9, 0.5, 1, 64}), 1, 0);
  to[2] = 0.05;
  assert_near(time_of(from, to, false, (ccd_limits){0.9, 0.5, 1, 64}), 0, 1e-12);
  to[4] = NAN;
  assert_near(time_of(from, to, false, usual), 0, 0);
  assert_near(time_of(from, to, true, usual), 0, 0);
  double point[12] = {0}, apart[12] = {0};
  apart[0] = 1;
  assert_near(time_of(point, apart, true, usual), 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(never_later_than_the_collision), cmocka_unit_test(the_gap_keeps_its_share),
      cmocka_unit_test(nothing_tunnels), cmocka_unit_test(few_iterations_are_safe_too),
      cmocka_unit_test(odd_motions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
