#include "scenes/scene.h"

#include "claim_z1_trials.h"
#include "energy/assemble.h"

#include <math.h>
#include <string.h>

enum { NVERT = 12, N = 3 * NVERT, MOST_TERMS = 64 };

typedef struct body {
  mi_term term[MOST_TERMS];
  int nterm;
  double x[N];
} body;

// A few terms of every law, on vertices drawn at random; vertex 11 has none.
static void make_body(body *b) {
  memset(b, 0, sizeof *b);
  for (uint32_t i = 0; i < N; i++) b->x[i] = 0.01 * trial_random(1, i);
  for (int l = 0; l < lab_nlaw(); l++)
    for (uint32_t k = 0; k < 3; k++) {
      trial t;
      mi_term *term = b->term + b->nterm++;
      assert_true(trial_make(lab_law(l), TRIAL_MODERATE, 2 * k + 1, &t));
      term->law = lab_law(l);
      term->stencil = t.stencil;
      for (int i = 0; i < t.stencil.nvert; i++)
        term->vert[i] = (int32_t)((7 * i + 3 * (int)k + l) % 11);
    }
}

static void with_arenas(mi_arena *arena, mi_arena *scratch) {
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(arena, &host);
  mi_arena_init(scratch, &host);
}

static void agrees_with_dense_sums(void **state) {
  (void)state;
  static body b;
  static double dense[N * N], part[9 * MI_STENCIL_MOST * MI_STENCIL_MOST];
  double g[N], expected[N] = {0}, local[3 * MI_STENCIL_MOST], piece[3 * MI_STENCIL_MOST], value = 0;
  mi_arena arena, scratch;
  mi_assembly a;
  make_body(&b);
  with_arenas(&arena, &scratch);
  assert_true(mi_assembly_create(NVERT, b.nterm, b.term, &arena, &scratch, &a));
  mi_arena_free(&scratch); // nothing of it is kept
  memset(dense, 0, sizeof dense);
  for (int t = 0; t < b.nterm; t++) {
    const mi_term *term = b.term + t;
    int n = 3 * term->stencil.nvert;
    for (int i = 0; i < n; i++) local[i] = b.x[3 * term->vert[i / 3] + i % 3];
    value += term->law->value(&term->stencil, local);
    term->law->gradient(&term->stencil, local, piece);
    memset(part, 0, sizeof part);
    if (term->law->hessian) term->law->hessian(&term->stencil, local, true, part);
    for (int i = 0; i < n; i++) {
      int row = 3 * term->vert[i / 3] + i % 3;
      expected[row] += piece[i];
      for (int j = 0; j < n; j++) dense[row * N + 3 * term->vert[j / 3] + j % 3] += part[i * n + j];
    }
  }
  assert_near(mi_assembly_value(&a, b.x), value, 1e-12 * fabs(value));
  mi_assembly_gradient(&a, b.x, g);
  for (int i = 0; i < N; i++) assert_near(g[i], expected[i], 1e-9 * (1 + fabs(expected[i])));
  for (int pass = 0; pass < 2; pass++) { // filling again gives the same, not twice as much
    mi_assembly_fill_hessian(&a, b.x, true);
    for (int i = 0; i < N; i++)
      for (int p = a.hessian.first[i]; p < a.hessian.first[i + 1]; p++) {
        assert_true(p == a.hessian.first[i] || a.hessian.column[p] > a.hessian.column[p - 1]);
        double e = dense[i * N + a.hessian.column[p]];
        assert_near(a.hessian.value[p], e, 1e-9 * (1 + fabs(e)));
        if (pass == 1) dense[i * N + a.hessian.column[p]] = 0;
      }
  }
  for (int i = 0; i < N * N; i++) assert_true(dense[i] == 0); // nothing is missing from the pattern
  for (int i = 0; i < N; i++) assert_int_equal(a.hessian.column[a.diagonal[i]], i);
  assert_int_equal(a.hessian.first[N] - a.hessian.first[N - 1], 3); // the vertex without terms
  mi_arena_free(&arena);
}

static void hessian_is_the_slope_of_the_gradient(void **state) {
  (void)state;
  static body b;
  double after[N], before[N], x[N], column[N] = {0}, product[N];
  mi_arena arena, scratch;
  mi_assembly a;
  make_body(&b);
  with_arenas(&arena, &scratch);
  assert_true(mi_assembly_create(NVERT, b.nterm, b.term, &arena, &scratch, &a));
  mi_assembly_fill_hessian(&a, b.x, false);
  double most = 0, h = 1e-8;
  for (int p = 0; p < a.hessian.first[N]; p++) most = fmax(most, fabs(a.hessian.value[p]));
  for (int i = 0; i < N; i++) {
    memcpy(x, b.x, sizeof x);
    x[i] += h;
    mi_assembly_gradient(&a, x, after);
    x[i] -= 2 * h;
    mi_assembly_gradient(&a, x, before);
    column[i] = 1;
    mi_csr_multiply(&a.hessian, 1, column, product);
    column[i] = 0;
    for (int j = 0; j < N; j++)
      assert_near(product[j], (after[j] - before[j]) / (2 * h), 1e-4 * most);
  }
  mi_arena_free(&arena);
  mi_arena_free(&scratch);
}

// Terms may change between fills, as moving targets do.
static void moved_targets_are_seen(void **state) {
  (void)state;
  static mi_term term[2];
  double x[6] = {0}, g[6], one = 1;
  mi_arena arena, scratch;
  mi_assembly a;
  for (int t = 0; t < 2; t++) {
    term[t].law = &mi_law_attachment;
    term[t].vert[0] = t;
    assert_true(mi_spring_set_up(&term[t].stencil, 1, &one, 2, x));
  }
  with_arenas(&arena, &scratch);
  assert_true(mi_assembly_create(2, 2, term, &arena, &scratch, &a));
  assert_true(mi_assembly_value(&a, x) == 0);
  assert_true(mi_spring_set_up(&term[1].stencil, 1, &one, 2, (const double[]){0, 3, 0}));
  assert_near(mi_assembly_value(&a, x), 9, 1e-12);
  mi_assembly_gradient(&a, x, g);
  assert_near(g[4], -6, 1e-12);
  mi_arena_free(&arena);
  mi_arena_free(&scratch);
}

// Five tetrahedra of a cube, of flesh (strain and volume), held at the top, under gravity and
// wind: Newton's method comes to rest in a few steps.
static int make_cube(mi_term *term, double *x) {
  static const int32_t tets[5][4] = {
      {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
  static const double g[3] = {0, -9.81, 0}, still[3] = {0};
  mi_wind wind = {{12, 0, 0}, 1.2, 1, 1, 0};
  int n = 0;
  for (int i = 0; i < 24; i++) x[i] = 0.02 * (i / 3 >> i % 3 & 1);
  for (int t = 0; t < 5; t++) {
    double rest[12];
    for (int i = 0; i < 12; i++) rest[i] = x[3 * tets[t][i / 3] + i % 3];
    double volume = mi_tet_volume(rest);
    assert_true(mi_strain_set_up(&term[n].stencil, rest, 2000 * volume, NULL));
    assert_true(mi_volume_set_up(&term[n + 1].stencil, rest, 6000 * volume, 1, 1));
    for (int k = 0; k < 2; k++, n++) {
      term[n].law = k ? &mi_law_volume : &mi_law_strain;
      memcpy(term[n].vert, tets[t], sizeof tets[t]);
    }
  }
  for (int i = 0; i < 8; i++, n++) {
    bool is_held = i >> 1 & 1; // the upper half; the lower one hangs from it
    term[n].law = is_held ? &mi_law_attachment : &mi_law_gravity;
    term[n].vert[0] = i;
    if (is_held)
      assert_true(mi_spring_set_up(&term[n].stencil, 1, (const double[]){1}, 50, x + 3 * i));
    else
      assert_true(mi_gravity_set_up(&term[n].stencil, 0.01, g));
  }
  const int32_t side[3] = {0, 4, 2};
  double corner[9];
  for (int i = 0; i < 9; i++) corner[i] = x[3 * side[i / 3] + i % 3];
  assert_true(mi_wind_set_up(&term[n].stencil, &wind, corner, still));
  term[n].law = &mi_law_wind;
  memcpy(term[n++].vert, side, sizeof side);
  return n;
}

static void apply(const void *matrix, const double *x, double *y) {
  mi_csr_multiply(matrix, 1, x, y);
}

static double norm(const double *a, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

static void newton_comes_to_rest(void **state) {
  (void)state;
  static mi_term term[MOST_TERMS];
  double x[24], rest[24], g[24], step[24], diagonal[24];
  mi_arena arena, scratch;
  mi_assembly a;
  int nterm = make_cube(term, rest), niteration = 0;
  memcpy(x, rest, sizeof x);
  for (uint32_t i = 0; i < 24; i++) x[i] += 0.01 * trial_random(9, i); // some of them inverted
  with_arenas(&arena, &scratch);
  assert_true(mi_assembly_create(8, nterm, term, &arena, &scratch, &a));
  for (; niteration < 30; niteration++) {
    mi_assembly_gradient(&a, x, g);
    if (norm(g, 24) < 1e-11) break;
    mi_assembly_fill_hessian(&a, x, true);
    for (int i = 0; i < 24; i++) diagonal[i] = a.hessian.value[a.diagonal[i]] += 1e-9;
    mi_pcg pcg = {apply, &a.hessian, 24, diagonal, 1e-12, 500};
    mi_pcg_info info;
    memset(step, 0, sizeof step);
    assert_true(mi_pcg_solve(&pcg, g, step, &scratch, &info));
    double before = mi_assembly_value(&a, x), length = 1, next[24];
    for (;; length /= 2) { // the step leads downhill, since the Hessian is positive
      for (int i = 0; i < 24; i++) next[i] = x[i] - length * step[i];
      if (mi_assembly_value(&a, next) <= before + 1e-15 || length < 1e-6) break;
    }
    assert_true(length > 1e-6);
    memcpy(x, next, sizeof x);
  }
  assert_in_range(niteration, 3, 20);
  assert_true(x[1] < rest[1]); // it sags
  assert_true(x[0] > rest[0]); // and leans with the wind
  mi_arena_free(&arena);
  mi_arena_free(&scratch);
}

static mien_result make(const mien_host *host, void *user) {
  const body *b = user;
  mi_arena arena, scratch;
  mi_assembly a;
  mi_arena_init(&arena, host);
  mi_arena_init(&scratch, host);
  bool is_made = mi_assembly_create(NVERT, b->nterm, b->term, &arena, &scratch, &a);
  mi_arena_free(&arena);
  mi_arena_free(&scratch);
  return is_made ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void memory_may_end(void **state) {
  (void)state;
  static body b;
  make_body(&b);
  scene_fail_every_allocation(make, &b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_dense_sums),
                                     cmocka_unit_test(hessian_is_the_slope_of_the_gradient),
                                     cmocka_unit_test(moved_targets_are_seen),
                                     cmocka_unit_test(newton_comes_to_rest),
                                     cmocka_unit_test(memory_may_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
