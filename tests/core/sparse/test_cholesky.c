// CHOLMOD behind mi_cholesky: the same solution as a dense one for each kind, again after new
// values; what is not positive definite is refused, and can be factored after that.
#include "shell.h"
#include "sparse/cholesky.h"

#include <math.h>

static double error_of(mi_cholesky *c, const mi_csr *a, mi_arena *arena) {
  int n = a->nrow;
  double *b = MI_PUSH(arena, double, 3 * n), *x = MI_PUSH(arena, double, 3 * n);
  double *expected = MI_PUSH(arena, double, 3 * n), worst = 0, largest = 0;
  for (int i = 0; i < 3 * n; i++) b[i] = expected[i] = mi_random_unit(9, (uint32_t)i, 0) - 0.5;
  assert_true(mi_cholesky_solve(c, 3, b, x));
  dense_solve(dense_matrix(arena, a, &(mi_lowrank_rows){0}), n, expected);
  for (int i = 0; i < 3 * n; i++) {
    worst = fmax(worst, fabs(x[i] - expected[i]));
    largest = fmax(largest, fabs(expected[i]));
  }
  return worst / largest;
}

static void it_solves(void **state) {
  (void)state;
  if (!mi_cholesky_is_built()) {
    print_message("%s\n", mi_cholesky_missing);
    skip();
  }
  static const mi_cholesky_kind kinds[] = {MI_CHOLESKY_SUPERNODAL, MI_CHOLESKY_SIMPLICIAL,
                                           MI_CHOLESKY_ORDERED};
  shell s = shell_create(9, true);
  int last = s.a.first[s.a.nrow] - 1; // the last diagonal entry
  for (int k = 0; k < 3; k++) {
    mi_cholesky *c = mi_cholesky_create(&s.a, kinds[k], &s.arena.allocator);
    assert_non_null(c);
    assert_true(mi_cholesky_factor(c, &s.a));
    double first = error_of(c, &s.a, &s.arena), kept = s.a.value[last];
    s.a.value[last] *= 3;
    assert_true(mi_cholesky_factor(c, &s.a));
    double second = error_of(c, &s.a, &s.arena);
    print_message("kind %d: relative error %.1e, after new values %.1e\n", k, first, second);
    assert_true(first < 1e-10 && second < 1e-10);
    if (kinds[k] != MI_CHOLESKY_SIMPLICIAL) { // LDL' goes on with a negative pivot
      s.a.value[last] = -kept;
      assert_false(mi_cholesky_factor(c, &s.a));
    }
    s.a.value[last] = kept;
    assert_true(mi_cholesky_factor(c, &s.a));
    assert_true(error_of(c, &s.a, &s.arena) < 1e-10);
    mi_cholesky_free(c);
  }
  shell_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_solves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
