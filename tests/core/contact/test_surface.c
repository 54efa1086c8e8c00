#include "contact/contact.h"
#include "soups.h"

#include <math.h>

static void edges_are_unique_and_complete(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_KINDS; kind++) {
    soup s = soup_create((soup_kind)kind, true);
    const mi_surface *f = s.surface;
    for (int e = 0; e < f->nedge; e++) {
      assert_true(f->edge[2 * e] < f->edge[2 * e + 1]);
      for (int g = 0; g < e; g++)
        assert_true(f->edge[2 * e] != f->edge[2 * g] || f->edge[2 * e + 1] != f->edge[2 * g + 1]);
    }
    for (int c = 0; c < 3 * f->ntri; c++) {
      int a = f->tri[c], b = f->tri[c / 3 * 3 + (c % 3 + 1) % 3], e = f->tri_edge[c];
      assert_int_equal(e < 0, a == b);
      if (e < 0) continue;
      assert_int_equal(f->edge[2 * e], a < b ? a : b);
      assert_int_equal(f->edge[2 * e + 1], a < b ? b : a);
    }
    soup_free(&s);
  }
}

static void areas_and_offsets_add_up(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, true);
  const mi_surface *f = s.surface;
  double tri = 0, vert = 0, edge = 0;
  for (int t = 0; t < f->ntri; t++) tri += (double)f->tri_area[t];
  for (int i = 0; i < f->nvert; i++) vert += (double)f->vert_area[i];
  for (int e = 0; e < f->nedge; e++) edge += (double)f->edge_area[e];
  assert_true(tri > 2 * 0.012 * 0.005); // two strips, curved
  assert_near(vert / tri, 1, 1e-5);
  assert_near(edge / tri, 1, 1e-5);
  for (int e = 0; e < f->nedge; e++) {
    int a = f->edge[2 * e], b = f->edge[2 * e + 1];
    double length2 = 0;
    for (int k = 0; k < 3; k++) {
      double d = (double)s.mesh.position[3 * a + k] - (double)s.mesh.position[3 * b + k];
      length2 += d * d;
    }
    assert_near((double)f->edge_length2[e] / length2, 1, 1e-5);
    assert_near(f->edge_offset[e], ((double)s.offset[a] + (double)s.offset[b]) / 2, 1e-9);
  }
  soup_free(&s);
}

static void vertices_without_triangles_are_no_part(void **state) {
  (void)state;
  const float rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2f, 0.2f, 0.001f};
  const int32_t tri[] = {0, 1, 2};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_surface_def def = {.nvert = 4, .nsoft = 4, .ntri = 1, .tri = tri, .rest = rest};
  mi_surface *surface = mi_surface_create(&def, &arena);
  mi_broad *broad = mi_broad_create(surface, 0, &arena);
  assert_int_equal(mi_broad_find(broad, rest, NULL, 1, 1).nvt, 0);
  def = (mi_surface_def){.tri = tri, .rest = rest}; // nothing at all
  surface = mi_surface_create(&def, &arena);
  assert_non_null(surface);
  broad = mi_broad_create(surface, 0, &arena);
  mi_candidates none = mi_broad_find(broad, rest, NULL, 1, 2);
  assert_true(none.nvt == 0 && none.nee == 0 && !none.is_full);
  mi_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(edges_are_unique_and_complete),
                                     cmocka_unit_test(areas_and_offsets_add_up),
                                     cmocka_unit_test(vertices_without_triangles_are_no_part)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
