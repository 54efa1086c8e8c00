#include "contact/excluded.h"
#include "mesh/cross.h"
#include "soups.h"

#include <math.h>

static void what_is_close_at_rest_is_excluded(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_POINT; kind++) {
    soup s = soup_create((soup_kind)kind, true);
    const mi_surface *f = s.surface;
    double threshold = 0.4 * soup_size((soup_kind)kind);
    int count = mi_surface_exclude(s.surface, s.mesh.position, threshold, &s.arena), nclose = 0;
    assert_int_equal(count, mi_surface_nexcluded(s.surface));
    for (int is_edges = 0; is_edges < 2; is_edges++)
      for (int a = 0; a < (is_edges ? f->nedge : f->nvert); a++)
        for (int b = is_edges ? a + 1 : 0; b < (is_edges ? f->nedge : f->ntri); b++) {
          mi_pair pair = {a, b};
          double d = sqrt(soup_closest(&s, s.mesh.position, pair, is_edges).d2);
          bool is_close = soup_may_meet(&s, pair, is_edges) &&
                          d - mi_surface_offset(f, pair, is_edges) < threshold;
          if (!is_close && kind == SOUP_RANDOM) continue; // triangles that cross are excluded whole
          int which = is_edges ? MI_EXCLUDED_EE : MI_EXCLUDED_VT;
          assert_int_equal(mi_excluded_has(f->excluded, which, a, b), is_close);
          nclose += is_close;
        }
    assert_true(nclose > 20 && count >= nclose);
    if (kind != SOUP_RANDOM) assert_int_equal(count, nclose);
    soup_free(&s);
  }
}

// Two triangles through each other far from all their edges and corners: closest points say
// nothing, yet they must not push.
static void what_crosses_at_rest_is_excluded(void **state) {
  (void)state;
  const float rest[] = {-1, -1, 0, 1, -1, 0, 0, 2, 0, 0, 0, -1, 0, 0.1f, 1, 0.1f, 0, 1};
  const int32_t tri[] = {0, 1, 2, 3, 4, 5};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_surface_def def = {.nvert = 6, .nsoft = 6, .ntri = 2, .tri = tri, .rest = rest};
  mi_surface *surface = mi_surface_create(&def, &arena);
  mi_broad *broad = mi_broad_create(surface, 0, 0, &arena);
  mi_candidates before = mi_broad_find(broad, rest, NULL, 3, 1);
  assert_int_equal(before.nvt + before.nee, 15);
  assert_int_equal(mi_surface_exclude(surface, rest, 1e-3, &arena), 15);
  mi_candidates after = mi_broad_find(broad, rest, NULL, 3, 1);
  assert_int_equal(after.nvt + after.nee, 0);
  mi_arena_free(&arena);
}

typedef struct folds { // of the solver's table, by a search of their own
  const soup *soup;
  const float *position;
  int a, b; // vertex and triangle, or edges
  bool is_edges, is_closed, is_any;
} folds;

static bool has_vertex(const mi_surface *f, int tri, int v) {
  return f->tri[3 * tri] == v || f->tri[3 * tri + 1] == v || f->tri[3 * tri + 2] == v;
}

static bool has_edge(const mi_surface *f, int tri, int e) {
  return f->tri_edge[3 * tri] == e || f->tri_edge[3 * tri + 1] == e ||
         f->tri_edge[3 * tri + 2] == e;
}

static bool cross_at(const mi_surface *f, const float *position, int a, int b) {
  mi_vec3 x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = mi_vec3_load(position + 3 * (size_t)f->tri[3 * a + k]);
    y[k] = mi_vec3_load(position + 3 * (size_t)f->tri[3 * b + k]);
  }
  return mi_triangles_cross(x, y);
}

// Does the pair belong to two triangles that cross at rest, and to two that do so at `position`?
static void look_for_folds(folds *l) {
  const mi_surface *f = l->soup->surface;
  for (int s = 0; s < f->ntri; s++)
    for (int t = 0; t < f->ntri; t++) {
      bool is_own = l->is_edges ? has_edge(f, s, l->a) && has_edge(f, t, l->b)
                                : has_vertex(f, s, l->a) && t == l->b;
      bool is_shared = false;
      for (int k = 0; k < 3; k++) is_shared |= has_vertex(f, t, f->tri[3 * s + k]);
      if (!is_own || is_shared || !cross_at(f, l->soup->mesh.position, s, t)) continue;
      l->is_any = true;
      l->is_closed |= cross_at(f, l->position, s, t);
    }
}

// A pair of folds is reported where none of its triangles cross any more and it has room; nothing
// else changes, and back at rest all is as it was.
static void folds_are_reported_where_they_are_open(void **state) {
  (void)state;
  soup s = soup_create(SOUP_RANDOM, true);
  mi_surface *f = s.surface;
  double size = soup_size(SOUP_RANDOM), threshold = 0.05 * size, least = 0.01 * size;
  int count = mi_surface_exclude(f, s.mesh.position, threshold, &s.arena), nopen = 0, nkept = 0;
  assert_true(mi_surface_nfold(f) > 5);
  mi_surface_open_folds(f, s.moved, least);
  for (int is_edges = 0; is_edges < 2; is_edges++)
    for (int a = 0; a < (is_edges ? f->nedge : f->nvert); a++)
      for (int b = is_edges ? a + 1 : 0; b < (is_edges ? f->nedge : f->ntri); b++) {
        int which = is_edges ? MI_EXCLUDED_EE : MI_EXCLUDED_VT;
        const unsigned char *why = mi_excluded_why(f->excluded, which, a, b);
        if (!why) continue;
        mi_pair pair = {a, b};
        folds l = {.soup = &s, .position = s.moved, .a = a, .b = b, .is_edges = is_edges};
        look_for_folds(&l);
        double rest = sqrt(soup_closest(&s, s.mesh.position, pair, is_edges).d2);
        double now = sqrt(soup_closest(&s, s.moved, pair, is_edges).d2);
        double offset = mi_surface_offset(f, pair, is_edges);
        double room = rest - offset < threshold ? threshold : least;
        bool is_open = l.is_any && !l.is_closed && now - offset >= room;
        assert_int_equal(mi_excluded_has(f->excluded, which, a, b), !is_open);
        nopen += is_open;
        nkept += !is_open;
      }
  assert_true(nopen > 50 && nkept > 50);
  assert_int_equal(nopen + nkept, count);
  mi_surface_open_folds(f, s.mesh.position, least);
  for (uint32_t i = 0; i <= f->excluded->mask; i++)
    assert_int_equal(f->excluded->why[i] & MI_EXCLUDED_OPEN, 0);
  soup_free(&s);
}

static void everything_in_one_point_is_excluded(void **state) {
  (void)state;
  soup s = soup_create(SOUP_POINT, false);
  assert_true(mi_surface_exclude(s.surface, s.mesh.position, 1e-3, &s.arena) > 1000);
  mi_broad *broad = mi_broad_create(s.surface, 1 << 16, 1 << 16, &s.arena);
  mi_candidates c = mi_broad_find(broad, s.mesh.position, s.moved, 0, 1);
  assert_true(c.nvt + c.nee == 0);
  soup_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_close_at_rest_is_excluded),
                                     cmocka_unit_test(what_crosses_at_rest_is_excluded),
                                     cmocka_unit_test(folds_are_reported_where_they_are_open),
                                     cmocka_unit_test(everything_in_one_point_is_excluded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
