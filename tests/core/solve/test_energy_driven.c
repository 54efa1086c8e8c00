// What keeps its energy while head and artist move it: neither may pump it up.
#include "scenes/touch.h"
#include "solve/solver.h"
#include "solve/state.h"
#include "solve/uninvert.h"

#include <math.h>

static mien_step_opts opts_of(mien_integrator integrator, int substeps) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 24;
  opts.integrator = integrator;
  opts.substeps = substeps;
  opts.energy_projection = integrator != MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  return opts;
}

static void turn(touch_scene *s, double angle) {
  s->input.head = (mien_rigid){{0, sin(angle / 2), 0, cos(angle / 2)}, {0, 0, 0}};
}

// How far flesh is thrown at most; without damping.
static double most_offset(const mien_step_opts *opts, int nframe, double hertz, bool speaks) {
  touch_scene s = touch_head("press.csv", NULL);
  float *jaw = touch_weight(&s, "jawOpen"), *smile = touch_weight(&s, "mouthSmileLeft");
  double most = 0;
  for (int frame = 0; frame < nframe; frame++) {
    double t = frame / 24.0;
    if (speaks) *jaw = (float)(0.35 * (1 - cos(17 * t))), *smile = (float)(0.5 * (1 - cos(11 * t)));
    turn(&s, 0.25 * fmin(1, t) * sin(2 * acos(-1) * hertz * t));
    touch_step(&s, opts);
    assert_true(touch_is_finite(&s));
    most = fmax(most, mien_state_get_info(s.state)->max_offset);
  }
  touch_free(&s);
  return most;
}

// Three seconds without any damping. Short steps of BDF-2 tell how far such flesh goes; what keeps
// its energy in frames of 1/24 s may go somewhat farther, not ever farther.
static void a_shaken_head_is_not_pumped_up(void **state) {
  (void)state;
  static const struct {
    mien_integrator integrator;
    int substeps;
  } ways[] = {{MIEN_INTEGRATOR_BACKWARD_EULER, 1},
              {MIEN_INTEGRATOR_BACKWARD_EULER, 4},
              {MIEN_INTEGRATOR_BDF2, 1},
              {MIEN_INTEGRATOR_IMPLICIT_MIDPOINT, 4},
              {MIEN_INTEGRATOR_STABILISED_MIDPOINT, 1}};
  mien_step_opts fine = opts_of(MIEN_INTEGRATOR_BDF2, 16);
  fine.energy_projection = 0;
  double reference = most_offset(&fine, 48, 3, false);
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    mien_step_opts opts = opts_of(ways[k].integrator, ways[k].substeps);
    double most = most_offset(&opts, 72, 3, false);
    print_message("integrator %d, %d substeps: %.1f mm, short steps %.1f\n", ways[k].integrator,
                  ways[k].substeps, 1e3 * most, 1e3 * reference);
    assert_true(most < 2 * reference);
    assert_true(most > 0.3 * reference);
  }
}

// A head shaken at 5 Hz without any damping, as the README warns: in long steps flesh resonates
// with it and stays in the face; in substeps of BDF-2 it swings several times too far.
static void what_resonates_stays_in_the_face(void **state) {
  (void)state;
  mien_step_opts fine = opts_of(MIEN_INTEGRATOR_BDF2, 16);
  mien_step_opts euler = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1);
  mien_step_opts bdf2 = opts_of(MIEN_INTEGRATOR_BDF2, 4);
  fine.energy_projection = 0;
  double reference = most_offset(&fine, 48, 5, false);
  double resonates = most_offset(&euler, 72, 5, false), swings = most_offset(&bdf2, 72, 5, false);
  print_message("5 Hz: %.1f mm in short steps, %.1f mm by Euler, %.1f mm by BDF-2 in substeps\n",
                1e3 * reference, 1e3 * resonates, 1e3 * swings);
  assert_true(resonates > 2 * reference && resonates < 0.1);
  assert_true(swings > 3 * reference && swings < 10 * reference);
}

// Flesh that a turning head has set swinging, while the artist makes it speak.
static void speech_puts_no_energy_into_what_swings(void **state) {
  (void)state;
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1);
  double silent = most_offset(&opts, 120, 2, false), spoken = most_offset(&opts, 120, 2, true);
  print_message("swings %.2f mm, and %.2f mm while it speaks\n", 1e3 * silent, 1e3 * spoken);
  assert_true(spoken < 2 * silent);
}

// By less than if inertia alone held it, and to a push along x that grows along y as to the other.
static void flesh_yields_by_the_solvers_matrix(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1);
  for (int frame = 0; frame < 4; frame++) {
    turn(&s, 0.1 * frame);
    touch_step(&s, &opts);
  }
  const mi_solver *solver = s.state->solver;
  const double *compliance = solver->compliance;
  assert_true(solver->has_compliance);
  double free = 0; // if inertia alone held the flesh
  for (int i = 0; i < solver->nvert; i++) free += pow(solver->dt, 4) * (double)solver->inertia[i];
  assert_true(compliance[15] > 0 && compliance[15] < free);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < i; k++) {
      double size = sqrt(compliance[5 * i] * compliance[5 * k]);
      assert_true(size > 0);
      assert_true(fabs(compliance[4 * i + k] - compliance[4 * k + i]) < 2e-3 * size);
      assert_true(fabs(compliance[4 * i + k]) <= size);
    }
  touch_free(&s);
}

static double kinetic(const mien_state *state, double momentum[3]) {
  const float *v = state->dynamics.velocity, *mass = state->face->mass;
  double twice = 0;
  momentum[0] = momentum[1] = momentum[2] = 0;
  for (int i = 0; i < 3 * state->face->info.nvert; i++) {
    twice += (double)(mass[i / 3] * v[i] * v[i]);
    momentum[i % 3] += (double)(mass[i / 3] * v[i]);
  }
  return twice / 2;
}

static float noise(int i, uint32_t kind) {
  return (float)(2 * mi_random_unit(7, (uint32_t)i, kind) - 1);
}

// Skin that is thrown about until flesh is inside out: its corners collide.
static void mending_takes_energy_and_no_momentum(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1);
  touch_step(&s, &opts);
  mi_dynamics *dynamics = &s.state->dynamics;
  for (int i = 0; i < 3 * s.state->face->info.nvert; i++) {
    dynamics->velocity[i] = noise(i, 0);
    if (i < 3 * s.state->face->skin.nvert) dynamics->offset[i] = 0.006f * noise(i, 1);
  }
  double before[3], after[3], had = kinetic(s.state, before);
  mi_uninvert_motion(s.state, true, false);
  double has = kinetic(s.state, after);
  print_message("%d mended, kinetic energy %.4f to %.4f J\n", mien_state_get_info(s.state)->nmended,
                had, has);
  assert_true(mien_state_get_info(s.state)->nmended > 50);
  assert_true(has < 0.99 * had);
  for (int c = 0; c < 3; c++) assert_true(fabs(after[c] - before[c]) < 1e-5 * sqrt(had));
  touch_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flesh_yields_by_the_solvers_matrix),
      cmocka_unit_test(mending_takes_energy_and_no_momentum),
      cmocka_unit_test(a_shaken_head_is_not_pumped_up),
      cmocka_unit_test(what_resonates_stays_in_the_face),
      cmocka_unit_test(speech_puts_no_energy_into_what_swings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
