// Claim Z1 in small: no member of a law's set is closer than the projection, and the projection is
// a member.
#include "scenes/scene.h"

#include "claim_z1_search.h"
#include "claim_z1_trials.h"

#include <math.h>

static double length(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
  return sqrt(sum);
}

static void nothing_is_closer(void **state) {
  (void)state;
  static const search_effort effort = {500, 10, 60};
  for (int l = 0; l < lab_nlaw(); l++) {
    const mi_law *law = lab_law(l);
    int nreached = 0, ntrial = 0;
    if (!law->reduce) continue;
    for (uint32_t number = 0; number < 24; number++, ntrial++) {
      trial t;
      double gx[9], p[9];
      assert_true(trial_make(law, number % TRIAL_NKIND, number, &t));
      int count = 3 * t.stencil.nrow;
      law->reduce(&t.stencil, t.x, gx, p);
      double ours = length(gx, p, count), scale = length(gx, NULL, count) + length(p, NULL, count);
      double found = search_closest(law, &t.asked, gx, &effort, number);
      if (found < 0) fail_msg("%s: its set is not known to the search", law->name);
      if (found < ours - 1e-9 * scale)
        fail_msg("%s %u: found %.12g, projected %.12g", law->name, number, found, ours);
      nreached += found < ours + 1e-6 * scale;
      double off = search_closest(law, &t.asked, p, &effort, number + 1000);
      if (off > 1e-4 * scale) fail_msg("%s %u: %g away from its set", law->name, number, off);
    }
    // a search that gets nowhere near would prove nothing
    if (4 * nreached < 3 * ntrial) fail_msg("%s: reached %d of %d", law->name, nreached, ntrial);
  }
}

static void value_is_half_the_weighted_distance(void **state) {
  (void)state;
  for (int l = 0; l < lab_nlaw(); l++) {
    trial t;
    double gx[9], p[9];
    assert_true(trial_make(lab_law(l), TRIAL_WILD, 5, &t));
    if (!lab_law(l)->reduce) continue;
    lab_law(l)->reduce(&t.stencil, t.x, gx, p);
    int nvert = t.stencil.nvert, count = 3 * t.stencil.nrow;
    double d = length(gx, p, count), value = lab_law(l)->value(&t.stencil, t.x);
    assert_near(value, t.stencil.weight / 2 * d * d, 1e-12 * value);
    for (int i = 0; i < count; i++) { // G is what it says
      double sum = 0;
      for (int v = 0; v < nvert; v++)
        sum += t.stencil.matrix[i / 3 * nvert + v] * t.x[3 * v + i % 3];
      assert_near(gx[i], sum, 1e-12 * length(gx, NULL, count));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_closer),
                                     cmocka_unit_test(value_is_half_the_weighted_distance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
