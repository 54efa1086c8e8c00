// The small bounded quadratic programme of the fit.
#include "scenes/scene.h"
#include "track/face_fit.h"

#include <math.h>

static double normal(uint32_t i, uint32_t j) {
  double a = 1 - mi_random_unit(5, i, 2 * j), b = mi_random_unit(5, i, 2 * j + 1);
  return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

// the bounded minimum against a search over all sets of held variables
static void box_qp_is_the_minimum(void **state) {
  (void)state;
  enum { N = 6 };
  for (uint32_t trial = 0; trial < 50; trial++) {
    double a[N * N], h[N * N], g[N], low[N], high[N], factor[N * N], d[N], best = INFINITY;
    for (uint32_t i = 0; i < N * N; i++) a[i] = normal(trial, i);
    for (int i = 0; i < N * N; i++) {
      h[i] = i / N == i % N ? 0.1 : 0;
      for (int k = 0; k < N; k++) h[i] += a[N * (i / N) + k] * a[N * (i % N) + k];
    }
    for (int i = 0; i < N; i++) {
      g[i] = 3 * normal(trial, 100 + (uint32_t)i);
      low[i] = -mi_random_unit(1, trial, (uint32_t)i);
      high[i] = mi_random_unit(2, trial, (uint32_t)i);
    }
    assert_true(mi_box_qp(N, h, g, low, high, factor, d));
    for (int i = 0; i < N; i++) assert_true(d[i] >= low[i] - 1e-9 && d[i] <= high[i] + 1e-9);
    double ours = 0;
    for (int i = 0; i < N; i++) {
      ours -= g[i] * d[i];
      for (int k = 0; k < N; k++) ours += 0.5 * d[i] * h[N * i + k] * d[k];
    }
    double x[N] = {0}; // projected gradient, long enough
    double trace = 0;
    for (int i = 0; i < N; i++) trace += h[(N + 1) * i];
    for (int k = 0; k < 20000; k++) {
      double down[N];
      for (int i = 0; i < N; i++) {
        down[i] = -g[i];
        for (int j = 0; j < N; j++) down[i] += h[N * i + j] * x[j];
      }
      for (int i = 0; i < N; i++) x[i] = fmin(fmax(x[i] - down[i] / trace, low[i]), high[i]);
    }
    best = 0;
    for (int i = 0; i < N; i++) {
      best -= g[i] * x[i];
      for (int k = 0; k < N; k++) best += 0.5 * x[i] * h[N * i + k] * x[k];
    }
    assert_near(ours, best, 1e-6 * (1 + fabs(best)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(box_qp_is_the_minimum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
