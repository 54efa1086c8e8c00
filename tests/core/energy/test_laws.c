// What must hold for every law, on random stencils. Loops over the table of what is simulated and
// over the laws of the laboratory: a law without trials fails.
#include "scenes/scene.h"

#include "claim_z1_trials.h"
#include "math/mat3.h"
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { NTRIAL = 24, MOST = 3 * MI_STENCIL_MOST };

static double largest(const double *a, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static void difference_value(const mi_law *law, const trial *t, double h, double *out) {
  double x[MOST];
  memcpy(x, t->x, sizeof x);
  for (int i = 0; i < 3 * t->stencil.nvert; i++) {
    x[i] = t->x[i] + h;
    double after = law->value(&t->stencil, x);
    x[i] = t->x[i] - h;
    out[i] = (after - law->value(&t->stencil, x)) / (2 * h);
    x[i] = t->x[i];
  }
}

static void difference_gradient(const mi_law *law, const trial *t, double h, double *out) {
  int n = 3 * t->stencil.nvert;
  double x[MOST], after[MOST], before[MOST];
  memcpy(x, t->x, sizeof x);
  for (int i = 0; i < n; i++) {
    x[i] = t->x[i] + h;
    law->gradient(&t->stencil, x, after);
    x[i] = t->x[i] - h;
    law->gradient(&t->stencil, x, before);
    for (int j = 0; j < n; j++) out[j * n + i] = (after[j] - before[j]) / (2 * h);
    x[i] = t->x[i];
  }
}

// Differences at two steps that agree: no kink, no other minimum between them.
static bool agree(const double *a, const double *b, int count, double tolerance) {
  double scale = fmax(largest(a, count), largest(b, count)) + 1e-4;
  for (int i = 0; i < count; i++)
    if (fabs(a[i] - b[i]) > tolerance * scale) return false;
  return true;
}

typedef void check_fn(const mi_law *law, const trial *t, trial_kind kind, int *nchecked);

static void for_all(check_fn *check, bool with_flat, int least_percent) {
  assert_in_range(mi_nlaw, 8, 100);
  for (int l = 0; l < lab_nlaw(); l++) {
    int nchecked = 0, ntrial = 0;
    for (int kind = 0; kind < (with_flat ? TRIAL_NKIND : TRIAL_FLAT); kind++)
      for (uint32_t number = 0; number < NTRIAL; number++, ntrial++) {
        trial t;
        if (!trial_make(lab_law(l), kind, number, &t))
          fail_msg("no trial for %s", lab_law(l)->name);
        check(lab_law(l), &t, kind, &nchecked);
      }
    if (100 * nchecked < least_percent * ntrial)
      fail_msg("%s: only %d of %d trials say anything", lab_law(l)->name, nchecked, ntrial);
  }
}

static void check_gradient(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  (void)kind;
  int n = 3 * t->stencil.nvert;
  double g[MOST], coarse[MOST], fine[MOST];
  law->gradient(&t->stencil, t->x, g);
  difference_value(law, t, 4e-7, coarse);
  difference_value(law, t, 2e-7, fine);
  if (!agree(coarse, fine, n, 1e-6)) return;
  ++*nchecked;
  double scale = fmax(largest(g, n), largest(fine, n));
  for (int i = 0; i < n; i++)
    if (!(fabs(g[i] - fine[i]) <= 1e-6 * scale + 1e-9))
      fail_msg("%s: gradient %d is %g, by differences %g", law->name, i, g[i], fine[i]);
}

static void gradient_is_the_slope_of_the_value(void **state) {
  (void)state;
  for_all(check_gradient, false, 85);
}

static void check_hessian(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  (void)kind;
  static double h[MOST * MOST], coarse[MOST * MOST], fine[MOST * MOST];
  int n = 3 * t->stencil.nvert;
  memset(h, 0, sizeof h);
  if (law->hessian) law->hessian(&t->stencil, t->x, false, h);
  difference_gradient(law, t, 2e-7, coarse);
  difference_gradient(law, t, 1e-7, fine);
  if (!agree(coarse, fine, n * n, 1e-5)) return;
  ++*nchecked;
  double scale = fmax(largest(h, n * n), largest(fine, n * n));
  for (int i = 0; i < n * n; i++) {
    if (!(fabs(h[i] - fine[i]) <= 1e-5 * scale + 1e-12))
      fail_msg("%s: Hessian %d is %g, by differences %g", law->name, i, h[i], fine[i]);
    if (!(fabs(h[i] - h[i % n * n + i / n]) <= 1e-10 * scale))
      fail_msg("%s: not symmetric", law->name);
  }
}

static void hessian_is_the_slope_of_the_gradient(void **state) {
  (void)state;
  for_all(check_hessian, false, 85);
}

// Cholesky with a small shift: succeeds exactly for matrices that are positive semi-definite up to
// it, at any size.
static bool is_psd(int n, const double *h, double shift) {
  static double l[MOST * MOST];
  memcpy(l, h, sizeof *h * (size_t)(n * n));
  for (int k = 0; k < n; k++) {
    double d = l[k * n + k] + shift;
    for (int j = 0; j < k; j++) d -= l[k * n + j] * l[k * n + j];
    if (!(d > 0)) return false;
    l[k * n + k] = sqrt(d);
    for (int i = k + 1; i < n; i++) {
      double sum = l[i * n + k];
      for (int j = 0; j < k; j++) sum -= l[i * n + j] * l[k * n + j];
      l[i * n + k] = sum / l[k * n + k];
    }
  }
  return true;
}

static int nindefinite;

static void check_psd(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  (void)kind;
  static double h[MOST * MOST], plain[MOST * MOST];
  int n = 3 * t->stencil.nvert;
  ++*nchecked;
  if (!law->hessian) return;
  law->hessian(&t->stencil, t->x, true, h);
  law->hessian(&t->stencil, t->x, false, plain);
  double shift = 1e-9 * largest(plain, n * n) + 1e-300;
  if (!is_psd(n, h, shift)) fail_msg("%s: not positive semi-definite", law->name);
  if (is_psd(n, plain, shift)) { // nothing to do: nothing may be changed
    for (int i = 0; i < n * n; i++) assert_near(h[i], plain[i], 10 * shift * n);
  } else {
    nindefinite++;
  }
}

static void projected_hessian_is_positive(void **state) {
  (void)state;
  nindefinite = 0;
  for_all(check_psd, true, 100);
  assert_in_range(nindefinite, 100, 100000); // there was something to project
}

static void check_rest(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  (void)kind;
  double g[MOST], force[MOST];
  ++*nchecked;
  if (!t->has_rest) return;
  assert_near(law->value(&t->stencil, t->rest), 0, 1e-18 * fmax(1, t->stencil.weight));
  law->gradient(&t->stencil, t->rest, g);
  law->gradient(&t->stencil, t->x, force);
  double scale = t->stencil.weight * (1 + largest(t->stencil.matrix, MI_STENCIL_MOST));
  assert_near(largest(g, 3 * t->stencil.nvert), 0, 1e-9 * scale + 1e-9 * largest(force, MOST / 3));
}

static void rest_state_has_no_force(void **state) {
  (void)state;
  for_all(check_rest, false, 100);
}

static void move(const double *x, int nvert, uint32_t seed, double *moved, double *rotation) {
  double any[9];
  for (uint32_t i = 0; i < 9; i++) any[i] = trial_random(seed, 7000 + i);
  mi_mat3_rotation(any, rotation);
  for (int i = 0; i < 3 * nvert; i++) {
    moved[i] = 0.7 - 0.2 * (i % 3);
    for (int k = 0; k < 3; k++) moved[i] += rotation[3 * (i % 3) + k] * x[i - i % 3 + k];
  }
}

static void check_motion(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  int nvert = t->stencil.nvert;
  double moved[MOST], rotation[9], g[MOST], turned[MOST], expected = law->value(&t->stencil, t->x);
  ++*nchecked;
  if (t->is_anchored) return;
  move(t->x, nvert, (uint32_t)kind, moved, rotation);
  double scale = t->stencil.weight + fabs(expected);
  assert_near(law->value(&t->stencil, moved), expected, 1e-10 * scale);
  law->gradient(&t->stencil, t->x, g);
  law->gradient(&t->stencil, moved, turned);
  double sum[3] = {0}, moment[3] = {0}, most = largest(g, 3 * nvert);
  for (int i = 0; i < 3 * nvert; i++) {
    double r = 0;
    for (int k = 0; k < 3; k++) r += rotation[3 * (i % 3) + k] * g[i - i % 3 + k];
    sum[i % 3] += g[i];
    const double *x = t->x + i - i % 3, *f = g + i - i % 3;
    int a = (i + 1) % 3, b = (i + 2) % 3;
    moment[i % 3] += x[a] * f[b] - x[b] * f[a];
    // where two answers are equally good a flat element may take the other one
    if (kind != TRIAL_FLAT) assert_near(turned[i], r, 1e-6 * most + 1e-12);
  }
  assert_near(largest(sum, 3), 0, 1e-9 * most + 1e-15); // inner forces add up to nothing
  if (kind != TRIAL_FLAT) assert_near(largest(moment, 3), 0, 1e-7 * most + 1e-15);
}

static void rigid_motion_changes_nothing(void **state) {
  (void)state;
  for_all(check_motion, true, 100);
}

static void check_finite(const mi_law *law, const trial *t, trial_kind kind, int *nchecked) {
  (void)kind;
  static double h[MOST * MOST];
  static const double sizes[] = {0, 1e-200, 1e-12, 1, 1e6};
  int nvert = t->stencil.nvert;
  double x[MOST], g[MOST];
  ++*nchecked;
  for (int s = 0; s < 5; s++) {
    for (int i = 0; i < 3 * nvert; i++) x[i] = sizes[s] * t->x[i];
    assert_true(isfinite(law->value(&t->stencil, x)));
    law->gradient(&t->stencil, x, g);
    for (int i = 0; i < 3 * nvert; i++) assert_true(isfinite(g[i]));
    for (int project = 0; law->hessian && project < 2; project++) {
      law->hessian(&t->stencil, x, project, h);
      for (int i = 0; i < 9 * nvert * nvert; i++)
        if (!isfinite(h[i])) fail_msg("%s: Hessian is not finite", law->name);
    }
  }
}

static void degenerate_input_stays_finite(void **state) {
  (void)state;
  for_all(check_finite, true, 100);
}

static void set_up_refuses_what_makes_no_sense(void **state) {
  (void)state;
  mi_stencil s = {.nvert = 77};
  const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double inverted[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const double line[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, bad[3] = {0, NAN, 0}, up[3] = {0, 1, 0};
  const double nowhere[12] = {0, 0, 0, INFINITY, 0, 0, 0, 1, 0, 0, 0, 1};
  assert_false(mi_strain_set_up(&s, inverted, 1, NULL));
  assert_false(mi_strain_set_up(&s, flat, 1, NULL));
  assert_false(mi_strain_set_up(&s, nowhere, 1, NULL));
  assert_false(mi_strain_set_up(&s, tet, -1, NULL));
  assert_false(mi_strain_set_up(&s, tet, NAN, NULL));
  assert_false(mi_volume_set_up(&s, tet, 1, 1.1, 0.9));
  assert_false(mi_volume_set_up(&s, tet, 1, 0, 1)); // nothing is closest to a volume of zero
  assert_false(lab_strain_limit_set_up(&s, tet, 1, -0.1, 1));
  assert_false(lab_stvk_set_up(&s, tet, -1, 1));
  assert_false(lab_triangle_strain_set_up(&s, line, 1, 1, 1));
  assert_false(lab_triangle_area_set_up(&s, line, 1, 1, 1));
  assert_false(lab_edge_set_up(&s, 1, -1));
  assert_false(mi_spring_set_up(&s, 1, up + 1, 1, bad));
  assert_false(mi_spring_set_up(&s, 0, up, 1, up));
  assert_false(lab_plane_set_up(&s, 1, up, bad));
  assert_false(lab_plane_set_up(&s, 1, up, tet));
  assert_false(mi_gravity_set_up(&s, -1, up));
  assert_false(lab_bending_set_up(&s, MI_STENCIL_MOST + 1, tet, tet, 1));
  lab_examples five = {4, tet, LAB_EXAMPLES_MOST + 1, tet}, two = {2, tet, 0, NULL};
  assert_false(lab_example_set_up(&s, &five, 1));
  assert_false(lab_example_set_up(&s, &two, 1));
  assert_int_equal(s.nvert, 77); // untouched
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gradient_is_the_slope_of_the_value),
                                     cmocka_unit_test(hessian_is_the_slope_of_the_gradient),
                                     cmocka_unit_test(projected_hessian_is_positive),
                                     cmocka_unit_test(rest_state_has_no_force),
                                     cmocka_unit_test(rigid_motion_changes_nothing),
                                     cmocka_unit_test(degenerate_input_stays_finite),
                                     cmocka_unit_test(set_up_refuses_what_makes_no_sense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
