// The bound alone: whatever trial it is given, what it lets through crosses nowhere. Trials here
// are far worse than those of a descent: noise, lips driven through each other, both at once.
#include "scenes/touch.h"

#include "math/vec.h"
#include "solve/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRESSED = 30, ROUNDS = 12 }; // frames until lips press; trials, each from the last one

static float noise(uint32_t round, uint32_t i) {
  return 2 * (float)mi_random_unit(31, round, i) - 1;
}

// A head that presses its lips: its surface is at x_free, the flesh at the solver's x.
static touch_scene open_pressed(void) {
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = touch_options(&touch_planes, 60);
  for (int frame = 0; frame < PRESSED; frame++) {
    touch_pose(&s, 0.5 + frame / 60.0);
    touch_step(&s, &opts);
  }
  assert_true(s.state->contacts->nrow > 0);
  mi_contacts_read(s.state, s.state->solver->x, s.state->contacts->x_trial);
  assert_memory_equal(s.state->contacts->x_trial, s.state->contacts->x_free,
                      3 * (size_t)s.state->contacts->nsoft * sizeof(float));
  return s;
}

// trial = x + noise, and lips further on by `push`, m, along the way that rows hold them apart.
static void spoil(const mien_state *state, uint32_t round, float much, float push, float *trial) {
  const mi_contacts *c = state->contacts;
  const mi_solver *solver = state->solver;
  memcpy(trial, solver->x, 4 * (size_t)solver->nvert * sizeof *trial);
  for (int i = 0; i < 4 * solver->nvert; i++)
    if (i % 4 < 3) trial[i] += much * noise(round, (uint32_t)i);
  for (int r = 0; r < c->nrow; r++)
    for (int j = 0; j < 4 && c->row[r].vert[j] >= 0; j++)
      for (int k = 0; k < 3; k++)
        trial[4 * (size_t)c->row[r].vert[j] + (size_t)k] -=
            push * c->row[r].coef[j] * c->row[r].normal[k];
}

// Colliders are to go anywhere around where they are: skin between them has no way out.
static void shake_colliders(const mien_state *state, uint32_t round, float much) {
  const mi_contacts *c = state->contacts;
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++)
    c->pose[i] = c->x_free[i] + much * noise(round + 1000, (uint32_t)i);
}

static int64_t crossings_of(mien_state *state, const float *trial) {
  mi_contacts *c = state->contacts;
  float *at = malloc(3 * (size_t)c->nvert * sizeof *at);
  assert_non_null(at);
  memcpy(at, c->x_trial, 3 * (size_t)c->nvert * sizeof *at); // colliders
  mi_contacts_read(state, trial, at);
  int64_t count = mi_contacts_cross(c, at, 1, NULL);
  free(at);
  return count;
}

static int check_bound(float much, float push, float rigid) {
  touch_scene s = open_pressed();
  mien_state *state = s.state;
  state->info.nlimited = 0;
  mi_solver *solver = state->solver;
  size_t size = 4 * (size_t)solver->nvert * sizeof(float);
  int64_t nspoiled = 0;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    spoil(state, round, much, push, solver->trial);
    shake_colliders(state, round, rigid);
    nspoiled += crossings_of(state, solver->trial);
    assert_true(mi_contacts_bound(state, solver->x, solver->trial) > 0);
    int64_t left = crossings_of(state, solver->trial);
    if (left)
      fail_msg("noise %g m, push %g m: %d pairs cross", (double)much, (double)push, (int)left);
    mi_contacts_accept(state->contacts);
    memcpy(solver->x, solver->trial, size);
  }
  assert_true(nspoiled > 100); // trials did cross
  int nslowed = state->info.nlimited;
  touch_free(&s);
  return nslowed;
}

static void noise_crosses_nothing(void **state) {
  (void)state;
  check_bound(2e-4f, 0, 0);
  check_bound(2e-3f, 0, 0);
}

static void lips_driven_together_cross_nothing(void **state) {
  (void)state;
  check_bound(0, 1e-3f, 0);
  check_bound(0, 8e-3f, 0);
}

static void a_mess_crosses_nothing(void **state) {
  (void)state;
  check_bound(1e-2f, 5e-3f, 0);
}

// Where planes cannot part everything, the way is made shorter.
static void skin_between_colliders_is_slowed_down(void **state) {
  (void)state;
  int nslowed = check_bound(1e-3f, 0, 3e-3f);
  assert_true(nslowed > 0);
}

// What is free already goes its whole way.
static void a_free_trial_is_left_alone(void **state) {
  (void)state;
  touch_scene s = open_pressed();
  mi_solver *solver = s.state->solver;
  size_t size = 4 * (size_t)solver->nvert * sizeof(float);
  memcpy(solver->trial, solver->x, size);
  assert_int_equal(mi_contacts_bound(s.state, solver->x, solver->trial), 0);
  assert_memory_equal(solver->trial, solver->x, size);
  touch_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_crosses_nothing),
      cmocka_unit_test(lips_driven_together_cross_nothing),
      cmocka_unit_test(a_mess_crosses_nothing),
      cmocka_unit_test(skin_between_colliders_is_slowed_down),
      cmocka_unit_test(a_free_trial_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
