// Springs between lips: the law by which they break, its chance, and that frame rates do not
// matter.
#include "contact/sticky.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double L0 = 2e-3; // m, the paper's

// -- The law --------------------------------------------------------------------------------------

static void the_law_is_equation_16(void **state) {
  (void)state;
  assert_near(mi_stick_break_probability(L0, L0, 1), 0.1, 1e-12);
  assert_near(mi_stick_break_probability(0, L0, 1), (1 - tanh(2)) / 2, 1e-12); // not never
  double r = (2 - atanh(0.8)) / L0;
  for (int k = 0; k <= 100; k++) {
    double length = 1e-4 * k;
    assert_near(mi_stick_break_probability(length, L0, 1), (1 - tanh(2 - r * length)) / 2, 1e-12);
  }
}

static void longer_springs_break_sooner(void **state) {
  (void)state;
  double before = 0;
  for (int k = 0; k <= 80; k++) {
    double p = mi_stick_break_probability(1e-4 * k, L0, 1);
    assert_true(p > before && p < 1);
    before = p;
  }
  assert_true(mi_stick_break_probability(10 * L0, L0, 1) > 0.999);
}

static void humidity_stretches_the_law(void **state) {
  (void)state;
  for (int k = 0; k <= 20; k++) {
    double length = 2e-4 * k, dry = mi_stick_break_probability(length, L0, 1);
    assert_near(mi_stick_break_probability(2 * length, L0, 2), dry, 1e-12);
    if (k > 0) assert_true(mi_stick_break_probability(length, L0, 2) < dry);
    assert_near(mi_stick_break_probability(3 * length, 3 * L0, 1), dry, 1e-12);
  }
}

// -- Chance ---------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

enum { NDRAW = 20000 };

// Largest distance between the distribution of what was drawn and 1 - exp(-x) (Kolmogorov).
static double distance_from_exponential(float *limit) {
  double most = 0;
  qsort(limit, NDRAW, sizeof *limit, by_size);
  for (int k = 0; k < NDRAW; k++) {
    double expected = 1 - exp(-(double)limit[k]);
    most = fmax(most, fmax(fabs(expected - (double)k / NDRAW), fabs(expected - (k + 1.0) / NDRAW)));
  }
  return most;
}

// Over vertices, over frames and over seeds: none of the three may be a poor source of chance.
static void limits_are_exponential(void **state) {
  (void)state;
  float *limit = malloc(NDRAW * sizeof *limit);
  for (int way = 0; way < 3; way++) {
    double sum = 0, squares = 0;
    for (uint32_t k = 0; k < NDRAW; k++) {
      limit[k] = mi_stick_draw_limit(way == 2 ? k : 7, way == 1 ? k : 40, way == 0 ? k : 3);
      assert_true(limit[k] >= 0 && limit[k] < 40);
      sum += limit[k];
      squares += (double)limit[k] * limit[k];
    }
    double mean = sum / NDRAW, variance = squares / NDRAW - mean * mean;
    assert_near(mean, 1, 5 / sqrt(NDRAW));           // five deviations of a mean of NDRAW
    assert_near(variance, 1, 5 * sqrt(8.0 / NDRAW)); // the fourth moment is 9
    assert_true(distance_from_exponential(limit) < 1.95 / sqrt(NDRAW)); // one in a thousand
  }
  free(limit);
}

static void neighbours_do_not_break_together(void **state) {
  (void)state;
  double product = 0;
  for (uint32_t k = 0; k < NDRAW; k++)
    product += ((double)mi_stick_draw_limit(1, 10, k) - 1) *
               ((double)mi_stick_draw_limit(1, 10, k + 1) - 1);
  assert_near(product / NDRAW, 0, 5 / sqrt(NDRAW));
}

static void chance_is_reproducible_by_seed(void **state) {
  (void)state;
  int same = 0;
  for (uint32_t k = 0; k < 1000; k++) {
    assert_true(mi_stick_draw_limit(5, 9, k) == mi_stick_draw_limit(5, 9, k));
    same += mi_stick_draw_limit(5, 9, k) == mi_stick_draw_limit(6, 9, k);
  }
  assert_int_equal(same, 0);
}

// -- Frames ---------------------------------------------------------------------------------------

static mi_stick fresh(uint32_t vert) {
  mi_stick stick = {.corner = {1, 2, 3}, .coef = {0.2f, 0.3f, 0.5f}};
  stick.limit = mi_stick_draw_limit(11, 0, vert);
  return stick;
}

// s until a spring breaks that is `length` long and grows by `speed` (m / s)
static double time_to_break(uint32_t vert, double length, double speed, double fps) {
  mi_stick stick = fresh(vert);
  for (int frame = 1; frame < 1000000; frame++)
    if (mi_stick_age(&stick, length + speed * frame / fps, L0, 1, 1 / fps)) return frame / fps;
  fail_msg("a spring never breaks");
  return 0;
}

enum { NSPRING = 4000 };
static const double RATES[3] = {25, 60, 120};

// Every single spring breaks at the same moment, to a frame, and so do they in the mean.
static void compare_rates(double length, double speed) {
  double mean[3] = {0};
  for (uint32_t k = 0; k < NSPRING; k++) {
    double time[3];
    for (int r = 0; r < 3; r++) {
      time[r] = time_to_break(k, length, speed, RATES[r]);
      mean[r] += time[r] / NSPRING;
    }
    for (int r = 0; r < 2; r++) assert_near(time[r], time[2], 1 / RATES[r] + 1 / RATES[2] + 1e-9);
  }
  for (int r = 0; r < 2; r++) assert_near(mean[r], mean[2], 0.1 * mean[2]);
}

static void the_frame_rate_does_not_matter(void **state) {
  (void)state;
  compare_rates(L0, 0);
  compare_rates(0.5 * L0, 0);
  compare_rates(0, 0.004); // lips that part at 4 mm / s
}

// A spring of constant length lives 1 / (25 loss) seconds in the mean.
static void the_mean_life_is_that_of_the_law(void **state) {
  (void)state;
  double sum = 0, expected = 1 / (25 * -log1p(-0.1));
  for (uint32_t k = 0; k < NSPRING; k++) sum += time_to_break(k, L0, 0, 1000) / NSPRING;
  assert_near(sum, expected, 5 * expected / sqrt(NSPRING) + 1e-3);
}

// At the paper's 25 frames a second it is the paper's: a number is drawn every frame, and the
// spring breaks when that is below p.
static void at_25_fps_it_is_the_papers(void **state) {
  (void)state;
  int first = 0;
  double frames = 0;
  for (uint32_t k = 0; k < NSPRING; k++) {
    double count = 25 * time_to_break(k, L0, 0, 25);
    first += count < 1.5;
    frames += count / NSPRING;
  }
  assert_near((double)first / NSPRING, 0.1, 5 * sqrt(0.09 / NSPRING));
  assert_near(frames, 10, 5 * sqrt(90.0 / NSPRING)); // geometric: 1 / p, (1 - p) / p^2
}

// A spring that breaks releases its vertex, and the time until it may stick again starts at zero.
static void a_broken_spring_is_none(void **state) {
  (void)state;
  mi_stick stick = fresh(1);
  assert_true(mi_stick_age(&stick, 1, L0, 1, 1)); // a metre: p rounds to 1
  assert_int_equal(stick.corner[0], -1);
  assert_true(stick.time_since_break == 0 && stick.strain == 0);
  mi_stick none = mi_stick_none();
  assert_true(none.corner[0] == -1 &&
              none.time_since_break > 1e5f); // what never stuck may stick at once
  stick = fresh(2);
  stick.limit = 100;
  assert_false(mi_stick_age(&stick, 0, L0, 1, 0.01));
  assert_int_equal(stick.corner[0], 1);
  assert_true(isfinite(stick.strain) && stick.strain > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_law_is_equation_16),
                                     cmocka_unit_test(longer_springs_break_sooner),
                                     cmocka_unit_test(humidity_stretches_the_law),
                                     cmocka_unit_test(limits_are_exponential),
                                     cmocka_unit_test(neighbours_do_not_break_together),
                                     cmocka_unit_test(chance_is_reproducible_by_seed),
                                     cmocka_unit_test(the_frame_rate_does_not_matter),
                                     cmocka_unit_test(the_mean_life_is_that_of_the_law),
                                     cmocka_unit_test(at_25_fps_it_is_the_papers),
                                     cmocka_unit_test(a_broken_spring_is_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
