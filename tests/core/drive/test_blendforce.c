// Blendforces: nothing at rest, expressions reached, head motion left alone, same bits.
#include "drive/blendforce.h"
#include "scenes/heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct driven {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  float *weights, *pose;
  int nshape, nvert;
} driven;

static void open_driven(driven *d, int threads) {
  mien_error err;
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  d->rig = head_rig();
  d->face = head_face(false);
  assert_true(mien_state_create(d->face, &host, &d->state, &err) >= 0);
  d->nshape = mien_rig_get_info(d->rig)->nshape;
  d->nvert = mien_rig_get_info(d->rig)->nvert;
  d->weights = calloc((size_t)d->nshape, sizeof *d->weights);
  d->pose = calloc(3 * (size_t)d->nvert, sizeof *d->pose);
}

static void close_driven(driven *d) {
  free(d->weights);
  free(d->pose);
  mien_state_free(d->state);
}

static mien_result step(driven *d, double yaw, mien_error *err) {
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 30;
  opts.drive = MIEN_DRIVE_BLENDFORCE;
  input.weights = (mien_f32s){d->weights, d->nshape, 1};
  input.head.rotation[1] = sin(yaw / 2);
  input.head.rotation[3] = cos(yaw / 2);
  return mien_step(d->state, &input, &opts, err);
}

// rms over the skin, m: of the simulated face, and of the neutral, against the pose
static void distances(driven *d, double *left, double *moved) {
  const mien_face_info *face = mien_face_get_info(d->face);
  const float *now = mien_state_get_info(d->state)->positions.data;
  const float *rest = mien_rig_get_info(d->rig)->positions.data;
  mien_rig_pose(d->rig, d->weights, d->nshape, d->pose, NULL);
  *left = *moved = 0;
  for (int i = 0; i < 3 * face->nskin; i++) {
    size_t at = 3 * (size_t)face->skin.data[i / 3] + (size_t)(i % 3);
    *left += pow((double)(now[at] - d->pose[at]), 2);
    *moved += pow((double)(rest[at] - d->pose[at]), 2);
  }
  *left = sqrt(*left / face->nskin);
  *moved = sqrt(*moved / face->nskin);
}

// The largest distance of the last frames, in which the expression is held: it must not tremble.
static double play(driven *d, const char *const *names, int nname, double *moved) {
  double left, most = 0;
  memset(d->weights, 0, (size_t)d->nshape * sizeof *d->weights);
  mien_state_reset(d->state);
  for (int f = 1; f <= 12; f++) {
    for (int k = 0; k < nname; k++)
      d->weights[mien_rig_find_shape(d->rig, names[k])] = (float)fmin(1, f / 6.0);
    assert_true(step(d, 0, NULL) >= 0);
    if (f < 9) continue;
    distances(d, &left, moved);
    most = fmax(most, left);
  }
  return most;
}

// Also where lips roll in and lids shut, where flesh is pressed to a fraction of its size.
static void every_shape_is_held(void **state) {
  (void)state;
  driven d;
  open_driven(&d, 1);
  const mien_rig_info *rig = mien_rig_get_info(d.rig);
  int nheld = 0;
  for (int k = 0; k < d.nshape; k++) {
    double moved, left = play(&d, &rig->shapes[k].name, 1, &moved);
    if (left > 0.01 * moved + 1e-6)
      fail_msg("%s: %.3f of %.3f mm left", rig->shapes[k].name, 1e3 * left, 1e3 * moved);
    nheld += moved > 1e-4;
  }
  assert_true(nheld > 40);
  close_driven(&d);
}

static void expressions_of_several_shapes_are_reached(void **state) {
  (void)state;
  static const char *const smile[] = {"mouthSmileLeft", "mouthSmileRight", "cheekSquintLeft",
                                      "jawOpen"};
  static const char *const kiss[] = {"mouthPucker", "mouthFunnel", "eyeBlinkLeft", "browInnerUp"};
  static const char *const rolled[] = {"mouthRollUpper", "mouthRollLower", "mouthPressLeft",
                                       "mouthPressRight"};
  const char *const *wanted[] = {smile, kiss, rolled};
  static const double share[] = {0.02, 0.04, 0.1}; // both lips rolled in and pressed: crushed
  driven d;
  open_driven(&d, 1);
  for (int k = 0; k < 3; k++) {
    double moved, left = play(&d, wanted[k], 4, &moved);
    print_message("%s ...: %.3f of %.2f mm left\n", wanted[k][0], 1e3 * left, 1e3 * moved);
    assert_true(left < share[k] * moved);
    assert_true(mien_state_get_info(d.state)->marker_error > 0);
  }
  close_driven(&d);
}

static double markers_off(const mi_blendforce *b) {
  double sum = 0;
  for (int m = 0; m < 3 * b->nmarker; m++) {
    size_t at = 4 * (size_t)b->marker[m / 3] + (size_t)(m % 3);
    sum += pow((double)b->x[at] - (double)b->goal[at], 2);
  }
  return sqrt(sum / b->nmarker);
}

// Least squares alone: from the neutral, and the weights are not told.
static void markers_alone_are_reached(void **state) {
  (void)state;
  driven d;
  open_driven(&d, 1);
  d.weights[mien_rig_find_shape(d.rig, "mouthSmileLeft")] = 0.7f;
  assert_true(step(&d, 0, NULL) >= 0);
  mi_solver *solver = d.state->solver;
  mi_blendforce *b = solver->driven;
  memset(b->expected, 0, (size_t)b->nforce * sizeof *b->expected);
  mi_blendforce_gather(solver, b->face->rest, b->x);
  mi_elastic_set_pose(solver->elastic, NULL, 1);
  double before = markers_off(b);
  for (int round = 0; round < 4; round++) {
    mi_blendforce_round(b, solver);
    mi_blendforce_follow(b);
  }
  print_message("markers %.3f mm from where they should be, %.3f mm before\n", 1e3 * markers_off(b),
                1e3 * before);
  assert_true(markers_off(b) < 0.25 * before);
  close_driven(&d);
}

// The control works on a still head's flesh: a shake must reach the driven one.
static void a_shaken_head_still_jiggles(void **state) {
  (void)state;
  driven d;
  open_driven(&d, 1);
  double left, moved, still = 0, most = 0;
  d.weights[mien_rig_find_shape(d.rig, "mouthSmileLeft")] = 0.7f;
  for (int f = 0; f < 50; f++) {
    assert_true(step(&d, f < 25 ? 0 : 0.5 * sin(1.5 * (f - 25)), NULL) >= 0);
    distances(&d, &left, &moved);
    if (f == 24) still = left;
    if (f > 25) most = fmax(most, fabs(left - still));
  }
  assert_true(most > 2e-4); // m
  close_driven(&d);
}

static void threads_and_snapshots_change_nothing(void **state) {
  (void)state;
  uint64_t hash[3];
  for (int run = 0; run < 3; run++) {
    driven d;
    open_driven(&d, run == 1 ? 2 : 1);
    int smile = mien_rig_find_shape(d.rig, "mouthSmileLeft");
    unsigned char *bytes = malloc(mien_state_size(d.state));
    for (int f = 0; f < 8; f++) {
      if (run == 2 && f == 4) { // another performance in between
        assert_true(mien_state_write(d.state, bytes, mien_state_size(d.state), NULL) >= 0);
        d.weights[smile] = 1;
        step(&d, 0.3, NULL);
        assert_true(mien_state_read(d.state, bytes, mien_state_size(d.state), NULL) >= 0);
      }
      d.weights[smile] = 0.1f * (float)f;
      assert_true(step(&d, 0.02 * f, NULL) >= 0);
    }
    hash[run] = mien_state_hash(d.state);
    free(bytes);
    close_driven(&d);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  driven d;
  mien_error err;
  mien_input input;
  mien_step_opts opts;
  open_driven(&d, 1);
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_BLENDFORCE;
  opts.solver = MIEN_SOLVER_GAUSS_SEIDEL;
  assert_int_equal(mien_step(d.state, &input, &opts, &err), MIEN_ERR_OPTIONS);
  opts.solver = MIEN_SOLVER_AUTO;
  opts.control_iterations = 0;
  assert_int_equal(mien_step(d.state, &input, &opts, &err), MIEN_ERR_OPTIONS);
  opts.control_iterations = 2;
  opts.drive = 9;
  assert_int_equal(mien_step(d.state, &input, &opts, &err), MIEN_ERR_OPTIONS);
  close_driven(&d);
}

// E with a force against E without: the gradient differs by the force, the energy by its work.
static void the_energy_has_the_force(void **state) {
  (void)state;
  driven d;
  open_driven(&d, 1);
  d.weights[mien_rig_find_shape(d.rig, "jawOpen")] = 0.3f;
  assert_true(step(&d, 0, NULL) >= 0);
  mi_solver *solver = d.state->solver;
  float *force = solver->force;
  assert_non_null(force);
  mi_energies with, without;
  double work = 0, largest = 0;
  mi_solver_evaluate(solver, solver->x, solver->gradient, &with);
  solver->force = NULL;
  mi_solver_evaluate(solver, solver->x, solver->trial_gradient, &without);
  solver->force = force;
  for (int i = 0; i < 4 * solver->nvert; i++) {
    work += (double)force[i] * (double)(solver->x[i] - solver->anchor[i]);
    largest = fmax(largest, fabs((double)force[i]));
  }
  // elastic forces of many tetrahedra are summed in float, in which the difference is taken
  for (int i = 0; i < 4 * solver->nvert; i++)
    assert_near(solver->gradient[i] - solver->trial_gradient[i], -force[i], 1e-3 * largest);
  assert_true(largest > 1e-4);
  assert_near(with.total - without.total, -work, 1e-6 * (fabs(work) + fabs(without.total)));
  close_driven(&d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_shape_is_held),
      cmocka_unit_test(expressions_of_several_shapes_are_reached),
      cmocka_unit_test(markers_alone_are_reached),
      cmocka_unit_test(a_shaken_head_still_jiggles),
      cmocka_unit_test(threads_and_snapshots_change_nothing),
      cmocka_unit_test(what_does_not_fit_is_refused),
      cmocka_unit_test(the_energy_has_the_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
