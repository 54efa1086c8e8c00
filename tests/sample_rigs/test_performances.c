#include "performances/performances.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const performance_kind HEAD_ONLY[] = {PERFORMANCE_SHAKE, PERFORMANCE_RUN, PERFORMANCE_JUMP,
                                             PERFORMANCE_STILL};
enum { NHEAD_ONLY = sizeof HEAD_ONLY / sizeof HEAD_ONLY[0] };

static float weight(const performance *take, int frame, int channel) {
  return take->weight[(size_t)frame * (size_t)take->def.nchannel + (size_t)channel];
}

static int find_channel(const performance *take, const char *name) {
  for (int c = 0; c < take->def.nchannel; c++) {
    if (strcmp(take->def.channels[c], name) == 0) return c;
  }
  fail_msg("no channel %s", name);
  return -1;
}

static double peak_speed(const performance *take, int channel) {
  double peak = 0.0;
  for (int f = 1; f < take->def.nframe; f++)
    peak = fmax(peak, 60.0 * fabs((double)weight(take, f, channel) - weight(take, f - 1, channel)));
  return peak;
}

static void all_takes_are_sound(void **state) {
  (void)state;
  for (int kind = 0; kind < PERFORMANCE_COUNT; kind++) {
    performance take;
    assert_int_equal(performance_create(&take, (performance_kind)kind), 0);
    const mien_take_def *def = &take.def;
    for (int f = 0; f < def->nframe; f++) {
      assert_true(fabs(def->times[f] - f / 60.0) < 1e-12);
      for (int c = 0; c < def->nchannel; c++)
        assert_true(weight(&take, f, c) >= 0.0f && weight(&take, f, c) <= 1.0f);
      const double *q = def->head[f].rotation;
      assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1.0) < 1e-12);
    }
    // Neutral first and last.
    for (int c = 0; c < def->nchannel; c++) {
      assert_true(weight(&take, 0, c) < 1e-6f);
      assert_true(weight(&take, def->nframe - 1, c) < 1e-6f);
    }
    mien_take *made = NULL;
    assert_int_equal(mien_take_create(def, NULL, &made, NULL), MIEN_OK);
    mien_take_free(made);
    performance_free(&take);
  }
  performance none;
  assert_int_equal(performance_create(&none, PERFORMANCE_COUNT), -1);
}

static double second_difference(const double *before, const double *now, const double *after,
                                int k) {
  return fabs(after[k] - 2.0 * now[k] + before[k]);
}

static void heads_start_and_end_at_rest(void **state) {
  (void)state;
  for (int kind = 0; kind < PERFORMANCE_COUNT; kind++) {
    performance take;
    assert_int_equal(performance_create(&take, (performance_kind)kind), 0);
    const mien_rigid *head = take.def.head;
    const int last = take.def.nframe - 1;
    for (int i = 0; i < 2; i++) { // no pose, and hardly any speed over the first and last frames
      const mien_rigid *edge = &head[i == 0 ? 0 : last], *next = &head[i == 0 ? 1 : last - 1];
      for (int k = 0; k < 3; k++) {
        assert_true(fabs(edge->translation[k]) < 1e-9 && fabs(edge->rotation[k]) < 1e-9);
        assert_true(fabs(next->translation[k]) < 1e-5 && fabs(next->rotation[k]) < 1e-4);
      }
    }
    performance_free(&take);
  }
}

static void head_motions_are_smooth_and_lively(void **state) {
  (void)state;
  // Largest acceleration (m/s^2) and least travel (m, rad) of each motion.
  static const double MOST[NHEAD_ONLY] = {8.0, 15.0, 40.0, 0.0};
  static const double TRAVEL[NHEAD_ONLY] = {0.01, 0.038, 0.25, 0.0};
  for (int i = 0; i < NHEAD_ONLY; i++) {
    performance take;
    assert_int_equal(performance_create(&take, HEAD_ONLY[i]), 0);
    assert_int_equal(take.def.nchannel, 0);
    double travel = 0.0;
    for (int f = 2; f < take.def.nframe; f++) {
      const mien_rigid *h = &take.def.head[f];
      for (int k = 0; k < 3; k++) {
        double bend = second_difference(h[-2].translation, h[-1].translation, h[0].translation, k);
        assert_true(bend * 3600.0 <= MOST[i]);
        assert_true(second_difference(h[-2].rotation, h[-1].rotation, h[0].rotation, k) < 0.03);
        travel = fmax(travel, fabs(h->translation[k]));
      }
    }
    assert_true(travel >= TRAVEL[i]);
    performance_free(&take);
  }
}

// Between take-off and landing the head falls freely.
static void jump_flies(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_JUMP), 0);
  int free_fall = 0;
  for (int f = 2; f < take.def.nframe; f++) {
    const mien_rigid *h = &take.def.head[f];
    double a = 3600.0 * (h[0].translation[1] - 2.0 * h[-1].translation[1] + h[-2].translation[1]);
    free_fall += fabs(a + 9.81) < 1e-3;
  }
  assert_in_range(free_fall, 24, 30);
  performance_free(&take);
}

// A runner's head crosses its mean height twice per step.
static void run_has_a_runners_cadence(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_RUN), 0);
  int crossings = 0;
  for (int f = 121; f <= 360; f++) {
    double before = take.def.head[f - 1].translation[1], now = take.def.head[f].translation[1];
    crossings += (before < 0.0) != (now < 0.0);
  }
  assert_in_range(crossings, 21, 24); // 4 s at 2.8 steps a second
  performance_free(&take);
}

// -- The phrase -----------------------------------------------------------------------------------

static void lips_close_on_p_b_m(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_PHRASE), 0);
  int jaw = find_channel(&take, "jawOpen"), close = find_channel(&take, "mouthClose");
  int seals = 0, was_sealed = 0, opens = 0, was_open = 0;
  for (int f = 0; f < take.def.nframe; f++) {
    float j = weight(&take, f, jaw), c = weight(&take, f, close);
    assert_true(c <= j + 1e-6f); // never further than closed
    int is_sealed = j > 0.05f && c > 0.97f * j, is_open = j - c > 0.15f;
    seals += is_sealed && !was_sealed;
    opens += is_open && !was_open;
    was_sealed = is_sealed, was_open = is_open;
  }
  assert_true(seals >= 12);
  assert_true(opens >= 8);
  performance_free(&take);
}

// Ranges and speeds like those of captured speech: the jaw below 8 per second, no shape faster than
// a blink, several shapes at once.
static void phrase_moves_like_speech(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_PHRASE), 0);
  int jaw = find_channel(&take, "jawOpen");
  double widest = 0.0, active = 0.0;
  for (int f = 0; f < take.def.nframe; f++) {
    widest = fmax(widest, weight(&take, f, jaw));
    if (f < 60 || f >= 400) continue;
    for (int c = 0; c < take.def.nchannel; c++) {
      int is_mouth = strncmp(take.def.channels[c], "mouth", 5) == 0 || c == jaw;
      active += is_mouth && weight(&take, f, c) > 0.1f ? 1.0 / 340.0 : 0.0;
    }
  }
  assert_true(widest > 0.35 && widest < 0.7);
  assert_true(peak_speed(&take, jaw) > 2.0 && peak_speed(&take, jaw) < 8.0);
  assert_true(active > 4.0 && active < 10.0);
  for (int c = 0; c < take.def.nchannel; c++) {
    int is_blink = strncmp(take.def.channels[c], "eyeBlink", 8) == 0;
    assert_true(peak_speed(&take, c) < (is_blink ? 20.0 : 12.0));
    for (int f = 2; f < take.def.nframe; f++) {
      double bend =
          (double)weight(&take, f, c) - 2.0 * weight(&take, f - 1, c) + weight(&take, f - 2, c);
      assert_true(fabs(bend) < 0.17);
    }
  }
  performance_free(&take);
}

static void sides_differ_a_little(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_PHRASE), 0);
  int left = find_channel(&take, "mouthLowerDownLeft"),
      right = find_channel(&take, "mouthLowerDownRight");
  double difference = 0.0, size = 0.0;
  for (int f = 0; f < take.def.nframe; f++) {
    difference += fabs((double)weight(&take, f, left) - weight(&take, f, right));
    size += weight(&take, f, left);
  }
  assert_true(difference > 0.02 * size && difference < 0.3 * size);
  performance_free(&take);
}

// -- The reel -------------------------------------------------------------------------------------

static void reel_shows_every_shape(void **state) {
  (void)state;
  performance take;
  assert_int_equal(performance_create(&take, PERFORMANCE_REEL), 0);
  assert_int_equal(take.def.nchannel, 52);
  int jaw = find_channel(&take, "jawOpen"), close = find_channel(&take, "mouthClose");
  for (int c = 0; c < take.def.nchannel; c++) {
    float most = 0.0f;
    for (int f = 0; f < take.def.nframe; f++) most = fmaxf(most, weight(&take, f, c));
    assert_true(most > 0.99f);
    assert_true(peak_speed(&take, c) < 8.0);
    for (int d = 0; d < c; d++) assert_string_not_equal(take.def.channels[c], take.def.channels[d]);
  }
  for (int f = 0; f < take.def.nframe; f++)
    assert_true(weight(&take, f, close) <= weight(&take, f, jaw) + 1e-6f);
  performance_free(&take);
}

// -- Pressed lips ---------------------------------------------------------------------------------

// Open, pressed and held for half a second, open again so slowly that lips can peel.
static void pressed_lips_are_held_and_open_slowly(void **state) {
  (void)state;
  for (int kind = PERFORMANCE_PRESS; kind <= PERFORMANCE_KISS; kind++) {
    performance take;
    assert_int_equal(performance_create(&take, (performance_kind)kind), 0);
    int jaw = find_channel(&take, "jawOpen"), close = find_channel(&take, "mouthClose");
    int last = take.def.nframe - 1, held = 0, pressed = 0, opened = 0;
    for (int f = 0; f <= last; f++) {
      // more closing than the jaw gives room for: that is what drives plain lips through each other
      bool presses = weight(&take, f, close) > weight(&take, f, jaw) + 0.05f;
      if (presses && !pressed) pressed = f;
      held += presses;
      if (pressed && !presses && weight(&take, f, jaw) > 0.38f) opened = f;
      for (int k = 0; k < 3; k++) assert_true(take.def.head[f].translation[k] == 0.0);
    }
    assert_true(pressed > 30 && held > 48 && opened > pressed + held);
    float most = 0;
    for (int f = 0; f < pressed; f++) most = fmaxf(most, weight(&take, f, jaw));
    assert_true(most > 0.3f);
    for (int f = pressed; f < opened; f++)
      assert_true(60.0 * ((double)weight(&take, f + 1, jaw) - weight(&take, f, jaw)) < 0.9);
    performance_free(&take);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_takes_are_sound),
      cmocka_unit_test(heads_start_and_end_at_rest),
      cmocka_unit_test(head_motions_are_smooth_and_lively),
      cmocka_unit_test(jump_flies),
      cmocka_unit_test(run_has_a_runners_cadence),
      cmocka_unit_test(lips_close_on_p_b_m),
      cmocka_unit_test(phrase_moves_like_speech),
      cmocka_unit_test(sides_differ_a_little),
      cmocka_unit_test(reel_shows_every_shape),
      cmocka_unit_test(pressed_lips_are_held_and_open_slowly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
