#include "shell.h"

#include "sparse/spd.h"

#include <math.h>
#include <stdlib.h>

// (A + pulls + bars) x - b against b, in double
static double residual(const shell *s, const mi_lowrank_rows *lowrank_rows, const mi_rank1 *rank1,
                       int nrank1, const float *b, const float *x) {
  int n = s->a.nrow;
  double *r = calloc(3 * (size_t)n, sizeof *r), sum = 0, size = 0;
  for (int i = 0; i < n; i++)
    for (int p = s->a.first[i]; p < s->a.first[i + 1]; p++)
      for (int c = 0; c < 3; c++) r[3 * i + c] += s->a.value[p] * (double)x[4 * s->a.column[p] + c];
  for (int k = 0; k < lowrank_rows->count; k++)
    for (int c = 0; c < 3; c++) {
      const mi_lowrank *lowrank = lowrank_rows->lowrank + k;
      double row = 0;
      for (int v = 0; v < 4; v++)
        if (lowrank->vert[v] >= 0)
          row += (double)lowrank->coef[v] * (double)x[4 * lowrank->vert[v] + c];
      for (int v = 0; v < 4; v++)
        if (lowrank->vert[v] >= 0)
          r[3 * lowrank->vert[v] + c] += (double)lowrank->weight * row * (double)lowrank->coef[v];
    }
  for (int k = 0; k < nrank1; k++) {
    double row = 0;
    for (int i = 0; i < 12; i++)
      if (rank1[k].vert[i / 3] >= 0)
        row += (double)rank1[k].vector[i / 3][i % 3] * (double)x[4 * rank1[k].vert[i / 3] + i % 3];
    for (int i = 0; i < 12; i++)
      if (rank1[k].vert[i / 3] >= 0)
        r[3 * rank1[k].vert[i / 3] + i % 3] +=
            (double)rank1[k].weight * row * (double)rank1[k].vector[i / 3][i % 3];
  }
  for (int i = 0; i < 3 * n; i++) {
    double wanted = b[4 * (i / 3) + i % 3];
    sum += (r[i] - wanted) * (r[i] - wanted);
    size += wanted * wanted;
  }
  free(r);
  return sqrt(sum / size);
}

static void make_rows(const shell *s, float weight, mi_lowrank *lowrank, int nlowrank,
                      mi_rank1 *rank1, int nrank1) {
  int n = s->a.nrow, nroot = n - s->nfront;
  for (int k = 0; k < nlowrank; k++) {
    lowrank[k] = (mi_lowrank){{-1, -1, -1, -1}, {1, -0.5f, -0.3f, -0.2f}, weight};
    for (int v = 0; v < 4; v++) lowrank[k].vert[v] = s->nfront + (k * 5 + 7 * v) % nroot;
  }
  for (int k = 0; k < nrank1; k++) {
    rank1[k] = (mi_rank1){.vert = {-1, -1, -1, -1}, .weight = weight * (float)(1 + k % 3)};
    for (int v = 0; v < 1 + k % 4; v++) {
      rank1[k].vert[v] = s->nfront + (k * 3 + 11 * v) % nroot;
      for (int c = 0; c < 3; c++)
        rank1[k].vector[v][c] = (float)mi_random_unit(3, (uint32_t)k, (uint32_t)(3 * v + c)) - 0.5f;
    }
  }
}

static void bars_change_the_matrix(void **state) {
  (void)state;
  enum { NPULL = 20, NBAR = 37 };
  shell s = shell_create(14, true);
  mien_host host;
  mi_factor *factor = NULL;
  mi_host_resolve(NULL, &host, NULL);
  assert_int_equal(mi_factor_create(&s.a, s.nfront, &host, &factor, NULL), MIEN_OK);
  assert_int_equal(mi_factor_set_rank1(factor, NULL, 0, 1), 0); // not reserved: none
  assert_true(mi_factor_reserve_rank1(factor));
  assert_true(mi_factor_reserve_schur(factor));
  double diagonal = s.a.value[s.a.first[1] - 1] < 0 ? -s.a.value[s.a.first[1] - 1] : 1;
  float *b = shell_random(&s.arena, s.nvert, 5), *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  float *y = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  const float stiffness[] = {0.1f, 20, 1000};
  for (int k = 0; k < 3; k++)
    for (int nlowrank = 0; nlowrank <= NPULL; nlowrank += NPULL) {
      mi_lowrank lowrank[NPULL];
      mi_rank1 rank1[NBAR];
      make_rows(&s, stiffness[k] * (float)diagonal, lowrank, nlowrank, rank1, NBAR);
      mi_lowrank_rows lowrank_rows = {lowrank, nlowrank};
      assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 2));
      assert_int_equal(mi_factor_set_rank1(factor, rank1, NBAR, 2), NBAR);
      mi_factor_solve(factor, b, 2, x);
      double error = residual(&s, &lowrank_rows, rank1, NBAR, b, x);
      print_message("stiffness %g, %d pulls: residual %.2g\n", (double)stiffness[k], nlowrank,
                    error);
      assert_true(error < 1e-6 * (100 + (double)stiffness[k]));
      assert_int_equal(mi_factor_set_rank1(factor, rank1, NBAR, 1), NBAR);
      mi_factor_solve(factor, b, 1, y); // same bits on one thread
      assert_memory_equal(x, y, 4 * (size_t)s.nvert * sizeof *x);
      assert_true(mi_factor_set_schur(factor, rank1, NBAR, 2)); // one dense matrix says the same
      mi_factor_solve(factor, b, 2, y);
      assert_true(residual(&s, &lowrank_rows, rank1, NBAR, b, y) <
                  1e-6 * (100 + (double)stiffness[k]));
      assert_true(mi_factor_set_lowrank(factor, &lowrank_rows, 2)); // forgets the bars
      mi_factor_solve(factor, b, 2, y);
      assert_true(residual(&s, &lowrank_rows, rank1, 0, b, y) <
                  1e-6 * (100 + (double)stiffness[k]));
    }
  mi_factor_free(factor);
  shell_free(&s);
}

static void bars_outside_the_region_are_left_out(void **state) {
  (void)state;
  shell s = shell_create(14, true);
  mien_host host;
  mi_factor *factor = NULL;
  mi_host_resolve(NULL, &host, NULL);
  assert_int_equal(mi_factor_create(&s.a, s.nfront, &host, &factor, NULL), MIEN_OK);
  assert_true(mi_factor_reserve_rank1(factor));
  mi_rank1 rank1[3] = {{.vert = {0, -1, -1, -1}, .vector = {{1, 0, 0}}, .weight = 5},
                       {.vert = {s.nfront, -1, -1, -1}, .vector = {{1, 0, 0}}, .weight = NAN},
                       {.vert = {s.nfront, -1, -1, -1}, .vector = {{1, 0, 0}}, .weight = 5}};
  assert_int_equal(mi_factor_set_rank1(factor, rank1, 3, 1), 1);
  assert_true(rank1[0].vert[0] == s.nfront && rank1[0].weight == 5); // those that are in come first
  mi_factor_free(factor);
  shell_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bars_change_the_matrix),
                                     cmocka_unit_test(bars_outside_the_region_are_left_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
