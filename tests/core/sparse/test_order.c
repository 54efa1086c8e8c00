#include "shell.h"

#include <stdlib.h>
#include <string.h>

static void expect_permutation(const int32_t *order, int n) {
  unsigned char *seen = calloc((size_t)n + 1, 1);
  for (int k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    assert_false(seen[order[k]]);
    seen[order[k]] = 1;
  }
  free(seen);
}

static void the_region_comes_last(void **state) {
  (void)state;
  shell s = shell_create(30, false);
  unsigned char *last = MI_PUSH(&s.arena, unsigned char, s.nvert);
  int32_t *order = MI_PUSH(&s.arena, int32_t, s.nvert),
          *again = MI_PUSH(&s.arena, int32_t, s.nvert);
  int count = 0;
  for (int i = 0; i < s.nvert; i += 17) last[i] = 1, count++;
  assert_true(mi_order_find(&s.a, last, order, &s.arena));
  expect_permutation(order, s.nvert);
  for (int k = 0; k < s.nvert; k++) assert_int_equal(last[order[k]], k >= s.nvert - count);
  assert_true(mi_order_find(&s.a, last, again, &s.arena));
  assert_memory_equal(order, again, (size_t)s.nvert * sizeof *order);
  shell_free(&s);
}

static int64_t entries(const mi_csr *a) {
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_factor *factor = NULL;
  assert_int_equal(mi_factor_create(a, a->nrow, &host, &factor, NULL), MIEN_OK);
  int64_t count = mi_factor_get_info(factor).nentry;
  mi_factor_free(factor);
  return count;
}

static void the_factor_becomes_sparse(void **state) {
  (void)state;
  shell s = shell_create(40, false);
  // shaken: what shell_create found, undone by a random order
  int32_t *order = MI_PUSH(&s.arena, int32_t, s.nvert);
  for (int k = 0; k < s.nvert; k++) order[k] = k;
  for (uint32_t k = (uint32_t)s.nvert - 1; k > 0; k--) {
    uint32_t other = (uint32_t)(mi_random_unit(9, k, 0) * (k + 1));
    int32_t kept = order[k];
    order[k] = order[other], order[other] = kept;
  }
  mi_csr shaken, ordered;
  assert_true(mi_csr_permute(&s.a, order, &s.arena, &s.arena, &shaken));
  assert_true(mi_order_find(&shaken, NULL, order, &s.arena));
  expect_permutation(order, s.nvert);
  assert_true(mi_csr_permute(&shaken, order, &s.arena, &s.arena, &ordered));
  assert_true(entries(&ordered) < 50 * s.nvert);
  assert_true(entries(&shaken) > 5 * entries(&ordered));
  shell_free(&s);
}

// all vertices touch all others; none touch; two halves; one vertex; none at all
static void odd_graphs_are_ordered(void **state) {
  (void)state;
  enum { N = 130 };
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  for (int kind = 0; kind < 3; kind++)
    for (int n = 0; n <= N; n += n < 3 ? 1 : 127) {
      mi_arena arena;
      mi_arena_init(&arena, &host);
      mi_csr a = {n, MI_PUSH(&arena, int32_t, n + 1), MI_PUSH(&arena, int32_t, n * n + 1), NULL};
      int at = 0;
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
          if (i == j || kind == 0 || (kind == 1 && i / 65 == j / 65)) a.column[at++] = j;
        a.first[i + 1] = at;
      }
      int32_t order[N + 1];
      unsigned char last[N + 1] = {0};
      assert_true(mi_order_find(&a, NULL, order, &arena));
      expect_permutation(order, n);
      memset(last, 1, sizeof last);
      assert_true(mi_order_find(&a, last, order, &arena));
      for (int k = 0; k < n; k++) assert_int_equal(order[k], k);
      mi_arena_free(&arena);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_region_comes_last),
      cmocka_unit_test(the_factor_becomes_sparse),
      cmocka_unit_test(odd_graphs_are_ordered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
