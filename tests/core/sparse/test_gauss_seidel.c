#include "shell.h"

#include <math.h>
#include <string.h>

static mi_lowrank between(int a, int b, int c, float weight) {
  return (mi_lowrank){{a, -1, b, c}, {1, 9, -0.4f, -0.6f}, weight};
}

static void sweeps_reach_the_solution(void **state) {
  (void)state;
  shell s = shell_create(12, true);
  mi_gauss_seidel *gs = mi_gauss_seidel_create(&s.a, &s.arena);
  assert_non_null(gs);
  assert_in_range(mi_gauss_seidel_colors(gs), 4, 16);
  float *q = shell_random(&s.arena, s.nvert, 3);
  float *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  double before = 1;
  for (int k = 0; k < 6; k++) {
    assert_true(mi_gauss_seidel_sweep(gs, NULL, q, 2, 2, x));
    double after = relative_residual(&s.a, NULL, q, x);
    assert_true(after < before);
    before = after;
  }
  assert_true(mi_gauss_seidel_sweep(gs, NULL, q, 3000, 2, x));
  assert_true(dense_error(&s.arena, &s.a, NULL, q, x) < 1e-4);
  for (int i = 0; i < s.nvert; i++) assert_true(x[4 * i + 3] == 0);
  shell_free(&s);
}

static void pulls_are_part_of_the_system(void **state) {
  (void)state;
  shell s = shell_create(10, true);
  mi_gauss_seidel *gs = mi_gauss_seidel_create(&s.a, &s.arena);
  assert_non_null(gs);
  float *q = shell_random(&s.arena, s.nvert, 3);
  float *x = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  float *plain = MI_PUSH(&s.arena, float, 4 * (size_t)s.nvert);
  mi_lowrank lowrank[12];
  for (int k = 0; k < 10; k++)
    lowrank[k] = between((k * 31) % s.nvert, (k * 57 + 1) % s.nvert, (k * 91 + 2) % s.nvert, 20);
  lowrank[10] = lowrank[3]; // the same vertices again
  lowrank[11] = (mi_lowrank){{5, 6, 7, 8}, {1, 1, 1, 1}, 0};
  mi_lowrank_rows lowrank_rows = {lowrank, 12};
  assert_true(mi_gauss_seidel_sweep(gs, &lowrank_rows, q, 5000, 1, x));
  assert_true(dense_error(&s.arena, &s.a, &lowrank_rows, q, x) < 1e-4);
  // and only as long as they are given
  assert_true(mi_gauss_seidel_sweep(gs, NULL, q, 5000, 1, plain));
  assert_true(dense_error(&s.arena, &s.a, NULL, q, plain) < 1e-4);
  assert_true(dense_error(&s.arena, &s.a, NULL, q, x) > 1e-2);
  lowrank_rows.count = s.nvert + 1;
  memcpy(plain, x, 4 * (size_t)s.nvert * sizeof *x);
  assert_false(mi_gauss_seidel_sweep(gs, &lowrank_rows, q, 1, 1, x));
  assert_memory_equal(plain, x, 4 * (size_t)s.nvert * sizeof *x);
  shell_free(&s);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  const int threads[] = {2, 8, 32};
  shell s = shell_create(60, true);
  mi_gauss_seidel *gs = mi_gauss_seidel_create(&s.a, &s.arena);
  assert_non_null(gs);
  size_t size = 4 * (size_t)s.nvert;
  float *q = shell_random(&s.arena, s.nvert, 3);
  float *one = MI_PUSH(&s.arena, float, size), *many = MI_PUSH(&s.arena, float, size);
  mi_lowrank lowrank[20];
  for (int k = 0; k < 20; k++)
    lowrank[k] = between((k * 31) % s.nvert, (k * 57 + 1) % s.nvert, (k * 91 + 2) % s.nvert, 20);
  mi_lowrank_rows lowrank_rows = {lowrank, 20};
  assert_true(mi_gauss_seidel_sweep(gs, &lowrank_rows, q, 5, 1, one));
  for (int k = 0; k < 3; k++) {
    memset(many, 0, size * sizeof *many);
    assert_true(mi_gauss_seidel_sweep(gs, &lowrank_rows, q, 5, threads[k], many));
    assert_memory_equal(one, many, size * sizeof *one);
  }
  shell_free(&s);
}

// more vertices in one clique than there are colours
static void full_matrices_run_out_of_colors(void **state) {
  (void)state;
  enum { N = 90 };
  static double value[N * N];
  static int32_t first[N + 1], column[N * N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      column[i * N + j] = j;
      value[i * N + j] = i == j ? N : 0.5;
    }
    first[i + 1] = (i + 1) * N;
  }
  mi_csr a = {N, first, column, value};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mi_gauss_seidel *gs = mi_gauss_seidel_create(&a, &arena);
  assert_non_null(gs);
  float *q = shell_random(&arena, N, 3), *x = MI_PUSH(&arena, float, 4 * N);
  assert_true(mi_gauss_seidel_sweep(gs, NULL, q, 100, 4, x));
  assert_true(dense_error(&arena, &a, NULL, q, x) < 1e-5);
  mi_arena_free(&arena);
}

static mien_result make(const mien_host *host, void *user) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_gauss_seidel *gs = mi_gauss_seidel_create(&((const shell *)user)->a, &arena);
  mi_arena_free(&arena);
  return gs ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void survives_memory_that_ends(void **state) {
  (void)state;
  shell s = shell_create(20, false);
  scene_fail_every_allocation(make, &s);
  shell_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sweeps_reach_the_solution),
      cmocka_unit_test(pulls_are_part_of_the_system),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(full_matrices_run_out_of_colors),
      cmocka_unit_test(survives_memory_that_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
