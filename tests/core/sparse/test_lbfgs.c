#include "scenes/scene.h"
#include "sparse/lbfgs.h"

#include <math.h>
#include <string.h>

enum { NVERT = 3001, SIZE = 4 * NVERT, MOST = 3 };

typedef struct vectors {
  float zero[SIZE], s[MOST + 2][SIZE], y[MOST + 2][SIZE], g[SIZE], q[SIZE], expected[SIZE];
  double sum[64];
} vectors;
static vectors v;

static void fill(float *a, uint64_t seed) {
  for (uint32_t i = 0; i < SIZE; i++)
    a[i] = i % 4 == 3 ? 0 : (float)(mi_random_unit(seed, i, 0) - 0.5);
}

// steps of any direction; gradients change along them as a convex function's do
static void fill_pairs(void) {
  fill(v.g, 1);
  for (uint32_t k = 0; k < MOST + 2; k++) {
    fill(v.s[k], 10 + k);
    for (uint32_t i = 0; i < SIZE; i++)
      v.y[k][i] = v.s[k][i] * (float)(1 + mi_random_unit(5, i, 0)) +
                  (i % 4 == 3 ? 0 : 0.1f * (float)mi_random_unit(20 + k, i, 0));
  }
}

static double dot(const float *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < SIZE; i++) sum += (double)a[i] * b[i];
  return sum;
}

// The recursion as books print it, with A^-1 = 0.7.
static void two_loops(int first, int count) {
  static double q[SIZE], alpha[MOST + 2], sy[MOST + 2], wide[SIZE];
  for (int i = 0; i < SIZE; i++) q[i] = (double)v.g[i];
  for (int k = first + count - 1; k >= first; k--) {
    for (int i = 0; i < SIZE; i++) wide[i] = (double)v.y[k][i];
    sy[k] = dot(v.s[k], wide);
    alpha[k] = dot(v.s[k], q) / sy[k];
    for (int i = 0; i < SIZE; i++) q[i] -= alpha[k] * (double)v.y[k][i];
  }
  for (int i = 0; i < SIZE; i++) q[i] *= 0.7;
  for (int k = first; k < first + count; k++) {
    double beta = dot(v.y[k], q) / sy[k];
    for (int i = 0; i < SIZE; i++) q[i] += (alpha[k] - beta) * (double)v.s[k][i];
  }
  for (int i = 0; i < SIZE; i++) v.expected[i] = (float)q[i];
}

static void direction(mi_lbfgs *h, const float *g, int threads) {
  mi_lbfgs_forward(h, g, threads, v.q);
  for (int i = 0; i < SIZE; i++) v.q[i] *= 0.7f;
  double slope = mi_lbfgs_backward(h, v.q, g, threads);
  double far = sqrt(mi_lbfgs_dot(g, g, NVERT, 1, v.sum) * mi_lbfgs_dot(v.q, v.q, NVERT, 1, v.sum));
  assert_near(slope / (far + 1e-30), mi_lbfgs_dot(g, v.q, NVERT, 1, v.sum) / (far + 1e-30), 1e-12);
}

static void expect_equal(void) {
  for (int i = 0; i < SIZE; i++) assert_near(v.q[i], v.expected[i], 2e-5);
}

static mi_lbfgs *create(mi_arena *arena, int most) {
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(arena, &host);
  mi_lbfgs *h = mi_lbfgs_create(NVERT, most, arena);
  assert_non_null(h);
  return h;
}

static void is_the_two_loop_recursion(void **state) {
  (void)state;
  mi_arena arena;
  mi_lbfgs *h = create(&arena, MOST);
  fill_pairs();
  for (int count = 0; count <= MOST + 2; count++) { // without pairs, filling up, forgetting
    int kept = count < MOST ? count : MOST;
    assert_int_equal(mi_lbfgs_count(h), kept);
    two_loops(count - kept, kept);
    direction(h, v.g, 2);
    expect_equal();
    if (count < MOST + 2) assert_true(mi_lbfgs_add(h, v.zero, v.s[count], v.zero, v.y[count], 2));
  }
  // the array that the newest pair ended with and a copy of it, with and without the oldest pair
  memcpy(v.g, v.y[MOST + 1], sizeof v.g);
  for (int round = 0; round < 2; round++) {
    static float known[SIZE];
    direction(h, v.y[MOST + 1], 2);
    memcpy(known, v.q, sizeof known);
    direction(h, v.g, 2);
    assert_memory_equal(known, v.q, sizeof known);
    mi_lbfgs_distrust(h);
  }
  // the newest pair is matched exactly: H y = s
  direction(h, v.y[MOST + 1], 2);
  for (int i = 0; i < SIZE; i++) assert_near(v.q[i], v.s[MOST + 1][i], 2e-5);
  mi_lbfgs_reset(h);
  two_loops(0, 0);
  direction(h, v.g, 2);
  expect_equal();
  mi_arena_free(&arena);
}

// Pairs kept from the beginning are in every recursion after a restart and in none after a reset,
// however many others came and went.
static void kept_pairs_outlive_the_others(void **state) {
  (void)state;
  mi_arena arena;
  mi_lbfgs *h = create(&arena, MOST);
  fill_pairs();
  assert_true(mi_lbfgs_add(h, v.zero, v.s[0], v.zero, v.y[0], 2));
  mi_lbfgs_keep(h);
  for (int round = 0; round < 3; round++) {
    bool with = round != 1;
    if (with)
      mi_lbfgs_restart(h);
    else
      mi_lbfgs_reset(h);
    assert_int_equal(mi_lbfgs_count(h), with);
    for (int k = 1; k < MOST + 2; k++)
      assert_true(mi_lbfgs_add(h, v.zero, v.s[k], v.zero, v.y[k], 2));
    assert_int_equal(mi_lbfgs_count(h), with ? MOST : MOST - 1);
    // the kept one beside the newest two, as if those had followed it
    static float s1[SIZE], y1[SIZE];
    memcpy(s1, v.s[2], sizeof s1), memcpy(y1, v.y[2], sizeof y1);
    memcpy(v.s[2], v.s[0], sizeof s1), memcpy(v.y[2], v.y[0], sizeof y1);
    two_loops(with ? 2 : 3, with ? 3 : 2);
    memcpy(v.s[2], s1, sizeof s1), memcpy(v.y[2], y1, sizeof y1);
    direction(h, v.g, 2);
    expect_equal();
  }
  mi_arena_free(&arena);
}

// Pairs with bars are the pairs whose y has what the bars add to it.
static void bars_change_all_pairs(void **state) {
  (void)state;
  enum { NBAR = 40 };
  static mi_rank1 rank1[NBAR];
  static double stretch[NBAR * MI_LBFGS_MOST];
  mi_arena arena;
  mi_lbfgs *h = create(&arena, MOST);
  fill_pairs();
  for (int k = 0; k < MOST; k++) assert_true(mi_lbfgs_add(h, v.zero, v.s[k], v.zero, v.y[k], 2));
  for (uint32_t k = 0; k < NBAR; k++) {
    rank1[k].weight = 3 * (float)mi_random_unit(7, k, 0);
    for (uint32_t a = 0; a < 12; a++) {
      rank1[k].vert[a / 3] = a / 3 == k % 5 ? -1 : (int32_t)(31 * k + 7 * (a / 3));
      rank1[k].vector[a / 3][a % 3] = (float)mi_random_unit(8, k, a) - 0.5f;
    }
  }
  for (int k = 0; k < MOST; k++) {
    static float extra[SIZE];
    memset(extra, 0, sizeof extra);
    for (int b = 0; b < NBAR; b++) {
      double along = 0;
      for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 12; i++) {
          if (rank1[b].vert[i / 3] < 0) continue;
          int at = 4 * rank1[b].vert[i / 3] + i % 3;
          float part = rank1[b].vector[i / 3][i % 3];
          if (pass)
            extra[at] += rank1[b].weight * (float)along * part;
          else
            along += (double)part * (double)v.s[k][at];
        }
    }
    for (int i = 0; i < SIZE; i++) v.y[k][i] += extra[i];
  }
  mi_lbfgs_set_rank1(h, rank1, NBAR, stretch);
  two_loops(0, MOST);
  direction(h, v.g, 2);
  expect_equal();
  mi_lbfgs_set_rank1(h, rank1, 0, stretch);
  fill_pairs();
  two_loops(0, MOST);
  direction(h, v.g, 2);
  expect_equal();
  mi_arena_free(&arena);
}

static void pairs_are_differences_and_bad_ones_are_left_out(void **state) {
  (void)state;
  mi_arena arena;
  mi_lbfgs *h = create(&arena, MOST);
  fill_pairs();
  // s_0 = 2 s_0 - s_0 and so on; powers of two are exact
  static float twice_s[SIZE], twice_y[SIZE];
  for (int i = 0; i < SIZE; i++) twice_s[i] = 2 * v.s[0][i], twice_y[i] = 2 * v.y[0][i];
  assert_true(mi_lbfgs_add(h, v.s[0], twice_s, v.y[0], twice_y, 1));
  assert_false(mi_lbfgs_add(h, v.s[1], v.zero, v.zero, v.y[1], 1)); // s.y < 0
  assert_false(mi_lbfgs_add(h, v.s[1], v.s[1], v.y[1], v.y[1], 1)); // nothing moved
  static float broken[SIZE];
  memcpy(broken, v.y[1], sizeof broken);
  broken[17] = NAN;
  assert_false(mi_lbfgs_add(h, v.zero, v.s[1], v.zero, broken, 1));
  assert_int_equal(mi_lbfgs_count(h), 1);
  two_loops(0, 1);
  direction(h, v.g, 1);
  expect_equal();
  mi_arena_free(&arena);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  const int threads[] = {1, 2, 8, 32};
  fill_pairs();
  static float first[SIZE];
  double first_dot = 0;
  for (int t = 0; t < 4; t++) {
    mi_arena arena;
    mi_lbfgs *h = create(&arena, MOST);
    for (int k = 0; k < MOST + 1; k++)
      assert_true(mi_lbfgs_add(h, v.zero, v.s[k], v.zero, v.y[k], threads[t]));
    direction(h, v.g, threads[t]);
    assert_in_range(mi_lbfgs_dot_sums(NVERT), 2, 64);
    double product = mi_lbfgs_dot(v.g, v.s[0], NVERT, threads[t], v.sum);
    if (t == 0) memcpy(first, v.q, sizeof first), first_dot = product;
    assert_memory_equal(first, v.q, sizeof first);
    assert_true(product == first_dot);
    mi_arena_free(&arena);
  }
  static double wide[SIZE];
  double size = 0; // products are added in float lanes, 32 at a time, and those sums in double
  for (int i = 0; i < SIZE; i++) {
    wide[i] = (double)v.s[0][i];
    size += fabs((double)v.g[i] * wide[i]);
  }
  assert_near(first_dot, dot(v.g, wide), 1e-7 * size);
}

static mien_result make(const mien_host *host, void *user) {
  (void)user;
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_lbfgs *h = mi_lbfgs_create(100000, 5, &arena);
  mi_arena_free(&arena);
  return h ? MIEN_OK : MIEN_ERR_MEMORY;
}

static void survives_memory_that_ends(void **state) {
  (void)state;
  scene_fail_every_allocation(make, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_the_two_loop_recursion),
      cmocka_unit_test(kept_pairs_outlive_the_others),
      cmocka_unit_test(bars_change_all_pairs),
      cmocka_unit_test(pairs_are_differences_and_bad_ones_are_left_out),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(survives_memory_that_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
