#include "scenes/scene.h"
#include "track/filter.h"

#include <math.h>

static void what_stands_still_stays(void **state) {
  (void)state;
  mi_adaptive window;
  mi_one_euro euro;
  mi_adaptive_init(&window, 3, 1e-3);
  mi_one_euro_init(&euro, 1, 1);
  for (int f = 0; f < 20; f++) {
    double in[3] = {0.1, -2, 3}, out[3];
    mi_adaptive_next(&window, in, out);
    for (int c = 0; c < 3; c++) assert_near(out[c], in[c], 1e-12);
    assert_near(mi_one_euro_next(&euro, 0.7, 1.0 / 30), 0.7, 1e-12);
  }
}

// eq. 4.1 and 4.2 written out for one frame
static void the_window_is_the_papers(void **state) {
  (void)state;
  mi_adaptive window;
  mi_adaptive_init(&window, 1, 1);
  double in[] = {0, 1, -1, 2, 0.5, 3, 1}, out = 0;
  for (int f = 0; f < 7; f++) mi_adaptive_next(&window, in + f, &out);
  double most = 0, total = 0, sum = 0;
  for (int l = 1; l <= 5; l++) most = fmax(most, fabs(in[6] - in[6 - l]));
  for (int j = 0; j <= 5; j++) {
    double weight = exp(-j * window.rate * most);
    total += weight;
    sum += weight * in[6 - j];
  }
  assert_near(out, sum / total, 1e-12);
}

static void a_jump_is_followed_at_once(void **state) {
  (void)state;
  mi_adaptive window;
  mi_adaptive_init(&window, 3, 1e-4);
  double out[3];
  for (int f = 0; f < 10; f++) mi_adaptive_next(&window, (double[]){0, 0, 0}, out);
  mi_adaptive_next(&window, (double[]){0.1, 0, 0}, out);
  assert_near(out[0], 0.1, 1e-6);
}

// q and -q are the same rotation: a tracker that changes the sign must not turn the head, and what
// trembles is smoothed as without (a filter that takes the sign for a turn goes to it at once).
static void signs_of_rotations_do_not_matter(void **state) {
  (void)state;
  mi_adaptive window, plain;
  mi_adaptive_init(&window, 4, 0.01);
  mi_adaptive_init(&plain, 4, 0.01);
  for (int f = 0; f < 12; f++) {
    double angle = 1.2 + 0.01 * sin(7.0 * f), sign = f % 2 ? -1 : 1, out[4], wanted[4];
    double q[4] = {0, sin(angle / 2), 0, cos(angle / 2)};
    mi_adaptive_next_rotation(&plain, q, wanted);
    for (int c = 0; c < 4; c++) q[c] *= sign;
    mi_adaptive_next_rotation(&window, q, out);
    double same = 0;
    for (int c = 0; c < 4; c++) same += out[c] * wanted[c];
    assert_near(fabs(same), 1, 1e-12);
    assert_near(2 * atan2(wanted[1], wanted[3]), 1.2, 0.01);
  }
}

static void one_euro_follows_speed(void **state) {
  (void)state;
  mi_one_euro slow, quick;
  mi_one_euro_init(&slow, 1, 0);
  mi_one_euro_init(&quick, 1, 10);
  double a = 0, b = 0;
  for (int f = 0; f < 30; f++) {
    a = mi_one_euro_next(&slow, f * 0.1, 1.0 / 30);
    b = mi_one_euro_next(&quick, f * 0.1, 1.0 / 30);
  }
  assert_true(2.9 - b < 0.1 * (2.9 - a)); // a tenth of the lag
  assert_near(mi_one_euro_next(&quick, 1, 0), 1, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_stands_still_stays),
      cmocka_unit_test(the_window_is_the_papers),
      cmocka_unit_test(a_jump_is_followed_at_once),
      cmocka_unit_test(signs_of_rotations_do_not_matter),
      cmocka_unit_test(one_euro_follows_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
