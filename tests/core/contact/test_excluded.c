#include "contact/excluded.h"
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
                                     cmocka_unit_test(everything_in_one_point_is_excluded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
