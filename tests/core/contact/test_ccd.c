#include "contact/contact.h"
#include "crossings.h"
#include "soups.h"

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

static double time_of(const double *from, const double *to, bool is_edges, mi_ccd ccd) {
  return is_edges ? mi_ccd_edge_edge(from, to, &ccd) : mi_ccd_vertex_triangle(from, to, &ccd);
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
      double time = time_of(from, to, is_edges, (mi_ccd){0.999, 0, 1, 64});
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
    double time = time_of(from, to, is_edges, (mi_ccd){share, offset, 1, 64});
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
      double time = time_of(from, to, is_edges, (mi_ccd){0.9, 0, 1, 64});
      assert_true(time < 0.5 && time > 0.44);
      // sliding past it, however far, is no collision
      memcpy(to, from, sizeof to);
      for (int k = 0; k < 12; k++) to[k] += k % 3 == 0 && k < (is_edges ? 6 : 3) ? 1 : 0;
      assert_near(time_of(from, to, is_edges, (mi_ccd){0.9, 0, 1, 64}), 1, 0);
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
      double time = time_of(from, to, is_edges, (mi_ccd){0.9, 0, 1, most});
      assert_true(time >= before && time <= 1);
      before = time;
    }
    double start = distance_at(from, to, 0, is_edges);
    double once = time_of(from, to, is_edges, (mi_ccd){0.9, 0, 1, 1});
    assert_true(distance_at(from, to, once, is_edges) >= 0.1 * start - 1e-12);
    // a limit ends the search and changes nothing before it
    double all = time_of(from, to, is_edges, (mi_ccd){0.9, 0, 1, 64});
    double half = time_of(from, to, is_edges, (mi_ccd){0.9, 0, 0.5, 64});
    assert_true(half == (all < 0.5 ? all : 0.5));
  }
}

static void odd_motions(void **state) {
  (void)state;
  const mi_ccd usual = {0.9, 0, 1, 64};
  double from[12] = {0.2, 0.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, to[12]; // touching
  memcpy(to, from, sizeof to);
  assert_near(time_of(from, to, false, usual), 1, 0); // and at rest
  to[2] = 1;
  assert_near(time_of(from, to, false, usual), 0, 0);
  from[2] = 0.1; // too close to its offset: it may leave and may not come nearer
  to[2] = 0.2;
  assert_near(time_of(from, to, false, (mi_ccd){0.9, 0.5, 1, 64}), 1, 0);
  to[2] = 0.05;
  assert_near(time_of(from, to, false, (mi_ccd){0.9, 0.5, 1, 64}), 0, 1e-12);
  to[4] = NAN;
  assert_near(time_of(from, to, false, usual), 0, 0);
  assert_near(time_of(from, to, true, usual), 0, 0);
  double point[12] = {0}, apart[12] = {0};
  apart[0] = 1;
  assert_near(time_of(point, apart, true, usual), 0, 0);
}

// -- All candidates of a surface ------------------------------------------------------------------

static void the_bound_is_the_least_of_all(void **state) {
  (void)state;
  int nbound = 0;
  for (int kind = 0; kind < SOUP_POINT; kind++)
    for (int has_offsets = 0; has_offsets < 2; has_offsets++) {
      soup s = soup_create((soup_kind)kind, has_offsets);
      mi_broad *broad = mi_broad_create(s.surface, 1 << 19, 1 << 20, &s.arena);
      mi_candidates c = mi_broad_find(broad, s.mesh.position, s.moved, 0, 1);
      assert_false(c.is_full);
      mi_ccd_result found = mi_ccd_bound(s.surface, &c, s.mesh.position, s.moved, 0.9, 1);
      double least = 1;
      for (int i = 0; i < c.nvt + c.nee; i++) {
        bool is_edges = i >= c.nvt;
        mi_pair pair = is_edges ? c.ee[i - c.nvt] : c.vt[i];
        int32_t vert[4];
        double from[12], to[12];
        mi_surface_vertices(s.surface, pair, is_edges, vert);
        for (int k = 0; k < 12; k++) {
          from[k] = s.mesh.position[3 * vert[k / 3] + k % 3];
          to[k] = s.moved[3 * vert[k / 3] + k % 3];
        }
        double offset = mi_surface_offset(s.surface, pair, is_edges);
        least = fmin(least, time_of(from, to, is_edges, (mi_ccd){0.9, offset, 1, 64}));
      }
      // slack for rounding makes it a little earlier
      assert_true(found.time <= least && found.time >= 0.98 * least - 1e-3);
      for (int threads = 2; threads < 6; threads++) {
        mi_ccd_result other = mi_ccd_bound(s.surface, &c, s.mesh.position, s.moved, 0.9, threads);
        assert_true(other.time == found.time && other.pair == found.pair &&
                    other.nadvance == found.nadvance);
      }
      c.is_full = true; // who knows what is missing
      assert_true(mi_ccd_bound(s.surface, &c, s.mesh.position, s.moved, 0.9, 1).time == 0);
      nbound += found.time < 1 && found.pair >= 0;
      soup_free(&s);
    }
  assert_true(nbound >= 4);
}

// Strips pressed together again and again, rounded to float each time: the gap never closes.
static void repeated_steps_never_close_a_gap(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  int nvert = s.mesh.nvert;
  mi_broad *broad = mi_broad_create(s.surface, 1 << 17, 1 << 18, &s.arena);
  mi_active active;
  assert_true(mi_active_create(&active, broad, 1 << 18, &s.arena));
  float *x = s.mesh.position, *to = s.moved;
  double gap = INFINITY;
  for (int i = 0; i < 3 * nvert; i++) x[i] += 0.15f; // where floats are 1.5e-8 apart
  for (uint32_t step = 0; step < 30; step++) {
    for (int i = 0; i < 3 * nvert; i++) {
      double press = i % 3 == 1 ? (i < 3 * nvert / 2 ? -1e-3 : 1e-3) : 0;
      to[i] = x[i] + (float)(press + 1e-5 * number((uint32_t)i, 100 + step));
    }
    mi_candidates c = mi_broad_find(broad, x, to, 1e-4, 1);
    assert_false(c.is_full);
    double t = mi_ccd_bound(s.surface, &c, x, to, 0.9, 1).time;
    for (int i = 0; i < 3 * nvert; i++) x[i] = x[i] + (float)t * (to[i] - x[i]);
    mi_active_find(&active, s.surface, &c, x, 1e-4, 1);
    gap = mi_active_least_gap(&active);
    assert_true(gap > 0);
    crossings_mesh mesh = {x, s.mesh.tri, s.mesh.ntri, NULL};
    assert_int_equal(crossings_within(&mesh).count, 0);
  }
  assert_true(gap < 1e-6);
  soup_free(&s);
}

// One pair by itself, as exactly as can be.
static double exact_time(const soup *s, const mi_candidates *c, int i) {
  bool is_edges = i >= c->nvt;
  mi_pair pair = is_edges ? c->ee[i - c->nvt] : c->vt[i];
  int32_t vert[4];
  double from[12], to[12], offset = mi_surface_offset(s->surface, pair, is_edges);
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  for (int k = 0; k < 12; k++) {
    from[k] = s->mesh.position[3 * vert[k / 3] + k % 3];
    to[k] = s->moved[3 * vert[k / 3] + k % 3];
  }
  return time_of(from, to, is_edges, (mi_ccd){0.8, offset, 1, 64});
}

// With the bound fewer are in doubt, none of them who is hit, and the same by any number of
// threads.
static void the_bound_leaves_fewer_in_doubt(const soup *s, mi_candidates *c,
                                            const int32_t *doubtful, int count) {
  int most = c->nvt + c->nee, nall = 0, nhit = 0, at = 0;
  int32_t *fewer = malloc((size_t)most * sizeof *fewer),
          *other = malloc((size_t)most * sizeof *fewer);
  mi_ccd_result alone = mi_ccd_bound(s->surface, c, s->mesh.position, s->moved, 0.8, 1), bound;
  int few = mi_ccd_doubtful(s->surface, c, s->mesh.position, s->moved, 0.8, 1, fewer, &bound);
  assert_true(most > 4096 && alone.time < 1); // several tasks
  assert_true(bound.time == alone.time && bound.pair == alone.pair);
  for (int k = 0; k < count; k++) {
    bool is_hit = exact_time(s, c, doubtful[k]) < 1, is_in = at < few && fewer[at] == doubtful[k];
    assert_true(is_in || !is_hit);
    at += is_in;
    nhit += is_hit;
    nall += !is_in;
  }
  assert_int_equal(at, few);
  assert_true(nhit > 0 && nall > count / 10);
  for (int threads = 1; threads < 4; threads++) {
    assert_int_equal(few, mi_ccd_doubtful(s->surface, c, s->mesh.position, s->moved, 0.8, threads,
                                          other, &bound));
    assert_memory_equal(other, fewer, (size_t)few * sizeof *other);
    assert_true(bound.time == alone.time && bound.pair == alone.pair);
    mi_ccd_doubtful(s->surface, c, s->mesh.position, s->moved, 0.8, threads, other, NULL);
    assert_memory_equal(other, doubtful, (size_t)count * sizeof *other);
  }
  c->is_full = true; // then nothing is known to be free
  mi_ccd_doubtful(s->surface, c, s->mesh.position, s->moved, 0.8, 2, other, &bound);
  assert_true(bound.time == 0);
  free(fewer);
  free(other);
}

// Whoever is left out comes nowhere as close as asked for, and can be hit by nobody.
static void what_is_left_out_stays_away(void **state) {
  (void)state;
  soup s = soup_create(SOUP_TUBES, true);
  double reach = 0.1 * soup_size(SOUP_TUBES);
  mi_broad *broad = mi_broad_create(s.surface, 1 << 19, 1 << 20, &s.arena);
  mi_candidates c = mi_broad_find(broad, s.mesh.position, s.moved, reach, 1);
  int most = c.nvt + c.nee, kept = 0, ndoubtful = 0;
  mi_pair *pair = malloc((size_t)mi_broad_most(broad) * sizeof *pair);
  int32_t *doubtful = malloc((size_t)mi_broad_most(broad) * sizeof *doubtful);
  float *x = malloc(3 * (size_t)s.mesh.nvert * sizeof *x);
  mi_pair *other = malloc((size_t)mi_broad_most(broad) * sizeof *other);
  mi_candidates near = mi_ccd_close(s.surface, &c, s.mesh.position, s.moved, reach, 1, pair);
  mi_candidates again = mi_ccd_close(s.surface, &c, s.mesh.position, s.moved, reach, 3, other);
  assert_int_equal(again.nvt, near.nvt);
  assert_int_equal(again.nee, near.nee);
  assert_memory_equal(other, pair, (size_t)(near.nvt + near.nee) * sizeof *pair);
  free(other);
  int count = mi_ccd_doubtful(s.surface, &c, s.mesh.position, s.moved, 0.8, 1, doubtful, NULL);
  assert_true(near.nvt > 0 && near.nvt + near.nee < most && count > 0 && count < most);
  for (int i = 0; i < most; i++) {
    bool is_edges = i >= c.nvt;
    mi_pair own = is_edges ? c.ee[i - c.nvt] : c.vt[i];
    double least = INFINITY, xi = mi_surface_offset(s.surface, own, is_edges);
    if (kept < near.nvt + near.nee && !memcmp(pair + kept, &own, sizeof own)) {
      kept++;
    } else {
      for (int step = 0; step <= 8; step++) {
        int32_t vert[4];
        mi_surface_vertices(s.surface, own, is_edges, vert);
        for (int k = 0; k < 12; k++) {
          size_t at = 3 * (size_t)vert[k / 3] + (size_t)(k % 3);
          x[at] = s.mesh.position[at] + 0.125f * (float)step * (s.moved[at] - s.mesh.position[at]);
        }
        least = fmin(least, sqrt(soup_closest(&s, x, own, is_edges).d2) - xi);
      }
      assert_true(least > reach);
    }
    if (ndoubtful < count && doubtful[ndoubtful] == i) {
      ndoubtful++;
      continue;
    }
    mi_candidates one = {&own, &own, !is_edges, is_edges, false};
    assert_true(mi_ccd_bound(s.surface, &one, s.mesh.position, s.moved, 0.8, 1).time >= 1);
  }
  assert_int_equal(kept, near.nvt + near.nee);
  assert_int_equal(ndoubtful, count);
  the_bound_leaves_fewer_in_doubt(&s, &c, doubtful, count);
  free(pair);
  free(doubtful);
  free(x);
  soup_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(never_later_than_the_collision),
                                     cmocka_unit_test(the_gap_keeps_its_share),
                                     cmocka_unit_test(nothing_tunnels),
                                     cmocka_unit_test(few_iterations_are_safe_too),
                                     cmocka_unit_test(odd_motions),
                                     cmocka_unit_test(the_bound_is_the_least_of_all),
                                     cmocka_unit_test(what_is_left_out_stays_away),
                                     cmocka_unit_test(repeated_steps_never_close_a_gap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
