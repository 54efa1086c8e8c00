// The dynamic step: the artist's contract, physics that can be computed by hand, robustness, bits.
#include "scenes/scene.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RINGS = 16, SECTORS = 20, NVERT = (RINGS - 1) * SECTORS + 2 };

// A ball of flesh over bone everywhere, held by `attachment`, with a shape that lifts its top.
static scene_flesh build(float attachment, const mien_host *host) {
  scene_mesh mesh = scene_sphere(RINGS, SECTORS, 0.1);
  static float up[3 * NVERT], held[NVERT];
  for (int i = 0; i < NVERT; i++) {
    float y = mesh.position[3 * i + 1];
    up[3 * i + 1] = y > 0 ? 0.2f * y : 0;
    held[i] = attachment;
  }
  const mien_shape shape = {"up", {NULL, 0}, {up, NVERT, 3}};
  const mien_map map = {"attachment", 1, {held, NVERT, 1}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = &shape;
  def.nshape = 1;
  def.maps = &map;
  def.nmap = 1;
  return scene_flesh_create(mesh, &def, host);
}

static void step(scene_flesh *f, float weight, mien_rigid head, const mien_step_opts *opts) {
  mien_input input;
  mien_error err;
  mien_input_init(&input);
  input.weights = (mien_f32s){&weight, 1, 1};
  input.head = head;
  if (mien_step(f->state, &input, opts, &err) < 0) fail_msg("%s", err.text);
}

static mien_rigid at(double x, double y, double z) {
  return (mien_rigid){{0, 0, 0, 1}, {x, y, z}};
}

static bool is_finite(const mien_state *state) {
  const mien_state_info *info = mien_state_get_info(state);
  for (int i = 0; i < 3 * info->flesh.count; i++)
    if (!isfinite(info->flesh.data[i])) return false;
  return isfinite(info->energy);
}

static const mien_solver solvers[] = {MIEN_SOLVER_AUTO, MIEN_SOLVER_GAUSS_SEIDEL};

static void without_motion_it_is_the_artists_animation(void **state) {
  (void)state;
  for (int s = 0; s < 2; s++) {
    scene_flesh f = build(0.3f, NULL);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.solver = solvers[s];
    float posed[3 * NVERT];
    for (int frame = 0; frame < 30; frame++) {
      float weight = 0.5f + 0.5f * sinf((float)frame);
      step(&f, weight, at(3, -2, 1), &opts);
      mien_rig_pose(f.rig, &weight, 1, posed, NULL);
      assert_memory_equal(mien_state_get_info(f.state)->positions.data, posed, sizeof posed);
    }
    scene_flesh_free(&f);
  }
}

// The first step has nothing to come from: no jump of the head from the origin, none of the pose
// from the neutral. The second one feels what the head does.
static void the_first_step_is_the_artists_pose(void **state) {
  (void)state;
  scene_flesh f = build(0.3f, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.rebalance = 0;
  float weight = 0.7f, posed[3 * NVERT];
  mien_rig_pose(f.rig, &weight, 1, posed, NULL);
  mien_rigid head = {{0, sin(0.4), 0, cos(0.4)}, {5, 0, 0}};
  for (int run = 0; run < 2; run++) {
    opts.substeps = run ? 3 : 1;
    step(&f, weight, head, &opts);
    const mien_state_info *info = mien_state_get_info(f.state);
    assert_memory_equal(info->positions.data, posed, sizeof posed);
    assert_true(info->max_offset == 0);
    assert_int_equal(info->nstep, 1);
    assert_near(info->time, opts.dt, 1e-12);
    mien_rigid moved = head;
    moved.translation[1] = 0.01;
    step(&f, weight, moved, &opts);
    assert_true(info->max_offset > 1e-4);
    mien_state_reset(f.state);
  }
  scene_flesh_free(&f);
}

static void flesh_lags_behind_the_head_and_comes_back(void **state) {
  (void)state;
  for (int s = 0; s < 2; s++) {
    scene_flesh f = build(0.15f, NULL);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.solver = solvers[s];
    opts.iterations = 30;
    for (int frame = 0; frame < 4; frame++) step(&f, 0, at(0.005 * frame * frame, 0, 0), &opts);
    const mien_state_info *info = mien_state_get_info(f.state);
    assert_true(info->max_offset > 1e-4);
    double mean = 0;
    for (int i = 0; i < NVERT; i++) mean += info->positions.data[3 * i] - f.mesh.position[3 * i];
    assert_true(mean < 0); // behind a head that moves to +x
    assert_true(info->energy <= info->energy_start);
    for (int frame = 0; frame < 100; frame++) step(&f, 0, at(0.045, 0, 0), &opts);
    assert_true(mien_state_get_info(f.state)->max_offset < 2e-5);
    scene_flesh_free(&f);
  }
}

// A head that moves evenly carries its flesh along without any force.
static void even_motion_is_rest(void **state) {
  (void)state;
  scene_flesh f = build(0.5f, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.iterations = 40;
  for (int frame = 0; frame < 120; frame++) step(&f, 0, at(0.02 * frame, 0, 0), &opts);
  assert_true(mien_state_get_info(f.state)->max_offset < 1e-4);
  scene_flesh_free(&f);
}

// Held like a mass on a spring of 50 Hz * attachment, a body sinks by g / omega^2.
static void gravity_pulls_as_far_as_the_springs_allow(void **state) {
  (void)state;
  scene_flesh f = build(0.1f, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.iterations = 60;
  opts.gravity[1] = -9.81;
  for (int frame = 0; frame < 200; frame++) step(&f, 0, at(0, 0, 0), &opts);
  const mien_state_info *info = mien_state_get_info(f.state);
  double sag = 0, omega = 2 * 3.14159265 * 50 * 0.1;
  const mien_face_info *face = mien_face_get_info(f.face);
  double mass = 0;
  for (int i = NVERT; i < 2 * NVERT; i++) { // force balance: sum hold * sag = total weight
    double held = face->masses.data[i] + face->masses.data[i - NVERT];
    sag += held * (info->flesh.data[3 * i + 1] - face->positions.data[3 * i + 1]);
    mass += held;
  }
  assert_near(sag / mass, -9.81 / (omega * omega), 0.02 * 9.81 / (omega * omega));
  scene_flesh_free(&f);
}

// Half as fast: what physics does in a frame is what it does in half of one.
static void slower_time_is_a_shorter_step(void **state) {
  (void)state;
  scene_flesh f[2];
  for (int run = 0; run < 2; run++) {
    f[run] = build(0.3f, NULL);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.dt = run ? 1.0 / 48 : 1.0 / 24;
    opts.time_scale = run ? 1 : 0.5;
    for (int frame = 0; frame < 6; frame++)
      step(f + run, 0, at(0.004 * frame * frame, 0, 0), &opts);
  }
  const mien_state_info *slow = mien_state_get_info(f[0].state);
  const mien_state_info *quick = mien_state_get_info(f[1].state);
  assert_true(slow->max_offset > 1e-4);
  assert_near(slow->time, 2 * quick->time, 1e-12); // the animation's own clock
  assert_memory_equal(slow->flesh.data, quick->flesh.data, 6 * NVERT * sizeof(float));
  for (int run = 0; run < 2; run++) scene_flesh_free(f + run);
}

static void extreme_input_stays_finite_and_recovers(void **state) {
  (void)state;
  for (int s = 0; s < 2; s++) {
    scene_flesh f = build(0.5f, NULL);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.solver = solvers[s];
    for (int frame = 0; frame < 12; frame++) { // teleports, 1000 g, wild weights, turned over
      mien_rigid head = at(frame % 2 ? 5 : -5, frame % 3, 0);
      if (frame % 4 == 3) head.rotation[0] = 1, head.rotation[3] = 0;
      step(&f, frame % 2 ? 10.f : -10.f, head, &opts);
      assert_true(is_finite(f.state));
    }
    opts.dt = 3600;
    step(&f, 0, at(0, 0, 0), &opts);
    opts.dt = 1.0 / 24;
    opts.iterations = 50;
    for (int frame = 0; frame < 150; frame++) step(&f, 0, at(0, 0, 0), &opts);
    assert_true(is_finite(f.state));
    assert_true(mien_state_get_info(f.state)->max_offset < 1e-3);
    assert_int_equal(mien_state_get_info(f.state)->ninverted, 0);
    scene_flesh_free(&f);
  }
}

// m, of the flesh from its place at rest
static double farthest_from_rest(const scene_flesh *f) {
  const float *now = mien_state_get_info(f->state)->flesh.data;
  const float *rest = mien_face_get_info(f->face)->positions.data;
  double most = 0;
  for (int i = 0; i < 2 * NVERT; i++) {
    double d2 = 0;
    for (int k = 0; k < 3; k++) d2 += pow((double)now[3 * i + k] - (double)rest[3 * i + k], 2);
    most = fmax(most, sqrt(d2));
  }
  return most;
}

// A snapshot with every vertex thrown about, flattened or turned inside out. Flesh is hardly
// attached and iterations are few: it has to find back by itself.
static void a_ruined_state_comes_back(void **state) {
  (void)state;
  static const double ruined_by[] = {0.05, 0.05, 0.1}; // m, at least
  scene_flesh f = build(0.01f, NULL);
  size_t size = mien_state_size(f.state), nflesh = 3 * 2 * (size_t)NVERT;
  unsigned char *bytes = malloc(size);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.iterations = 8;
  const mien_face_info *face = mien_face_get_info(f.face);
  for (int kind = 0; kind < 3; kind++) {
    mien_state_reset(f.state);
    step(&f, 0, at(0, 0, 0), &opts); // the first step of a state would forget it all
    float *offset = f.state->dynamics.offset;
    for (size_t i = 0; i < nflesh; i++) {
      float rest = face->positions.data[i];
      if (kind == 0) offset[i] = 0.1f * (float)(rand() % 2001 - 1000) / 1000;
      if (kind == 1 && i % 3 == 2) offset[i] = -rest;
      if (kind == 2) offset[i] = -2 * rest;
    }
    assert_int_equal(mien_state_write(f.state, bytes, size, NULL), MIEN_OK);
    mien_state_reset(f.state);
    assert_int_equal(mien_state_read(f.state, bytes, size, NULL), MIEN_OK);
    assert_true(farthest_from_rest(&f) > ruined_by[kind]);
    for (int frame = 0; frame < 200; frame++) {
      step(&f, 0, at(0, 0, 0), &opts);
      assert_true(is_finite(f.state));
    }
    assert_true(mien_state_get_info(f.state)->max_offset < 2e-3);
    assert_int_equal(mien_state_get_info(f.state)->ninverted, 0);
  }
  free(bytes);
  scene_flesh_free(&f);
}

// What the table of parameters allows can be saved and restored.
static void a_state_of_the_longest_step_is_restored(void **state) {
  (void)state;
  scene_flesh f = build(0.5f, NULL);
  size_t size = mien_state_size(f.state);
  unsigned char *bytes = malloc(size);
  mien_step_opts opts;
  mien_error err = {0};
  mien_step_opts_init(&opts);
  opts.dt = 3600;
  opts.time_scale = 100;
  for (int frame = 0; frame < 3; frame++) {
    step(&f, 0.2f * (float)frame, at(0.01 * frame, 0, 0), &opts);
    uint64_t hash = mien_state_hash(f.state);
    assert_int_equal(mien_state_write(f.state, bytes, size, NULL), MIEN_OK);
    if (mien_state_read(f.state, bytes, size, &err) != MIEN_OK) fail_msg("%s", err.text);
    assert_true(mien_state_hash(f.state) == hash);
  }
  free(bytes);
  scene_flesh_free(&f);
}

static uint64_t run(int threads, mien_solver solver, int restore_at) {
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  scene_flesh f = build(0.2f, &host);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.solver = solver;
  for (int frame = 0; frame < 10; frame++) {
    if (frame == restore_at) { // into a state that never stepped before
      size_t size = mien_state_size(f.state);
      void *bytes = malloc(size);
      mien_state_write(f.state, bytes, size, NULL);
      mien_state_free(f.state);
      assert_int_equal(mien_state_create(f.face, &host, &f.state, NULL), MIEN_OK);
      assert_int_equal(mien_state_read(f.state, bytes, size, NULL), MIEN_OK);
      free(bytes);
    }
    step(&f, 0.1f * (float)frame, at(0.01 * frame * frame, 0, 0), &opts);
  }
  uint64_t hash = mien_state_hash(f.state);
  scene_flesh_free(&f);
  return hash;
}

static void same_bits_for_any_threads_and_after_restoring(void **state) {
  (void)state;
  for (int s = 0; s < 2; s++) {
    uint64_t first = run(1, solvers[s], -1);
    assert_true(run(1, solvers[s], -1) == first);
    assert_true(run(2, solvers[s], -1) == first);
    assert_true(run(8, solvers[s], -1) == first);
    assert_true(run(32, solvers[s], 5) == first);
  }
}

static void steps_allocate_nothing_after_the_first(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  for (int s = 0; s < 2; s++) {
    scene_flesh f = build(0.2f, &host);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    opts.solver = solvers[s];
    step(&f, 0, at(0.01, 0, 0), &opts);
    int before = memory.nalloc;
    for (int frame = 0; frame < 5; frame++) step(&f, 0.3f, at(0.1 * frame, 0, 0), &opts);
    assert_int_equal(memory.nalloc, before);
    scene_flesh_free(&f);
    assert_int_equal(memory.live, 0);
  }
}

static void a_time_budget_is_kept_and_said(void **state) {
  (void)state;
  scene_flesh f = build(0.2f, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.iterations = 1000;
  opts.time_budget = 1e-9;
  step(&f, 0, at(0, 0, 0), &opts); // the first step has no motion to feel
  step(&f, 0, at(0.05, 0, 0), &opts);
  const mien_state_info *info = mien_state_get_info(f.state);
  assert_true(info->budget_used_up);
  assert_in_range(info->iterations, 1, 2);
  scene_flesh_free(&f);
}

// Shaken so that the first step of a line search is too long now and then: late or not, the search
// goes on until flesh has moved. So a late step is one of a single iteration, and of a single round
// of rebalancing if it comes after one that was not.
static void a_late_step_still_moves(void **state) {
  (void)state;
  scene_flesh late = build(0.05f, NULL), one = build(0.05f, NULL);
  const mien_state_info *info = mien_state_get_info(late.state);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  int nlong = 0;
  for (int frame = 0; frame < 20; frame++) {
    double aside = frame / 2 % 2, turn = 1.6 * aside;
    mien_rigid head = {{0, sin(turn), 0, cos(turn)}, {0.4 * aside, 0, 0}};
    bool is_late = frame % 2 && frame > 1; // the first ones are still
    opts.iterations = 1;
    opts.time_budget = 0;
    step(&one, 0.5f * (float)(frame % 3), head, &opts);
    opts.iterations = is_late ? 1000 : 1;
    opts.time_budget = is_late ? 1e-9 : 0;
    step(&late, 0.5f * (float)(frame % 3), head, &opts);
    nlong += info->line_search_steps > 1;
    assert_int_equal(info->iterations, frame > 1);
    assert_int_equal(info->budget_used_up, is_late);
    assert_true(mien_state_hash(late.state) == mien_state_hash(one.state));
  }
  assert_true(nlong > 0);
  scene_flesh_free(&late);
  scene_flesh_free(&one);
}

// A step over its budget makes fewer iterations of the same algorithm, nothing else.
static void late_steps_make_fewer_iterations(void **state) {
  (void)state;
  scene_flesh late = build(0.05f, NULL), one = build(0.05f, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  for (int frame = 0; frame < 8; frame++) {
    mien_rigid head = at(0.01 * (frame % 2), 0, 0);
    opts.iterations = 1;
    opts.time_budget = 0;
    step(&one, 0.1f * (float)frame, head, &opts);
    opts.iterations = 1000;
    opts.time_budget = 1e-9;
    step(&late, 0.1f * (float)frame, head, &opts);
    assert_true(mien_state_hash(late.state) == mien_state_hash(one.state));
  }
  assert_true(mien_state_get_info(one.state)->max_offset > 1e-5);
  scene_flesh_free(&late);
  scene_flesh_free(&one);
}

// What states share comes from the face's host. The last step has another span.
static mien_result step_once(const mien_host *host, void *user) {
  scene_flesh *f = user;
  mien_face *face = NULL;
  mien_state *made = NULL;
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  mien_result result = mien_face_create(f->rig, NULL, host, &face, NULL);
  if (result >= 0) result = mien_state_create(face, host, &made, NULL);
  for (int k = 0; k < 3 && result >= 0; k++) { // the first step feels no motion
    if (k == 2) opts.time_scale = 2;
    result = mien_step(made, &input, &opts, NULL);
    input.head = at(0.1, 0, 0);
  }
  mien_state_free(made);
  mien_face_free(face);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  scene_flesh f = build(0.2f, NULL);
  scene_fail_every_allocation(step_once, &f);
  scene_flesh_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_motion_it_is_the_artists_animation),
      cmocka_unit_test(the_first_step_is_the_artists_pose),
      cmocka_unit_test(flesh_lags_behind_the_head_and_comes_back),
      cmocka_unit_test(even_motion_is_rest),
      cmocka_unit_test(gravity_pulls_as_far_as_the_springs_allow),
      cmocka_unit_test(slower_time_is_a_shorter_step),
      cmocka_unit_test(extreme_input_stays_finite_and_recovers),
      cmocka_unit_test(a_ruined_state_comes_back),
      cmocka_unit_test(a_state_of_the_longest_step_is_restored),
      cmocka_unit_test(same_bits_for_any_threads_and_after_restoring),
      cmocka_unit_test(steps_allocate_nothing_after_the_first),
      cmocka_unit_test(a_time_budget_is_kept_and_said),
      cmocka_unit_test(a_late_step_still_moves),
      cmocka_unit_test(late_steps_make_fewer_iterations),
      cmocka_unit_test(survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
