// Sums over moving masses: every SIMD body against the same sums in double.
#include "math/kernels.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1500, NSUM = 22 };

typedef struct flesh {
  float x[4 * MOST], v[4 * MOST], d[4 * MOST], f[4 * MOST], accel[4 * MOST], start[4 * MOST];
  float inertia[MOST];
} flesh;

static float random_float(unsigned *seed) { // -1 to 1
  *seed = *seed * 1664525u + 1013904223u;
  return (float)(*seed >> 8) / (float)(1 << 23) - 1;
}

static void fill(flesh *m) {
  unsigned seed = 7;
  float *rows[] = {m->x, m->v, m->d, m->f, m->accel, m->start};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 4 * MOST; i++)
      rows[k][i] = i % 4 == 3 ? 0 : 0.1f * random_float(&seed) + 0.05f;
  for (int i = 0; i < MOST; i++) m->inertia[i] = i % 7 ? 2 + random_float(&seed) : 0;
}

static void cross(const double a[3], const double b[3], double *sum) {
  for (int c = 0; c < 3; c++)
    sum[c] += a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

static void sum_in_double(const mi_mass_rows *rows, const flesh *m, int begin, int end,
                          double sum[NSUM]) {
  for (int i = begin; i < end; i++) {
    double mass = (double)rows->unit * (double)rows->inertia[i], r[3], p[3], d[3];
    for (int c = 0; c < 3; c++) {
      int at = 4 * i + c;
      r[c] = (double)m->x[at] - (double)rows->about[c];
      p[c] = mass * (double)m->v[at];
      d[c] = m->d[at];
      sum[c] += p[c];
      sum[6] += p[c] * (double)m->v[at];
      sum[8 + c] += mass * r[c];
      sum[11 + c] += mass * r[c] * r[c];
      sum[17] += mass * (double)m->accel[at] * ((double)m->x[at] - (double)m->start[at]);
      sum[21] += (double)m->f[at] * d[c];
    }
    sum[7] += mass;
    for (int c = 0; c < 3; c++) sum[14 + c] += mass * r[c] * r[(c + 1) % 3];
    cross(r, p, sum + 3);
    cross(d, p, sum + 18);
  }
}

static void check(const mi_momenta_kernels *kernels, const flesh *m, int begin, int end) {
  mi_mass_rows rows = {m->x, m->v, m->inertia, 0.25f, {0.3f, -0.2f, 0.1f}};
  double sum[NSUM] = {0}, right[NSUM] = {0};
  double size = 0.4 * (end - begin); // masses up to 0.75, arms up to 0.5
  kernels->momenta(&rows, begin, end, sum);
  kernels->shape(&rows, begin, end, sum + 7);
  kernels->work(&rows, m->accel, m->start, begin, end, sum + 17);
  kernels->along(&rows, m->d, m->f, begin, end, sum + 18);
  sum_in_double(&rows, m, begin, end, right);
  for (int k = 0; k < NSUM; k++) assert_near(sum[k], right[k], 1e-7 * size);
}

// whole runs, a part of one, and ends that do not fill a register
static void sums_are_those_in_double(void **state) {
  (void)state;
  static const int end[] = {1024, 1500, 1025, 1031, 1152, 1153};
  const mi_momenta_kernels *bodies[] = {&mi_momenta_body_scalar, mi_kernels_best()->momenta};
  flesh *m = test_calloc(1, sizeof *m);
  fill(m);
  for (int b = 0; b < 2; b++) {
    check(bodies[b], m, 0, 1024);
    for (int k = 1; k < 6; k++) check(bodies[b], m, 1024, end[k]);
    check(bodies[b], m, 0, 3);
  }
  test_free(m);
}

// What is beyond the end is neither read nor counted.
static void rows_beyond_the_end_do_not_matter(void **state) {
  (void)state;
  flesh *m = test_calloc(1, sizeof *m);
  fill(m);
  mi_mass_rows rows = {m->x, m->v, m->inertia, 0.25f, {0, 0, 0}};
  double sum[2][NSUM] = {{0}};
  for (int run = 0; run < 2; run++) {
    const mi_momenta_kernels *kernels = mi_kernels_best()->momenta;
    kernels->momenta(&rows, 0, 1029, sum[run]);
    kernels->shape(&rows, 0, 1029, sum[run] + 7);
    kernels->work(&rows, m->accel, m->start, 0, 1029, sum[run] + 17);
    kernels->along(&rows, m->d, m->f, 0, 1029, sum[run] + 18);
    for (int i = 4 * 1029; i < 4 * MOST; i++) m->x[i] = m->v[i] = m->d[i] = NAN;
    for (int i = 1029; i < MOST; i++) m->inertia[i] = NAN;
  }
  assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
  test_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_are_those_in_double),
      cmocka_unit_test(rows_beyond_the_end_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
