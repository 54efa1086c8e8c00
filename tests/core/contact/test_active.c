#include "contact/contact.h"
#include "soups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mi_active make(soup *s, mi_broad **broad, int capacity) {
  *broad = mi_broad_create(s->surface, 1 << 21, &s->arena);
  mi_active active;
  assert_true(mi_active_create(&active, capacity, &s->arena));
  return active;
}

// All candidates are measured; those below d_hat are in, in order, with what they weigh.
static void the_close_ones_are_active(void **state) {
  (void)state;
  for (int kind = 0; kind < SOUP_KINDS; kind++) {
    soup s = soup_create((soup_kind)kind, true);
    mi_broad *broad;
    mi_active active = make(&s, &broad, 1 << 17);
    double d_hat = 0.5 * soup_size((soup_kind)kind);
    mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 1.5 * d_hat, 1);
    mi_active_find(&active, s.surface, &c, s.mesh.position, d_hat, 1);
    assert_false(active.is_full);
    int count = 0;
    for (int i = 0; i < c.nvt + c.nee; i++) {
      bool is_edges = i >= c.nvt;
      mi_pair pair = is_edges ? c.ee[i - c.nvt] : c.vt[i];
      mi_closest closest = soup_closest(&s, s.mesh.position, pair, is_edges);
      double xi = mi_surface_offset(s.surface, pair, is_edges);
      if (sqrt(closest.d2) - xi >= d_hat) continue;
      assert_true(count < active.count);
      const mi_contact *contact = active.contact + count++;
      int32_t vert[4];
      mi_surface_vertices(s.surface, pair, is_edges, vert);
      assert_memory_equal(contact->vert, vert, sizeof vert);
      assert_int_equal(contact->is_edges, is_edges);
      assert_near(contact->distance, sqrt(closest.d2), 0);
      assert_near(contact->offset, xi, 1e-8);
      assert_memory_equal(contact->coef, closest.coef, sizeof closest.coef);
      assert_true(contact->parallel > 0 || !is_edges || kind == SOUP_POINT);
      assert_true(contact->area > 0 || kind == SOUP_POINT || kind == SOUP_RANDOM);
    }
    assert_int_equal(count, active.count);
    assert_true(count > 50);
    soup_free(&s);
  }
}

// A collider of large triangles weighs no more than the skin it meets.
static void rigid_sides_do_not_weigh(void **state) {
  (void)state;
  soup s = soup_create(SOUP_RANDOM, false);
  mi_broad *broad;
  mi_active active = make(&s, &broad, 1 << 17);
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 0.1, 1);
  mi_active_find(&active, s.surface, &c, s.mesh.position, 0.1, 1);
  int nmixed = 0, at = 0;
  for (int i = 0; i < c.nvt + c.nee; i++) {
    bool is_edges = i >= c.nvt;
    mi_pair pair = is_edges ? c.ee[i - c.nvt] : c.vt[i];
    if (sqrt(soup_closest(&s, s.mesh.position, pair, is_edges).d2) >= 0.1) continue;
    const mi_contact *contact = active.contact + at++;
    const mi_surface *f = s.surface;
    int a = contact->vert[0], b = contact->vert[is_edges ? 2 : 1];
    if (is_edges && a >= s.nsoft) assert_true(contact->area == f->edge_area[pair.b]);
    if (is_edges && b >= s.nsoft) assert_true(contact->area == f->edge_area[pair.a]);
    if (!is_edges)
      assert_true(contact->area == (a < s.nsoft ? f->vert_area[a] : f->tri_area[pair.b]));
    nmixed += (a < s.nsoft) != (b < s.nsoft);
  }
  assert_int_equal(at, active.count);
  assert_true(nmixed > 20);
  soup_free(&s);
}

static void threads_and_room(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad;
  mi_active all = make(&s, &broad, 1 << 16), some = make(&s, &broad, 100);
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 1e-3, 1);
  mi_active_find(&all, s.surface, &c, s.mesh.position, 1e-3, 1);
  assert_true(all.count > 1000 && !all.is_full);
  for (int threads = 1; threads < 6; threads += 2) {
    mi_active_find(&some, s.surface, &c, s.mesh.position, 1e-3, threads);
    assert_true(some.is_full && some.count == 100);
    assert_memory_equal(some.contact, all.contact, 100 * sizeof *all.contact);
  }
  soup_free(&s);
}

// closing, and a little of everything else
static float wave_of(int i, int n) {
  return (i % 3 != 1 ? 0 : i < n / 2 ? -1 : 1) + 0.3f * (float)sin(i);
}

// Sum, gradient and Hessian of a surface: along a line, energy has the slope of the gradient.
static void the_gradient_is_that_of_the_energy(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad;
  mi_active active = make(&s, &broad, 1 << 16);
  const mi_barrier barrier = {0.4e-3, 1e9};
  int n = 3 * s.mesh.nvert;
  double *gradient = calloc((size_t)n, sizeof(double)), slope = 0;
  float *x = malloc((size_t)n * sizeof(float));
  // floats are coarse: measure along what was really moved
  double energy[2];
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 0.6e-3, 1);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) x[i] = s.mesh.position[i] + (side ? 1e-7f : -1e-7f) * wave_of(i, n);
    mi_active_find(&active, s.surface, &c, x, barrier.d_hat, 1);
    energy[side] = mi_active_energy(&active, &barrier);
  }
  mi_active_find(&active, s.surface, &c, s.mesh.position, barrier.d_hat, 1);
  mi_active_gradient(&active, &barrier, s.mesh.position, gradient);
  for (int i = 0; i < n; i++) {
    float wave = wave_of(i, n), at = s.mesh.position[i];
    float high = at + 1e-7f * wave, low = at + -1e-7f * wave;
    slope += gradient[i] * ((double)high - (double)low);
  }
  assert_true(active.count > 100 && fabs(slope) > 0);
  assert_near((energy[1] - energy[0]) / slope, 1, 1e-3);
  free(gradient);
  free(x);
  soup_free(&s);
}

static void hessians_do_not_depend_on_threads(void **state) {
  (void)state;
  soup s = soup_create(SOUP_STRIPS, false);
  mi_broad *broad;
  mi_active active = make(&s, &broad, 1 << 16);
  const mi_barrier barrier = {0.4e-3, 1e9};
  mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, 0.6e-3, 1);
  mi_active_find(&active, s.surface, &c, s.mesh.position, barrier.d_hat, 1);
  mi_contact_hessian *one = calloc((size_t)active.count, sizeof *one),
                     *two = calloc((size_t)active.count, sizeof *two);
  mi_active_hessian(&active, &barrier, s.mesh.position, 1, one);
  mi_active_hessian(&active, &barrier, s.mesh.position, 4, two);
  assert_memory_equal(one, two, (size_t)active.count * sizeof *one);
  for (int i = 0; i < active.count; i++)
    assert_true(one[i].count >= 1 || active.contact[i].mollifier < 1e-9);
  assert_true(mi_active_least_gap(&active) > 0.1e-3 && mi_active_least_gap(&active) < 0.2e-3);
  active.count = 0;
  assert_true(mi_active_least_gap(&active) == INFINITY);
  free(one);
  free(two);
  soup_free(&s);
}

// One of each contact, and the same energy and gradient.
static void merging_changes_nothing_but_the_count(void **state) {
  (void)state;
  for (int offsets = 0; offsets < 2; offsets++) { // with them pairs of one place may differ
    soup s = soup_create(SOUP_STRIPS, offsets);
    mi_broad *broad;
    mi_active active = make(&s, &broad, 1 << 17);
    size_t n = 3 * (size_t)s.mesh.nvert;
    mi_barrier barrier = {0.5 * soup_size(SOUP_STRIPS), 1e9};
    double *all = calloc(n, sizeof *all), *merged = calloc(n, sizeof *merged), most = 0;
    mi_candidates c = mi_broad_find(broad, s.mesh.position, NULL, barrier.d_hat, 1);
    mi_active_find(&active, s.surface, &c, s.mesh.position, barrier.d_hat, 1);
    int count = active.count;
    double energy = mi_active_energy(&active, &barrier);
    mi_active_gradient(&active, &barrier, s.mesh.position, all);
    mi_active_merge(&active);
    mi_active_gradient(&active, &barrier, s.mesh.position, merged);
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(all[i]));
    print_message("%d pairs are %d contacts\n", count, active.count);
    assert_true(active.count <= (offsets ? count : 0.7 * count) && most > 0 && most < INFINITY);
    assert_near(mi_active_energy(&active, &barrier), energy, 1e-6 * energy);
    for (size_t i = 0; i < n; i++) assert_near(merged[i], all[i], 1e-6 * most);
    int once = active.count;
    mi_active_merge(&active);
    assert_int_equal(active.count, once);
    free(all);
    free(merged);
    soup_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_close_ones_are_active),
                                     cmocka_unit_test(rigid_sides_do_not_weigh),
                                     cmocka_unit_test(threads_and_room),
                                     cmocka_unit_test(the_gradient_is_that_of_the_energy),
                                     cmocka_unit_test(hessians_do_not_depend_on_threads),
                                     cmocka_unit_test(merging_changes_nothing_but_the_count)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
