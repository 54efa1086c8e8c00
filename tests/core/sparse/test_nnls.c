// Non-negative least squares: conditions of the minimum, and every set of free variables tried.
#include "scenes/scene.h"
#include "sparse/factor.h"
#include "sparse/nnls.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, COLS = 7 };

typedef struct system {
  int64_t first[COLS + 1];
  int32_t row[ROWS * COLS];
  float value[ROWS * COLS], right[ROWS];
  double ridge[COLS], prior[COLS];
  mi_nnls problem;
} system_of;

static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 40) / (1 << 23) - 1;
}

static void make(system_of *s, uint64_t seed) {
  int n = 0;
  memset(s, 0, sizeof *s);
  for (int j = 0; j < COLS; j++) {
    for (int i = 0; i < ROWS; i++) {
      if (draw(&seed) < -0.2) continue; // sparse
      s->row[n] = i;
      s->value[n++] = (float)draw(&seed);
    }
    s->first[j + 1] = n;
    s->ridge[j] = 0.01;
    s->prior[j] = 0.5 + 0.5 * draw(&seed);
  }
  for (int i = 0; i < ROWS; i++) s->right[i] = (float)draw(&seed);
  s->problem = (mi_nnls){ROWS, COLS, s->first, s->row, s->value, s->right, s->ridge, s->prior};
}

static void densify(const system_of *s, double h[COLS][COLS], double g[COLS]) {
  double a[ROWS][COLS] = {{0}};
  for (int j = 0; j < COLS; j++)
    for (int64_t e = s->first[j]; e < s->first[j + 1]; e++) a[s->row[e]][j] = (double)s->value[e];
  for (int j = 0; j < COLS; j++) {
    g[j] = s->ridge[j] * s->prior[j];
    for (int i = 0; i < ROWS; i++) g[j] += a[i][j] * (double)s->right[i];
    for (int k = 0; k < COLS; k++) {
      h[j][k] = j == k ? s->ridge[j] : 0;
      for (int i = 0; i < ROWS; i++) h[j][k] += a[i][j] * a[i][k];
    }
  }
}

static double cost(double h[COLS][COLS], const double *g, const double *x) {
  double sum = 0;
  for (int j = 0; j < COLS; j++) {
    sum -= g[j] * x[j];
    for (int k = 0; k < COLS; k++) sum += 0.5 * x[j] * h[j][k] * x[k];
  }
  return sum;
}

// the best of the 2^COLS choices of which variables are zero
static double try_all(double h[COLS][COLS], const double *g) {
  double best = INFINITY;
  for (int set = 0; set < 1 << COLS; set++) {
    int index[COLS], n = 0;
    double factor[COLS * COLS], right[COLS], x[COLS] = {0};
    for (int j = 0; j < COLS; j++)
      if (set >> j & 1) index[n++] = j;
    for (int a = 0; a < n; a++) {
      right[a] = g[index[a]];
      for (int b = 0; b < n; b++) factor[a * n + b] = h[index[a]][index[b]];
    }
    if (n && !mi_dense_factor(factor, n, 1)) continue;
    if (n) mi_dense_solve(factor, n, right);
    bool is_allowed = true;
    for (int a = 0; a < n; a++) {
      x[index[a]] = right[a];
      is_allowed &= right[a] >= 0;
    }
    if (is_allowed) best = fmin(best, cost(h, g, x));
  }
  return best;
}

static void it_is_the_best_of_all_choices(void **state) {
  (void)state;
  int nzero = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    system_of s;
    double h[COLS][COLS], g[COLS], x[COLS] = {0};
    float left[ROWS];
    make(&s, seed * 7919);
    assert_true(mi_nnls_solve(&s.problem, 20000, 1e-7, x, left) <= 1e-6);
    densify(&s, h, g);
    double best = try_all(h, g), found = cost(h, g, x);
    assert_near(found, best, 1e-5 * (1 + fabs(best)));
    for (int j = 0; j < COLS; j++) {
      double slope = -g[j];
      for (int k = 0; k < COLS; k++) slope += h[j][k] * x[k];
      assert_true(x[j] >= 0);
      assert_true(x[j] > 0 ? fabs(slope) < 1e-4 : slope > -1e-4);
      nzero += x[j] == 0;
    }
  }
  assert_true(nzero > 100); // the bound matters
}

static void what_is_left_is_that_of_x(void **state) {
  (void)state;
  system_of s;
  double x[COLS] = {1, 2, 3, 0, -1, 1, 1};
  float left[ROWS], expected[ROWS];
  make(&s, 5);
  mi_nnls_solve(&s.problem, 0, 0, x, left);
  assert_true(x[4] == 0); // what is below zero starts there
  for (int i = 0; i < ROWS; i++) expected[i] = -s.right[i];
  for (int j = 0; j < COLS; j++)
    for (int64_t e = s.first[j]; e < s.first[j + 1]; e++)
      expected[s.row[e]] += (float)x[j] * s.value[e];
  for (int i = 0; i < ROWS; i++) assert_near(left[i], expected[i], 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_the_best_of_all_choices),
      cmocka_unit_test(what_is_left_is_that_of_x),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
