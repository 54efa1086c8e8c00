// Energy and momenta: kept by projection, kept within a hundredth by stabilised midpoint.
#include "block_scene.h"
#include "scenes/scene.h"
#include "solve/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const block_scene_def CUBE = {
    .size = {0.1, 0.1, 0.1}, .cells = {4, 4, 4}, .stiffness = 8000, .threads = 1};
static const double SPIN[3] = {2, 1, 12};

static block_scene create(const block_scene_def *def) {
  block_scene scene;
  if (block_scene_create(&scene, def) < 0) fail_msg("%s", scene.err.text);
  return scene;
}

static void step(block_scene *scene, const mien_step_opts *opts, const mien_rigid *head) {
  mien_input input;
  mien_input_init(&input);
  if (head) input.head = *head;
  if (mien_step(scene->state, &input, opts, &scene->err) < 0) fail_msg("%s", scene->err.text);
}

static mien_step_opts opts_of(mien_integrator integrator, int projection, double dt) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.integrator = integrator;
  opts.energy_projection = projection;
  opts.dt = dt;
  return opts;
}

static double total(block_scene *scene) {
  block_motion m = block_scene_measure(scene);
  return m.kinetic + m.elastic;
}

// A cube that spins at `spin` about z, stretched by a tenth.
static block_scene create_spinning(const mien_step_opts *opts, double spin) {
  const double axis[3] = {2, 1, spin};
  block_scene scene = create(&CUBE);
  step(&scene, opts, NULL); // so that there is a solver
  mien_state_reset(scene.state);
  block_scene_spin(&scene, axis, 1.1);
  return scene;
}

// At 40 rad/s a step is a fifth of a turn: back to the start would be through the body.
static void projection_keeps_energy_and_momenta(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    mien_step_opts opts = opts_of((mien_integrator)(k % 3), 1, 0.033);
    block_scene scene = create_spinning(&opts, k < 3 ? 12 : 40);
    block_motion start = block_scene_measure(&scene);
    double energy = start.kinetic + start.elastic, worst = 0, turned = 0;
    int steps = 0;
    for (int frame = 0; frame < 200; frame++) { // claim D4 in full goes on to 10,000
      step(&scene, &opts, NULL);
      block_motion now = block_scene_measure(&scene);
      worst = fmax(worst, fabs(now.kinetic + now.elastic - energy) / energy);
      for (int c = 0; c < 3; c++)
        turned = fmax(turned, fabs(now.turning[c] - start.turning[c]) / fabs(start.turning[2]));
      steps += mien_state_get_info(scene.state)->projections;
    }
    print_message("integrator %d: energy %.5f J off by %.2e, turning by %.2e, %.2f steps\n", k % 3,
                  energy, worst, turned, steps / 200.0);
    assert_true(worst < 1e-3);
    assert_true(turned < 1e-3);
    block_scene_free(&scene);
  }
}

static void stabilised_midpoint_keeps_it_within_a_hundredth(void **state) {
  (void)state;
  static const double spins[] = {4, 25, 40};
  for (int k = 0; k < 3; k++) {
    double worst[2] = {0}, blends[2] = {0}; // blends: the most backward, the most forward
    double turned = 0;                      // what is left of the angular momentum, a share
    for (int run = 0; run < 2; run++) {
      mien_step_opts opts = opts_of(
          run ? MIEN_INTEGRATOR_STABILISED_MIDPOINT : MIEN_INTEGRATOR_IMPLICIT_MIDPOINT, 0, 0.033);
      block_scene scene = create_spinning(&opts, spins[k]);
      double energy = total(&scene), turning = block_scene_measure(&scene).turning[2];
      for (int frame = 0; frame < 500; frame++) { // claim D3 in full goes on to 10,000
        step(&scene, &opts, NULL);
        worst[run] = fmax(worst[run], fabs(total(&scene) - energy) / energy);
        blends[0] = fmax(blends[0], mien_state_get_info(scene.state)->blend);
        blends[1] = fmin(blends[1], mien_state_get_info(scene.state)->blend);
      }
      turned = block_scene_measure(&scene).turning[2] / turning;
      block_scene_free(&scene);
    }
    print_message("%.0f rad/s: midpoint off by %.3f, stabilised by %.4f; blends %.3f to %.3f; %.4f "
                  "of the angular momentum left\n",
                  spins[k], worst[0], worst[1], blends[1], blends[0], turned);
    assert_true(worst[1] <= 0.01);
    assert_true(worst[0] > 0.1);
    assert_true(blends[0] > 0 && blends[0] <= 1);
    assert_true(blends[1] >= -1 && (k > 0 || blends[1] < 0)); // some steps lose energy
    // where blends are short it is kept; long ones lose some, BDF-2 four fifths
    assert_true(turned < 1.01 && turned > (k > 0 ? 0.5 : 0.99));
  }
}

// What damping takes is taken out of the energy that is kept, and no more (Dinev, eq. 3.57).
static void damping_takes_what_it_takes_in_short_steps(void **state) {
  (void)state;
  static const mien_integrator kinds[] = {MIEN_INTEGRATOR_IMPLICIT_MIDPOINT,
                                          MIEN_INTEGRATOR_STABILISED_MIDPOINT,
                                          MIEN_INTEGRATOR_BACKWARD_EULER};
  double left[3];
  for (int run = 0; run < 3; run++) {
    mien_step_opts opts = opts_of(kinds[run], run == 2, 1.0 / 30);
    opts.substeps = run ? 1 : 32;
    opts.drag = 0.5;
    block_scene scene = create_spinning(&opts, 12);
    double energy = total(&scene);
    for (int frame = 0; frame < 30; frame++) step(&scene, &opts, NULL);
    left[run] = total(&scene) / energy;
    block_scene_free(&scene);
  }
  print_message("after a second of drag %.4f of the energy, stabilised %.4f, projected %.4f\n",
                left[0], left[1], left[2]);
  assert_true(left[0] < 0.61 && left[0] > 0.36); // exp(-1) of motion, exp(-1/2) of vibration
  assert_near(left[1], left[0], 0.05 * left[0]);
  assert_near(left[2], left[0], 0.15 * left[0]); // it keeps more as vibration, which loses less
}

// Turned half around, and one corner pushed through the body: flesh that hangs on bone would be
// brought back to its pose, which for this one is the other way round.
static void a_free_body_is_not_brought_to_a_pose(void **state) {
  (void)state;
  block_scene scene = create(&CUBE);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 0, 1e-5);
  step(&scene, &opts, NULL);
  mien_state_reset(scene.state);
  mi_dynamics *dynamics = &scene.state->dynamics;
  const mien_face *face = scene.face;
  for (int i = 0; i < 3 * face->info.nvert; i++)
    if (i % 3 < 2 && face->mass[i / 3] > 0) dynamics->offset[i] = -2 * face->rest[i];
  for (int c = 0; c < 3; c++) dynamics->offset[c] += 1.2f * face->rest[c];
  double energy = total(&scene);
  step(&scene, &opts, NULL);
  assert_true(mien_state_get_info(scene.state)->ninverted > 0);
  assert_near(total(&scene), energy, 0.02 * energy);
  block_scene_free(&scene);
}

// Eight iterations are few: what they leave of the centre of mass must not grow from step to step.
static void a_free_body_stays_where_it_spins(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    block_scene scene = create(&CUBE);
    mien_step_opts opts =
        opts_of(k ? MIEN_INTEGRATOR_BDF2 : MIEN_INTEGRATOR_BACKWARD_EULER, 0, 0.033);
    step(&scene, &opts, NULL);
    mien_state_reset(scene.state);
    block_scene_spin(&scene, SPIN, 1.1);
    double energy = total(&scene), mass = 1.1, worst = 0;
    for (int frame = 0; frame < 600; frame++) {
      step(&scene, &opts, NULL);
      block_motion now = block_scene_measure(&scene);
      for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(now.momentum[c]) / mass);
    }
    print_message("integrator %d: after 600 steps it goes at up to %.1e m/s\n", k, worst);
    assert_true(worst < 1e-4);
    assert_true(total(&scene) < energy);
    block_scene_free(&scene);
  }
}

// -- forcing, damping, contact --------------------------------------------------------------------

static mien_rigid shaken(int frame) { // for a second, at 2 Hz
  double phase = 0.5 * (frame < 25 ? frame : 25), a = 0.3 * sin(phase);
  return (mien_rigid){{0, sin(a / 2), 0, cos(a / 2)}, {0.05 * sin(phase), 0, 0}};
}

typedef struct swing {
  double most, left, least_after, most_after; // J
} swing;

// A cube on springs: shaken for a second, then left alone.
static swing shake(block_scene *scene, const mien_step_opts *opts) {
  swing s = {.least_after = INFINITY};
  for (int frame = 0; frame < 150; frame++) {
    mien_rigid head = shaken(frame);
    step(scene, opts, &head);
    double energy = total(scene);
    s.most = fmax(s.most, energy);
    if (frame == 28) s.left = energy;
    if (frame < 28) continue;
    s.least_after = fmin(s.least_after, energy), s.most_after = fmax(s.most_after, energy);
  }
  return s;
}

// Kept once it is left alone, ended by damping alone; and the shorter the steps the nearer is what
// the shaking has left to what it leaves in very short ones.
static void a_shaken_body_swings_on_and_does_not_explode(void **state) {
  (void)state;
  static const mien_integrator kinds[] = {MIEN_INTEGRATOR_BACKWARD_EULER, MIEN_INTEGRATOR_BDF2,
                                          MIEN_INTEGRATOR_STABILISED_MIDPOINT};
  block_scene_def def = CUBE;
  def.attach_stiffness = 4;
  block_scene fine = create(&def);
  mien_step_opts finest = opts_of(MIEN_INTEGRATOR_BDF2, 0, 1.0 / 24);
  finest.substeps = 64;
  swing truth = shake(&fine, &finest);
  print_message("64 substeps: %.4f J while shaken, %.4f J left\n", truth.most, truth.left);
  for (int k = 0; k < 9; k++) {
    block_scene scene = create(&def);
    mien_step_opts opts = opts_of(kinds[k % 3], k % 3 < 2, 1.0 / 24);
    opts.substeps = k < 3 ? 1 : k < 6 ? 4 : 16;
    swing s = shake(&scene, &opts);
    print_message("integrator %d, %2d substeps: %.4f J while shaken, %.4f J left, %.5f to %.5f "
                  "after\n",
                  (int)kinds[k % 3], opts.substeps, s.most, s.left, s.least_after, s.most_after);
    assert_true(s.least_after > 0.97 * s.left && s.most_after < 1.03 * s.left);
    // at 24 steps a second a swing of 4 Hz has six: what is left depends on where one of them falls
    assert_true(s.most < 2 * truth.most);
    if (k >= 6) assert_near(s.left, truth.left, (k < 8 ? 0.5 : 0.1) * truth.left);
    opts.damping = 4, opts.drag = 4; // and only these end it
    mien_rigid still = shaken(1000);
    for (int frame = 0; frame < 24; frame++) step(&scene, &opts, &still);
    assert_true(total(&scene) < 0.1 * s.left);
    block_scene_free(&scene);
  }
  block_scene_free(&fine);
}

static void without_projection_backward_euler_damps(void **state) {
  (void)state;
  block_scene_def def = CUBE;
  def.attach_stiffness = 4;
  block_scene scene = create(&def);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 0, 1.0 / 24);
  double left = 0;
  for (int frame = 0; frame < 100; frame++) {
    mien_rigid head = shaken(frame);
    step(&scene, &opts, &head);
    if (frame == 26) left = total(&scene);
  }
  assert_true(total(&scene) < 0.01 * left);
  block_scene_free(&scene);
}

// gravity is one of the forces: a cube that falls gains what it falls through
static void a_falling_body_gains_what_it_falls_through(void **state) {
  (void)state;
  block_scene scene = create(&CUBE);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1, 1.0 / 24);
  opts.gravity[1] = -9.81;
  for (int frame = 0; frame < 24; frame++) step(&scene, &opts, NULL);
  block_motion m = block_scene_measure(&scene);
  double mass = 1100 * 0.1 * 0.1 * 0.1;
  assert_true(m.centre[1] < -4);
  assert_near(m.kinetic, mass * 9.81 * -m.centre[1], 0.01 * m.kinetic);
  assert_near(m.momentum[1], -mass * 9.81, 0.01 * mass * 9.81);
  block_scene_free(&scene);
}

// More vertices than a chunk of the sums has.
static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  static const int threads[] = {1, 2, 8};
  for (int way = 0; way < 3; way++) {
    uint64_t hash[3];
    for (int run = 0; run < 3; run++) {
      block_scene_def def = {.size = {0.1, 0.1, 0.1}, .cells = {12, 12, 12}, .stiffness = 8000};
      def.threads = threads[run];
      def.attach_stiffness = way == 2 ? 0 : 6;
      block_scene scene = create(&def);
      mien_step_opts opts =
          opts_of(way == 1 ? MIEN_INTEGRATOR_STABILISED_MIDPOINT : MIEN_INTEGRATOR_BACKWARD_EULER,
                  way != 1, 1.0 / 24);
      opts.damping = 1;
      int projections = 0;
      for (int frame = 0; frame < 4; frame++) {
        mien_rigid head = shaken(frame);
        if (way == 2) opts.gravity[1] = -9.81; // nothing holds it
        step(&scene, &opts, &head);
        projections += mien_state_get_info(scene.state)->projections;
      }
      assert_true(projections > 0);
      hash[run] = mien_state_hash(scene.state);
      block_scene_free(&scene);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
  }
}

static void combinations_that_cannot_work_are_refused(void **state) {
  (void)state;
  block_scene scene = create(&CUBE);
  mien_input input;
  mien_input_init(&input);
  for (int k = 0; k < 5; k++) {
    mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1, 1.0 / 24);
    if (k == 0) opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
    if (k == 1) opts.contact = MIEN_CONTACT_BARRIER;
    if (k == 2) opts.energy_projection = 2;
    if (k == 3) opts.rebalance = -0.1;
    if (k == 4) opts.rebalance = 1.5;
    assert_int_equal(mien_step(scene.state, &input, &opts, &scene.err), MIEN_ERR_OPTIONS);
    assert_true(strlen(scene.err.text) > 10);
  }
  block_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection_keeps_energy_and_momenta),
      cmocka_unit_test(stabilised_midpoint_keeps_it_within_a_hundredth),
      cmocka_unit_test(damping_takes_what_it_takes_in_short_steps),
      cmocka_unit_test(a_free_body_is_not_brought_to_a_pose),
      cmocka_unit_test(a_free_body_stays_where_it_spins),
      cmocka_unit_test(a_shaken_body_swings_on_and_does_not_explode),
      cmocka_unit_test(without_projection_backward_euler_damps),
      cmocka_unit_test(a_falling_body_gains_what_it_falls_through),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(combinations_that_cannot_work_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
