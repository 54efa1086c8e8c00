#include "contact/contact.h"
#include "soups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The smallest gap of a pair on its way, by sampling.
static double least_gap(const soup *s, mi_pair pair, bool is_edges, const float *to, int nsample) {
  double least = INFINITY;
  float *at = malloc(3 * sizeof(float) * (size_t)s->mesh.nvert);
  int32_t vert[4];
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  for (int k = 0; k <= nsample; k++) {
    float t = (float)k / (float)(nsample ? nsample : 1);
    for (int i = 0; i < 12; i++) {
      int c = 3 * vert[i / 3] + i % 3;
      at[c] =
          nsample ? s->mesh.position[c] + t * (to[c] - s->mesh.position[c]) : s->mesh.position[c];
    }
    least = fmin(least, sqrt(soup_closest(s, at, pair, is_edges).d2));
  }
  free(at);
  return least - mi_surface_offset(s->surface, pair, is_edges);
}

// Everything that is close must be listed; nothing that may not meet, nothing twice.
static void check_kind(const soup *s, const mi_candidates *c, bool is_edges, double reach,
                       const float *to) {
  const mi_pair *pair = is_edges ? c->ee : c->vt;
  int count = is_edges ? c->nee : c->nvt, nclose = 0;
  int na = is_edges ? s->surface->nedge : s->surface->nvert;
  int nb = is_edges ? s->surface->nedge : s->surface->ntri;
  unsigned char *seen = calloc((size_t)na * (size_t)nb, 1);
  for (int i = 0; i < count; i++) {
    assert_true(pair[i].a >= 0 && pair[i].a < na && pair[i].b >= 0 && pair[i].b < nb);
    assert_true(!is_edges || pair[i].a < pair[i].b);
    assert_true(soup_may_meet(s, pair[i], is_edges));
    assert_int_equal(seen[(size_t)pair[i].a * (size_t)nb + (size_t)pair[i].b]++, 0);
  }
  for (int a = 0; a < na; a++)
    for (int b = is_edges ? a + 1 : 0; b < nb; b++) {
      mi_pair p = {a, b};
      if (!soup_may_meet(s, p, is_edges) || seen[(size_t)a * (size_t)nb + (size_t)b]) continue;
      assert_true(least_gap(s, p, is_edges, to, to ? 6 : 0) >= reach);
    }
  for (int i = 0; i < count; i++) nclose += least_gap(s, pair[i], is_edges, to, to ? 6 : 0) < reach;
  assert_true(nclose > 0);
  if (!to) assert_true(count < 40 * nclose + 4000); // boxes are tight
  free(seen);
}

static void all_close_pairs_are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_POINT; kind++)
    for (int has_offsets = 0; has_offsets < 2; has_offsets++) {
      soup s = soup_create((soup_kind)kind, has_offsets);
      mi_broad *broad = mi_broad_create(s.surface, 1 << 21, &s.arena);
      double reach = 0.6 * soup_size((soup_kind)kind);
      mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, reach, 1);
      assert_false(c.is_full);
      check_kind(&s, &c, false, reach, NULL);
      check_kind(&s, &c, true, reach, NULL);
      soup_free(&s);
    }
}

static void all_that_come_close_are_found(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_POINT; kind++) {
    soup s = soup_create((soup_kind)kind, false);
    mi_broad *broad = mi_broad_create(s.surface, 1 << 21, &s.arena);
    double reach = 0.1 * soup_size((soup_kind)kind);
    mi_candidates c = mi_broad_find(broad, s.mesh.position, s.moved, reach, 1);
    assert_false(c.is_full);
    check_kind(&s, &c, false, reach, s.moved);
    check_kind(&s, &c, true, reach, s.moved);
    soup_free(&s);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_KINDS; kind++) {
    soup s = soup_create((soup_kind)kind, true);
    // once with room enough, once without
    for (int run = 0; run < 2; run++) {
      int most = run ? 1 << 20 : 100;
      mi_broad *one = mi_broad_create(s.surface, most, &s.arena);
      mi_broad *many = mi_broad_create(s.surface, most, &s.arena);
      double reach = soup_size((soup_kind)kind);
      mi_candidates a = mi_broad_find(one, s.mesh.position, s.moved, reach, 1);
      for (int threads = 2; threads <= 8; threads += 3) {
        mi_candidates b = mi_broad_find(many, s.mesh.position, s.moved, reach, threads);
        assert_int_equal(a.nvt, b.nvt);
        assert_int_equal(a.nee, b.nee);
        assert_int_equal(a.is_full, b.is_full);
        assert_memory_equal(a.vt, b.vt, (size_t)a.nvt * sizeof *a.vt);
        assert_memory_equal(a.ee, b.ee, (size_t)a.nee * sizeof *a.ee);
      }
      assert_int_equal(a.is_full, most == 100);
    }
    soup_free(&s);
  }
}

// Too many pairs: none are given, and it says so; with room for them all, all are.
static void overflow_is_reported(void **state) {
  (void)state;
  soup s = soup_create(SOUP_POINT, false);
  mi_broad *large = mi_broad_create(s.surface, 1 << 21, &s.arena);
  mi_candidates all = mi_broad_find(large, s.mesh.position, NULL, 0.1, 1);
  assert_false(all.is_full);
  assert_true(all.nvt > 100 && all.nee > 100);
  for (int short_of = 0; short_of < 2; short_of++) {
    mi_broad *small = mi_broad_create(s.surface, all.nvt + all.nee - short_of, &s.arena);
    mi_candidates some = mi_broad_find(small, s.mesh.position, NULL, 0.1, 1);
    assert_int_equal(some.is_full, short_of);
    assert_int_equal(some.nvt, short_of ? 0 : all.nvt);
    assert_int_equal(some.nee, short_of ? 0 : all.nee);
    if (!short_of) assert_memory_equal(some.ee, all.ee, (size_t)some.nee * sizeof *some.ee);
  }
  soup_free(&s);
}

static void what_is_not_finite_meets_nothing(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad = mi_broad_create(s.surface, 0, &s.arena);
  const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f};
  for (int i = 0; i < 40; i++) s.mesh.position[3 * (7 * i) + i % 3] = bad[i % 4];
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  assert_true(c.nvt > 50 && c.nee > 50);
  for (int i = 0; i < c.nvt + c.nee; i++) {
    bool is_edges = i >= c.nvt;
    int32_t vert[4];
    mi_surface_vertices(s.surface, is_edges ? c.ee[i - c.nvt] : c.vt[i], is_edges, vert);
    for (int k = 0; k < 4; k++) assert_false(vert[k] % 7 == 0 && vert[k] < 7 * 40);
  }
  soup_free(&s);
}

static bool is_seventh(int vert) {
  return vert % 7 == 0;
}

static void assert_not_seventh(void *task, int a, int b) {
  const mi_surface *s = task;
  for (int k = 0; k < 3; k++)
    assert_false(is_seventh(s->tri[3 * a + k]) || is_seventh(s->tri[3 * b + k]));
}

// All pairs but those at them, and all again when no vertex is masked any more.
static void what_is_left_out_meets_nothing(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad = mi_broad_create(s.surface, 0, &s.arena);
  bool *is_out = malloc((size_t)s.mesh.nvert * sizeof *is_out);
  for (int i = 0; i < s.mesh.nvert; i++) is_out[i] = is_seventh(i);
  mi_candidates all = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  int wanted = 0;
  for (int i = 0; i < all.nvt + all.nee; i++) {
    bool is_edges = i >= all.nvt;
    int32_t vert[4];
    mi_surface_vertices(s.surface, is_edges ? all.ee[i - all.nvt] : all.vt[i], is_edges, vert);
    wanted += !is_out[vert[0]] && !is_out[vert[1]] && !is_out[vert[2]] && !is_out[vert[3]];
  }
  mi_broad_leave_out(broad, is_out);
  mi_candidates left = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  assert_true(wanted > 50 && wanted < all.nvt + all.nee);
  assert_int_equal(left.nvt + left.nee, wanted);
  mi_broad_triangles(broad, s.mesh.position, 1, assert_not_seventh, s.surface);
  mi_broad_leave_out(broad, NULL);
  mi_candidates again = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  assert_int_equal(again.nvt + again.nee, all.nvt + all.nee);
  free(is_out);
  soup_free(&s);
}

static mien_result make(const mien_host *host, void *user) {
  const soup *s = user;
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_surface_def def = {s->mesh.nvert, s->nsoft,         s->mesh.ntri,
                        s->mesh.tri,   s->mesh.position, s->offset};
  mi_surface *surface = mi_surface_create(&def, &arena);
  bool is_done = surface && mi_broad_create(surface, 0, &arena);
  mi_arena_free(&arena);
  return is_done ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  scene_fail_every_allocation(make, &s);
  soup_free(&s);
}

static void assert_same(const mi_candidates *a, const mi_candidates *b) {
  assert_false(a->is_full || b->is_full);
  assert_int_equal(a->nvt, b->nvt);
  assert_int_equal(a->nee, b->nee);
  assert_memory_equal(a->vt, b->vt, (size_t)a->nvt * sizeof *a->vt);
  assert_memory_equal(a->ee, b->ee, (size_t)a->nee * sizeof *a->ee);
}

// Soft vertices go on, some together, some on their own; colliders now and then.
static void go_on(const soup *s, int move, double size, float *to) {
  float common[3];
  for (int k = 0; k < 3; k++)
    common[k] = (float)(4 * size * (mi_random_unit(11, (uint32_t)k, (uint32_t)move) - 0.5));
  for (int i = 0; i < 3 * s->mesh.nvert; i++) {
    float own = (float)(size * (mi_random_unit(5, (uint32_t)i, (uint32_t)move) - 0.5));
    bool goes = i < 3 * s->nsoft || move % 5 == 0;
    to[i] += goes ? common[i % 3] + own : 0;
  }
}

// Lists are kept from question to question. What is found is what somebody finds who asks for the
// first time: all that is close, after many small and some large moves, with another reach, on a
// way and at rest, after a question about a way that was not taken, with other vertices masked.
static void kept_lists_are_as_good_as_new(void **state) {
  (void)state;
  int nclose = 0;
  for (int kind = 0; kind < SOUP_POINT; kind++) {
    soup s = soup_create((soup_kind)kind, false);
    double size = soup_size((soup_kind)kind);
    size_t bytes = 3 * (size_t)s.mesh.nvert * sizeof(float);
    float *from = malloc(bytes), *to = malloc(bytes);
    bool *is_out = calloc((size_t)s.mesh.nvert, sizeof *is_out);
    mi_broad *kept = mi_broad_create(s.surface, 1 << 21, &s.arena);
    mi_broad_keep(kept, 0.2 * size);
    memcpy(from, s.mesh.position, bytes);
    for (int move = 0; move < 40; move++) {
      double reach = (move % 3 ? 0.02 : 0.1) * size;
      memcpy(to, from, bytes);
      go_on(&s, move, (move % 7 ? 0.02 : 0.5) * size, to);
      if (move == 30) {
        for (int i = 0; i < s.mesh.nvert; i += 9) is_out[i] = true;
        mi_broad_leave_out(kept, is_out);
      }
      mi_arena arena;
      mien_host host;
      mi_host_resolve(NULL, &host, NULL);
      mi_arena_init(&arena, &host);
      mi_broad *fresh = mi_broad_create(s.surface, 1 << 21, &arena);
      mi_broad_leave_out(fresh, is_out);
      const float *way = move % 4 == 3 ? NULL : to;
      mi_candidates a = mi_broad_find(kept, from, way, reach, 1 + move % 2);
      mi_candidates b = mi_broad_find(fresh, from, way, reach, 1);
      assert_same(&a, &b);
      nclose += a.nvt + a.nee;
      mi_arena_free(&arena);
      if (move % 6 != 5) memcpy(from, to, bytes); // else another way is taken
    }
    free(from);
    free(to);
    free(is_out);
    soup_free(&s);
  }
  assert_true(nclose > 1000);
}

// A vertex that was not finite is found again when it is.
static void what_comes_back_is_found(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad = mi_broad_create(s.surface, 0, &s.arena);
  mi_candidates all = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  int nvt = all.nvt, nee = all.nee;
  float was[40];
  for (int i = 0; i < 40; i++) {
    was[i] = s.mesh.position[21 * i];
    s.mesh.position[21 * i] = NAN;
  }
  mi_candidates some = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  assert_true(some.nvt + some.nee < nvt + nee);
  for (int i = 0; i < 40; i++) s.mesh.position[21 * i] = was[i];
  all = mi_broad_find(broad, s.mesh.position, NULL, 0.3e-3, 1);
  assert_int_equal(all.nvt, nvt);
  assert_int_equal(all.nee, nee);
  soup_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_close_pairs_are_found),
                                     cmocka_unit_test(all_that_come_close_are_found),
                                     cmocka_unit_test(threads_do_not_matter),
                                     cmocka_unit_test(overflow_is_reported),
                                     cmocka_unit_test(what_is_not_finite_meets_nothing),
                                     cmocka_unit_test(what_is_left_out_meets_nothing),
                                     cmocka_unit_test(kept_lists_are_as_good_as_new),
                                     cmocka_unit_test(what_comes_back_is_found),
                                     cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
