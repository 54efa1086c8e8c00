// A move whose pairs all have a separating direction crosses nothing: judged by exact arithmetic,
// which knows nothing of directions.
#include "contact/separate.h"
#include "crossings.h"
#include "pair_ccd.h"
#include "soups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct draws {
  uint64_t seed;
} draws;

static uint32_t draw(draws *d) {
  d->seed = d->seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(d->seed >> 32);
}

static double unit(draws *d) {
  return draw(d) / 4294967296.;
}

static double both_ways(draws *d) {
  return 2 * unit(d) - 1;
}

// 2^-most to 1, every size as often
static double power(draws *d, double most) {
  return exp2(-most * unit(d));
}

// -- Two triangles --------------------------------------------------------------------------------

// Points are on a grid of 2^-17 and below 8, times are sixteenths: every place on the way is a
// float, so that the judge sees what the certificate speaks of and no rounding in between.
static const double GRID = 1. / 131072, SLACK = 1. / 262144;
enum { NTIME = 8 }; // odd sixteenths

typedef struct move {
  float from[18], to[18]; // (6 x 3): two triangles
} move;

static float on_grid(double x) {
  return (float)(GRID * rint(x / GRID));
}

// Heights of the six points over a plane between the triangles: a face and a corner, two edges, or
// two corners are closest.
static void draw_heights(draws *d, double gap, const double size[2], double height[6]) {
  static const char low[3][7] = {"111100", "110110", "100100"};
  int kind = (int)(draw(d) % 3);
  double steep = power(d, 10);
  for (int i = 0; i < 6; i++) {
    double away = low[kind][i] == '1' ? 0 : steep * size[i / 3] * unit(d);
    height[i] = i < 3 ? -away : gap + away;
  }
}

static void draw_frame(draws *d, double frame[9]) {
  double n[3], u[3] = {1, 0, 0}, length = 0, along = 0, rest = 0;
  while (length < 0.1) {
    length = 0;
    for (int k = 0; k < 3; k++) n[k] = both_ways(d), length += n[k] * n[k];
  }
  for (int k = 0; k < 3; k++) n[k] /= sqrt(length);
  if (fabs(n[0]) > 0.7) u[0] = 0, u[1] = 1;
  for (int k = 0; k < 3; k++) along += n[k] * u[k];
  for (int k = 0; k < 3; k++) u[k] -= along * n[k], rest += u[k] * u[k];
  for (int k = 0; k < 3; k++) {
    frame[k] = u[k] / sqrt(rest);
    frame[6 + k] = n[k];
  }
  for (int k = 0; k < 3; k++)
    frame[3 + k] = n[(k + 1) % 3] * frame[(k + 2) % 3] - n[(k + 2) % 3] * frame[(k + 1) % 3];
}

// Both go the same way by up to two edges, and each its own by a part of one.
static move draw_move(draws *d) {
  double size[2] = {power(d, 3), power(d, 3)}, frame[9], height[6], common[3], own[2][3];
  double far = power(d, 6) * fmin(size[0], size[1]), noise = power(d, 4) * far;
  double way = 2 * unit(d) * fmax(size[0], size[1]);
  move m;
  draw_frame(d, frame);
  draw_heights(d, power(d, 17), size, height);
  for (int k = 0; k < 3; k++) {
    common[k] = way / sqrt(3) * both_ways(d);
    own[0][k] = far * both_ways(d);
    own[1][k] = far * both_ways(d);
  }
  for (int i = 0; i < 6; i++) {
    double x = size[i / 3] * both_ways(d), y = size[i / 3] * both_ways(d);
    for (int k = 0; k < 3; k++) {
      double at = x * frame[k] + y * frame[3 + k] + height[i] * frame[6 + k];
      m.from[3 * i + k] = on_grid(at);
      m.to[3 * i + k] = on_grid(at + common[k] + own[i / 3][k] + noise * both_ways(d));
    }
  }
  return m;
}

static bool crosses_at(const move *m, int sixteenths) {
  float x[18];
  const float *a[3], *b[3];
  for (int i = 0; i < 18; i++) x[i] = m->from[i] + (float)sixteenths / 16 * (m->to[i] - m->from[i]);
  for (int i = 0; i < 3; i++) a[i] = x + 3 * i, b[i] = x + 9 + 3 * i;
  return crossings_of_two(a, b);
}

static bool crosses_between(const move *m) {
  for (int k = 0; k < NTIME; k++)
    if (crosses_at(m, 2 * k + 1)) return true;
  return false;
}

static bool separates(const move *m, const int point[4], bool is_edges) {
  double from[12], to[12], normal[3], gap;
  for (int i = 0; i < 12; i++) {
    from[i] = (double)m->from[3 * point[i / 3] + i % 3];
    to[i] = (double)m->to[3 * point[i / 3] + i % 3];
  }
  return mi_separate_pair(from, to, is_edges, SLACK, normal, &gap);
}

// All pairs of a vertex and a triangle, and of two edges with `edges`.
static bool all_separate(const move *m, bool edges) {
  for (int i = 0; i < 6; i++)
    if (!separates(m, i < 3 ? (int[4]){i, 3, 4, 5} : (int[4]){i, 0, 1, 2}, false)) return false;
  for (int i = 0; i < 9 && edges; i++)
    if (!separates(m, (int[4]){i / 3, (i / 3 + 1) % 3, 3 + i % 3, 3 + (i % 3 + 1) % 3}, true))
      return false;
  return true;
}

typedef struct outcome {
  int nstart, naccepted;  // moves that set out free; of those, moves accepted
  int nend, nbetween;     // accepted, but they cross at the end, or on the way
  int nrefused, nneedful; // not accepted; of those, moves that do cross at a time looked at
} outcome;

static outcome run_moves(int count, bool edges) {
  draws d = {17};
  outcome o = {0};
  for (int i = 0; i < count; i++) {
    move m = draw_move(&d);
    if (crosses_at(&m, 0)) continue;
    o.nstart++;
    if (!all_separate(&m, edges)) {
      o.nrefused++;
      o.nneedful += i % 8 == 0 && (crosses_at(&m, 16) || crosses_between(&m));
      continue;
    }
    o.naccepted++;
    o.nend += crosses_at(&m, 16);
    o.nbetween += crosses_between(&m);
  }
  print_message("%d moves set out free, %d accepted: %d cross at the end, %d on the way; of the "
                "%d others about %d do\n",
                o.nstart, o.naccepted, o.nend, o.nbetween, o.nrefused, 8 * o.nneedful);
  return o;
}

static int nmove = 250000; // a million in the slow run

static void what_separates_never_crosses(void **state) {
  (void)state;
  outcome o = run_moves(nmove, true);
  assert_true(o.nstart > nmove / 2 && o.naccepted > nmove / 5);
  assert_true(8 * o.nneedful > nmove / 50); // there was something to refuse
  assert_int_equal(o.nend, 0);
  assert_int_equal(o.nbetween, 0);
}

// The judge can tell: without pairs of edges some accepted moves cross.
static void without_edges_some_cross(void **state) {
  (void)state;
  outcome o = run_moves(nmove, false);
  assert_true(o.nend > nmove / 2000 && o.nbetween > nmove / 2000);
}

// -- One pair -------------------------------------------------------------------------------------

// What a caller does with a pair that is refused: the direction is a unit vector along which it is
// apart at the start, by the gap that is said.
static void refused_pairs_have_a_direction(void **state) {
  (void)state;
  draws d = {5};
  int nrefused = 0, ntouch = 0;
  for (int i = 0; i < 20000; i++) {
    move m = draw_move(&d);
    bool is_edges = i % 2;
    const int vert[2][4] = {{3, 0, 1, 2}, {0, 1, 3, 4}};
    double from[12], to[12], n[3], gap, first = INFINITY, second = -INFINITY, length2 = 0;
    for (int k = 0; k < 12; k++) {
      from[k] = (double)m.from[3 * vert[is_edges][k / 3] + k % 3];
      to[k] = (double)m.to[3 * vert[is_edges][k / 3] + k % 3];
    }
    double distance = sqrt((is_edges ? mi_closest_edge_edge : mi_closest_vertex_triangle)(from).d2);
    if (mi_separate_pair(from, to, is_edges, SLACK, n, &gap)) continue;
    if (!(gap > 0)) {
      assert_true(distance == 0); // they touch: nothing is known
      ntouch++;
      continue;
    }
    for (int p = 0; p < 4; p++) {
      double h = n[0] * from[3 * p] + n[1] * from[3 * p + 1] + n[2] * from[3 * p + 2];
      if (p < (is_edges ? 2 : 1))
        first = fmin(first, h);
      else
        second = fmax(second, h);
    }
    for (int k = 0; k < 3; k++) length2 += n[k] * n[k];
    assert_near(length2, 1, 1e-12);
    assert_near(gap, first - second, 1e-12);
    assert_true(gap <= distance * (1 + 1e-9) && gap >= fmin(SLACK, 0.9 * distance) * (1 - 1e-9));
    nrefused++;
  }
  assert_true(nrefused > 1000 && ntouch < 100);
}

static void odd_pairs(void **state) {
  (void)state;
  double from[12] = {0.2, 0.2, 0.1, 0, 0, 0, 1, 0, 0, 0, 1, 0}, to[12], n[3], gap;
  memcpy(to, from, sizeof to);
  assert_true(mi_separate_pair(from, to, false, 1e-6, n, &gap)); // at rest
  for (int i = 0; i < 4; i++) to[3 * i + 2] += 1e6;
  assert_true(mi_separate_pair(from, to, false, 1e-6, n, &gap)); // common motion costs nothing
  to[2] -= 0.2;
  assert_false(mi_separate_pair(from, to, false, 1e-6, n, &gap));
  assert_near(n[2], 1, 1e-12);
  double point[12] = {0};
  assert_false(mi_separate_pair(point, point, true, 1e-6, n, &gap));
}

// The side of a point that lies in a triangle to rounding is undefined: it goes nowhere, least
// of all through. Along a direction that is nothing but rounding the pair is far from apart.
static void what_touches_to_rounding_does_not_go_through(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    draws d = {(uint64_t)i};
    double b = 0.1 + 0.4 * unit(&d), c = 0.1 + 0.4 * unit(&d), n[3], gap;
    double from[12] = {b, c, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, to[12];
    memcpy(to, from, sizeof to);
    to[2] = i % 2 ? 0.5 : -0.5;
    assert_false(mi_separate_pair(from, to, false, 1e-6, n, &gap));
  }
}

// The direction of a pair that touches is none: no vertex is pushed along it.
static void what_touches_is_not_pushed(void **state) {
  (void)state;
  double from[12] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}, to[12], n[3] = {7, 8, 9}, gap = 7;
  memcpy(to, from, sizeof to);
  to[2] = -0.5;
  assert_false(mi_separate_pair(from, to, false, 1e-6, n, &gap));
  assert_true(gap == 0 && n[0] == 0 && n[1] == 0 && n[2] == 0);
}

// Of both ends, and of each point.
static void what_is_not_finite_has_no_direction(void **state) {
  (void)state;
  for (int i = 0; i < 12; i++)
    for (int is_edges = 0; is_edges < 2; is_edges++) {
      double from[12] = {0.2, 0.2, 0.1, 0.3, 0.2, 0.2, 1, 0, 0, 0, 1, 0}, to[12], n[3], gap;
      if (!is_edges) from[5] = 0;
      memcpy(to, from, sizeof to);
      to[i] = NAN;
      assert_false(mi_separate_pair(from, to, is_edges, 1e-6, n, &gap));
      assert_false(mi_separate_pair(to, from, is_edges, 1e-6, n, &gap));
    }
}

// -- Surfaces -------------------------------------------------------------------------------------

typedef struct walker {
  soup s;
  mi_broad *broad;
  mi_separator separator;
  double edge; // m, a mean edge
} walker;

static walker walker_create(soup_kind kind) {
  walker w = {.s = soup_create(kind, false)};
  w.broad = mi_broad_create(w.s.surface, 1 << 21, &w.s.arena);
  assert_non_null(w.broad);
  assert_true(mi_separator_create(&w.separator, w.s.surface, 1 << 16, &w.s.arena));
  for (int e = 0; e < w.s.surface->nedge; e++)
    w.edge += sqrt((double)w.s.surface->edge_length2[e]) / w.s.surface->nedge;
  w.separator.slack = 2e-6 * 40 * w.edge; // a face is some forty edges
  w.separator.open = 0.05 * w.edge;
  return w;
}

// Targets of up to `most` edges: half of it common to all, the rest each vertex's own.
static void draw_targets(const walker *w, draws *d, double most, float *to) {
  double common[3];
  for (int k = 0; k < 3; k++) common[k] = 0.5 * most * w->edge * both_ways(d);
  for (int i = 0; i < 3 * w->s.mesh.nvert; i++) {
    double own = 0.5 * most * w->edge * both_ways(d);
    bool is_soft = i < 3 * w->s.nsoft;
    to[i] = w->s.mesh.position[i] + (is_soft ? (float)(common[i % 3] + own) : 0);
  }
}

static int64_t count_new_crossings(const walker *w, const float *x, const float *before) {
  crossings_mesh mesh = {x, w->s.mesh.tri, w->s.mesh.ntri, before};
  return crossings_within(&mesh).count;
}

// Planes and pushes; what they cannot free goes half the way.
static bool accept(walker *w, float *to, int *nwhole) {
  enum { ROUNDS = 5, HALVINGS = 12 };
  const float *from = w->s.mesh.position;
  for (int half = 0; half < HALVINGS; half++) {
    w->separator.count = 0;
    for (int round = 0; round < ROUNDS; round++) {
      mi_candidates near = mi_broad_find(w->broad, from, to, 2 * w->separator.slack, 2);
      assert_false(near.is_full);
      if (!mi_separate(&w->separator, &near, from, to, 2)) {
        *nwhole += half == 0;
        return true;
      }
      mi_separator_push(&w->separator, to, 8);
    }
    for (int i = 0; i < 3 * w->s.mesh.nvert; i++) to[i] = from[i] + 0.5f * (to[i] - from[i]);
  }
  return false;
}

// From every place that is accepted on to the next target. What crosses at first (random triangles
// do) is not claimed.
static void walk(soup_kind kind, int nstep, double most) {
  walker w = walker_create(kind);
  size_t size = 3 * (size_t)w.s.mesh.nvert * sizeof(float);
  float *first = malloc(size);
  memcpy(first, w.s.mesh.position, size);
  draws d = {(uint64_t)kind + 3};
  int naccepted = 0, nwhole = 0, ntried = 0;
  for (int step = 0; step < nstep; step++) {
    draw_targets(&w, &d, most * unit(&d), w.s.moved);
    ntried += count_new_crossings(&w, w.s.moved, first) > 0;
    if (!accept(&w, w.s.moved, &nwhole)) continue;
    naccepted++;
    memcpy(w.s.mesh.position, w.s.moved, size);
    assert_int_equal(count_new_crossings(&w, w.s.moved, first), 0);
  }
  print_message("soup %d: %d of %d targets cross; %d ends accepted, %d of them without halving\n",
                (int)kind, ntried, nstep, naccepted, nwhole);
  assert_true(ntried > nstep / 2 && naccepted > nstep / 2);
  free(first);
  soup_free(&w.s);
}

static void accepted_ends_are_free(void **state) {
  (void)state;
  walk(SOUP_STRIPS, 60, 3);
  walk(SOUP_TUBES, 60, 3);
  walk(SOUP_RANDOM, 60, 3);
}

// -- All pairs ------------------------------------------------------------------------------------

static bool refuses(const walker *w, mi_pair pair, bool is_edges, mi_plane *plane) {
  double from[12], to[12], gap;
  mi_surface_vertices(w->s.surface, pair, is_edges, plane->vert);
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)plane->vert[i / 3] + (size_t)(i % 3);
    size_t origin = 3 * (size_t)plane->vert[3] + (size_t)(i % 3);
    from[i] = (double)w->s.mesh.position[at] - (double)w->s.mesh.position[origin];
    to[i] = (double)w->s.moved[at] - (double)w->s.moved[origin];
  }
  plane->is_edges = is_edges;
  return !mi_separate_pair(from, to, is_edges, w->separator.slack, plane->normal, &gap);
}

static int find_plane(const mi_separator *s, const mi_plane *wanted) {
  for (int k = 0; k < s->count; k++)
    if (s->plane[k].is_edges == wanted->is_edges &&
        !memcmp(s->plane[k].vert, wanted->vert, sizeof wanted->vert))
      return k;
  return -1;
}

// m, by conservative advancement: the pair is farther apart than this all the way
static bool stays_apart(const walker *w, const mi_plane *plane) {
  double from[12], to[12];
  for (int i = 0; i < 12; i++) {
    size_t at = 3 * (size_t)plane->vert[i / 3] + (size_t)(i % 3);
    from[i] = (double)w->s.mesh.position[at];
    to[i] = (double)w->s.moved[at];
  }
  ccd_limits ccd = {.share = 1, .offset = w->separator.slack, .limit = 1, .most = 64};
  return (plane->is_edges ? ccd_edge_edge : ccd_vertex_triangle)(from, to, &ccd) >= 1;
}

typedef struct tally {
  int nrefused, nfound, napart;
} tally;

// A pair that one look at it alone refuses is found, with the same direction, or it is one that
// goes around the other at a distance.
static void compare_kind(const walker *w, bool is_edges, tally *t) {
  int na = is_edges ? w->s.surface->nedge : w->s.surface->nvert;
  int nb = is_edges ? w->s.surface->nedge : w->s.surface->ntri;
  for (int a = 0; a < na; a++)
    for (int b = is_edges ? a + 1 : 0; b < nb; b++) {
      mi_plane own;
      if (!soup_may_meet(&w->s, (mi_pair){a, b}, is_edges)) continue;
      if (!refuses(w, (mi_pair){a, b}, is_edges, &own)) continue;
      t->nrefused++;
      int at = find_plane(&w->separator, &own);
      if (at < 0) {
        assert_true(stays_apart(w, &own));
        t->napart++;
        continue;
      }
      for (int k = 0; k < 3; k++)
        assert_near(w->separator.plane[at].normal[k], own.normal[k], 1e-9);
      t->nfound++;
    }
}

static void all_pairs_that_need_a_plane_are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_POINT; kind++) {
    walker w = walker_create((soup_kind)kind);
    draws d = {9};
    tally t = {0};
    draw_targets(&w, &d, 1, w.s.moved);
    mi_candidates near =
        mi_broad_find(w.broad, w.s.mesh.position, w.s.moved, 2 * w.separator.slack, 1);
    assert_false(near.is_full);
    int nfound = mi_separate(&w.separator, &near, w.s.mesh.position, w.s.moved, 1);
    assert_int_equal(nfound, w.separator.count);
    compare_kind(&w, false, &t);
    compare_kind(&w, true, &t);
    print_message("soup %d: %d pairs without a direction, %d of them far apart all the way\n", kind,
                  t.nrefused, t.napart);
    assert_int_equal(t.nfound, nfound); // and no others
    assert_true(nfound > 50);
    soup_free(&w.s);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_POINT; kind++) {
    walker w = walker_create((soup_kind)kind);
    draws d = {4};
    draw_targets(&w, &d, 2, w.s.moved);
    mi_candidates near = mi_broad_find(w.broad, w.s.mesh.position, w.s.moved, 0, 1);
    int first = mi_separate(&w.separator, &near, w.s.mesh.position, w.s.moved, 1);
    for (int threads = 2; threads <= 8; threads *= 4) { // planes are added to those there are
      int before = w.separator.count;
      int found = mi_separate(&w.separator, &near, w.s.mesh.position, w.s.moved, threads);
      assert_int_equal(found, first);
      assert_int_equal(w.separator.count, before + first);
      for (int k = 0; k < first; k++) {
        const mi_plane *a = w.separator.plane + k, *b = a + before;
        assert_memory_equal(a->vert, b->vert, sizeof a->vert);
        assert_memory_equal(a->normal, b->normal, sizeof a->normal);
        assert_true(a->level == b->level && a->is_edges == b->is_edges);
      }
    }
    assert_true(first > 50);
    soup_free(&w.s);
  }
}

// No room in the list: all are counted, nothing is written beyond it.
static void a_full_list_still_counts(void **state) {
  (void)state;
  walker w = walker_create(SOUP_STRIPS);
  draws d = {4};
  draw_targets(&w, &d, 2, w.s.moved);
  mi_candidates near = mi_broad_find(w.broad, w.s.mesh.position, w.s.moved, 0, 1);
  int all = mi_separate(&w.separator, &near, w.s.mesh.position, w.s.moved, 1);
  w.separator.count = 0;
  w.separator.capacity = 10;
  assert_int_equal(mi_separate(&w.separator, &near, w.s.mesh.position, w.s.moved, 1), all);
  assert_int_equal(w.separator.count, 10);
  soup_free(&w.s);
}

// -- Pushing --------------------------------------------------------------------------------------

// One plane: both sides give way by half, a rigid side not at all; what is kept is left alone.
static void both_sides_give_way(void **state) {
  (void)state;
  for (int nsoft = 1; nsoft <= 4; nsoft += 3) {
    float to[12] = {0, 0, -0.1f, 1, 0, 0, -1, 1, 0, -1, -1, 0};
    mi_surface surface = {.nvert = 4, .nsoft = nsoft};
    mi_plane plane = {{0, 1, 2, 3}, {0, 0, 1}, 0.1, false};
    mi_separator s = {.surface = &surface, .plane = &plane, .count = 1, .capacity = 1};
    assert_int_equal(mi_separator_push(&s, to, 1), 1);
    assert_int_equal(mi_separator_push(&s, to, 60), 0);
    for (int i = 1; i < 4; i++) {
      assert_true((double)to[2] - (double)to[3 * i + 2] >= 0.1 - 1e-6);
      assert_true(nsoft == 4 ? to[3 * i + 2] < -0.01f : to[3 * i + 2] == 0);
    }
    assert_true(to[0] == 0 && to[1] == 0 && to[3] == 1); // along the normal only
    float kept[12];
    memcpy(kept, to, sizeof to);
    assert_int_equal(mi_separator_push(&s, to, 5), 0);
    assert_memory_equal(kept, to, sizeof to);
  }
}

int main(int count, char **argument) {
  if (count > 1) nmove = atoi(argument[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_separates_never_crosses),
      cmocka_unit_test(without_edges_some_cross),
      cmocka_unit_test(refused_pairs_have_a_direction),
      cmocka_unit_test(odd_pairs),
      cmocka_unit_test(what_touches_to_rounding_does_not_go_through),
      cmocka_unit_test(what_touches_is_not_pushed),
      cmocka_unit_test(what_is_not_finite_has_no_direction),
      cmocka_unit_test(accepted_ends_are_free),
      cmocka_unit_test(all_pairs_that_need_a_plane_are_found),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(a_full_list_still_counts),
      cmocka_unit_test(both_sides_give_way),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
