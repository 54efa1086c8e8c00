// Integrators, substeps and damping, against what they must do by their definition.
#include "block_scene.h"
#include "scenes/scene.h"
#include "solve/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const block_scene_def CUBE = {
    .size = {0.1, 0.1, 0.1}, .cells = {3, 3, 3}, .stiffness = 8000, .threads = 1};

static const mien_integrator ALL[] = {
    MIEN_INTEGRATOR_BACKWARD_EULER, MIEN_INTEGRATOR_BDF2, MIEN_INTEGRATOR_IMPLICIT_MIDPOINT,
    MIEN_INTEGRATOR_STABILISED_MIDPOINT, MIEN_INTEGRATOR_QUASI_STATIC};
enum { NALL = sizeof ALL / sizeof *ALL };

static block_scene create(const block_scene_def *def) {
  block_scene scene;
  if (block_scene_create(&scene, def) < 0) fail_msg("%s", scene.err.text);
  return scene;
}

static mien_step_opts opts_of(mien_integrator integrator, double dt) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.integrator = integrator;
  opts.dt = dt;
  opts.iterations = 20;
  return opts;
}

static void step(block_scene *scene, const mien_step_opts *opts, const mien_rigid *head,
                 float weight) {
  mien_input input;
  mien_input_init(&input);
  if (head) input.head = *head;
  if (mien_rig_get_info(scene->rig)->nshape) input.weights = (mien_f32s){&weight, 1, 1};
  if (mien_step(scene->state, &input, opts, &scene->err) < 0) fail_msg("%s", scene->err.text);
}

// -- order ----------------------------------------------------------------------------------------

// where a cube on springs is, in the middle of its first swing, after gravity was switched on
static double fall(mien_integrator integrator, int nstep) {
  block_scene_def def = CUBE;
  def.attach_stiffness = 1.5;
  block_scene scene = create(&def);
  mien_step_opts opts = opts_of(integrator, 0.15 / nstep);
  opts.gravity[1] = -9.81;
  for (int k = 0; k < nstep; k++) step(&scene, &opts, NULL, 0);
  double y = block_scene_measure(&scene).centre[1];
  block_scene_free(&scene);
  return y;
}

static void each_has_its_order(void **state) {
  (void)state;
  static const double order[] = {1, 2, 2};
  static const int nstep[] = {40, 10, 4}; // where each is past its start and above float's noise
  double truth = fall(MIEN_INTEGRATOR_IMPLICIT_MIDPOINT, 80);
  print_message("falls to %.2f mm\n", 1e3 * truth);
  assert_true(truth < -0.02); // it fell
  for (int k = 0; k < 3; k++) {
    double coarse = fabs(fall(ALL[k], nstep[k]) - truth);
    double fine = fabs(fall(ALL[k], 2 * nstep[k]) - truth);
    double measured = log2(coarse / fine);
    print_message("integrator %d: order %.2f, error %.3f mm\n", (int)ALL[k], measured, 1e3 * fine);
    assert_near(measured, order[k], 0.3);
  }
}

// -- substeps -------------------------------------------------------------------------------------

static void a_step_of_four_substeps_is_four_steps(void **state) {
  (void)state;
  static float x[3 * 200], up[3 * 204];
  int count = block_scene_surface(&CUBE, x, 200);
  for (int i = 0; i < count; i++) up[3 * i + 1] = x[3 * i + 1] > 0 ? 0.02f : 0;
  const mien_shape shape = {"up", {NULL, 0}, {up, count + 4, 3}};
  block_scene_def def = CUBE;
  def.attach_stiffness = 5;
  def.shapes = &shape;
  def.nshape = 1;
  for (int k = 0; k < NALL; k++) {
    block_scene a = create(&def), b = create(&def);
    mien_step_opts whole = opts_of(ALL[k], 1.0 / 16), quarter = opts_of(ALL[k], 1.0 / 64);
    whole.substeps = 4;
    whole.damping = quarter.damping = 2;
    mien_rigid head = {{0, 0, 0, 1}, {0, 0, 0}};
    step(&a, &whole, &head, 0); // the first step feels no motion
    for (int s = 0; s < 4; s++) step(&b, &quarter, &head, 0);
    head.translation[0] = 0.25; // quarters of it are exact
    for (int frame = 0; frame < 2; frame++) {
      for (int s = 1; s <= 4; s++) {
        mien_rigid part = {{0, 0, 0, 1}, {0.0625 * s + 0.25 * frame, 0, 0}};
        step(&b, &quarter, &part, 0.25f * (float)(s + 4 * frame));
      }
      head.translation[0] = 0.25 * (frame + 1);
      step(&a, &whole, &head, (float)(frame + 1));
    }
    const mien_state_info *one = mien_state_get_info(a.state), *four = mien_state_get_info(b.state);
    assert_true(one->max_offset > 1e-4 || ALL[k] == MIEN_INTEGRATOR_QUASI_STATIC);
    assert_memory_equal(one->flesh.data, four->flesh.data,
                        3 * (size_t)one->flesh.count * sizeof(float));
    block_scene_free(&a);
    block_scene_free(&b);
  }
}

static void without_motion_all_are_the_artists_animation(void **state) {
  (void)state;
  static float x[3 * 200], up[3 * 204], posed[3 * 204];
  int count = block_scene_surface(&CUBE, x, 200);
  for (int i = 0; i < 3 * count; i++) up[i] = 0.3f * x[i] * x[(i + 7) % (3 * count)] * 10;
  const mien_shape shape = {"bulge", {NULL, 0}, {up, count + 4, 3}};
  block_scene_def def = CUBE;
  def.attach_stiffness = 5;
  def.shapes = &shape;
  def.nshape = 1;
  for (int k = 0; k < NALL; k++) {
    block_scene a = create(&def);
    mien_step_opts opts = opts_of(ALL[k], 1.0 / 24);
    opts.substeps = 3;
    for (int frame = 0; frame < 10; frame++) {
      float weight = 0.5f + 0.5f * sinf((float)frame);
      step(&a, &opts, NULL, weight);
      mien_rig_pose(a.rig, &weight, 1, posed, NULL);
      assert_memory_equal(mien_state_get_info(a.state)->positions.data, posed,
                          3 * (size_t)(count + 4) * sizeof(float));
    }
    block_scene_free(&a);
  }
}

// -- damping --------------------------------------------------------------------------------------

// Damping that is painted on one half (the last run) takes more there, and pushes nothing either.
static void damping_keeps_both_momenta_and_is_a_rate(void **state) {
  (void)state;
  static const double spin[3] = {3, -2, 8};
  float painted[128];
  block_motion after[4];
  for (int run = 0; run < 4; run++) {
    block_scene scene = create(&CUBE);
    const mien_face_info *face = mien_face_get_info(scene.face);
    assert_true(face->nvert <= 128);
    for (int i = 0; i < face->nvert; i++) painted[i] = scene.face->rest[3 * i] > 0 ? 6 : 1;
    if (run == 3) scene.face->materials.of[MI_DAMPING].neutral = painted;
    block_scene_spin(&scene, spin, 1.1);
    mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1e-3);
    opts.damping = run % 2 ? 100 : 0;
    opts.drag = run == 2 ? 100 : 0;
    step(&scene, &opts, NULL, 0);
    after[run] = block_scene_measure(&scene);
    block_scene_free(&scene);
  }
  double turning =
      sqrt(after[0].turning[0] * after[0].turning[0] + after[0].turning[1] * after[0].turning[1] +
           after[0].turning[2] * after[0].turning[2]);
  assert_true(turning > 1e-3);
  for (int k = 0; k < 3; k++) {
    for (int run = 1; run < 4; run += 2) {
      assert_near(after[run].momentum[k], after[0].momentum[k], 1e-6);
      assert_near(after[run].turning[k], after[0].turning[k], 1e-5 * turning);
    }
    assert_near(after[2].turning[k], exp(-0.1) * after[0].turning[k], 1e-5 * turning);
  }
  assert_true(after[1].kinetic < 0.999 * after[0].kinetic);
  assert_true(after[3].kinetic < after[1].kinetic);
  assert_near(after[2].kinetic, exp(-0.2) * after[0].kinetic, 1e-5 * after[0].kinetic);
}

// -- quasi-static ---------------------------------------------------------------------------------

static void quasi_static_is_where_motion_ends(void **state) {
  (void)state;
  block_scene_def def = CUBE;
  def.attach_stiffness = 4;
  block_scene rest = create(&def), moved = create(&def);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 1.0 / 24);
  mien_step_opts slow = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 1.0 / 10);
  opts.gravity[1] = slow.gravity[1] = -9.81;
  slow.drag = 10;
  for (int k = 0; k < 60; k++) step(&moved, &slow, NULL, 0);
  for (int k = 0; k < 3; k++) step(&rest, &opts, NULL, 0);
  double sag = block_scene_measure(&rest).centre[1];
  assert_true(sag < -0.005);
  assert_near(sag, block_scene_measure(&moved).centre[1], 0.005 * fabs(sag));
  mien_rigid away = {{0, 0, 0, 1}, {1, 0, 0}}; // no inertia: the head takes it along
  step(&rest, &opts, &away, 0);
  assert_near(block_scene_measure(&rest).centre[0], 0, 1e-5);
  assert_near(block_scene_measure(&rest).centre[1], sag, 1e-3 * fabs(sag));
  block_scene_free(&rest);
  block_scene_free(&moved);
}

// -- snapshots and bad input ----------------------------------------------------------------------

static void a_snapshot_goes_on_with_the_same_bits(void **state) {
  (void)state;
  for (int k = 0; k < NALL; k++) {
    block_scene_def def = CUBE;
    def.attach_stiffness = 3;
    block_scene scene = create(&def);
    mien_step_opts opts = opts_of(ALL[k], 1.0 / 30);
    opts.gravity[1] = -9.81;
    opts.damping = 1;
    mien_rigid head = {{0, 0, 0, 1}, {0, 0, 0}};
    size_t size = mien_state_size(scene.state);
    void *bytes = malloc(size);
    uint64_t hash[2];
    for (int frame = 0; frame < 4; frame++) {
      head.translation[1] += 0.01 * frame;
      step(&scene, &opts, &head, 0);
    }
    assert_int_equal(mien_state_write(scene.state, bytes, size, NULL), MIEN_OK);
    for (int run = 0; run < 2; run++) {
      mien_rigid next = head;
      for (int frame = 0; frame < 3; frame++) {
        next.translation[2] += 0.01;
        step(&scene, &opts, &next, 0);
      }
      hash[run] = mien_state_hash(scene.state);
      assert_int_equal(mien_state_read(scene.state, bytes, size, NULL), MIEN_OK);
    }
    assert_true(hash[0] == hash[1]);
    free(bytes);
    block_scene_free(&scene);
  }
}

static void wrong_options_are_refused_and_change_nothing(void **state) {
  (void)state;
  block_scene scene = create(&CUBE);
  mien_input input;
  mien_input_init(&input);
  uint64_t before = mien_state_hash(scene.state);
  for (int k = 0; k < 9; k++) {
    mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BDF2, 1.0 / 24);
    if (k == 0) opts.integrator = (mien_integrator)5;
    if (k == 1) opts.integrator = (mien_integrator)-1;
    if (k == 2) opts.substeps = 0;
    if (k == 3) opts.substeps = 101;
    if (k == 4) opts.damping = -1;
    if (k == 5) opts.drag = NAN;
    if (k == 6) opts.dt = 1e6;
    if (k == 7) opts.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
    if (k == 8) opts.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
    if (k >= 7) opts.contact = MIEN_CONTACT_PLANE;
    assert_int_equal(mien_step(scene.state, &input, &opts, &scene.err), MIEN_ERR_OPTIONS);
    assert_true(strlen(scene.err.text) > 10);
    assert_true(mien_state_hash(scene.state) == before);
  }
  block_scene_free(&scene);
}

static void a_jump_leaves_everything_finite(void **state) {
  (void)state;
  for (int k = 0; k < NALL; k++) {
    block_scene_def def = CUBE;
    def.attach_stiffness = 20;
    block_scene scene = create(&def);
    mien_step_opts opts = opts_of(ALL[k], 1.0 / 24);
    mien_rigid far = {{0, 0.6, 0, 0.8}, {3, 1, -2}};
    for (int frame = 0; frame < 60; frame++) {
      opts.dt = frame == 5 ? 10 : 1.0 / 24;
      step(&scene, &opts, frame % 20 == 3 ? &far : NULL, 0);
    }
    const mien_state_info *info = mien_state_get_info(scene.state);
    for (int i = 0; i < 3 * info->flesh.count; i++) assert_true(isfinite(info->flesh.data[i]));
    block_scene_free(&scene);
  }
}

static void weights_that_jump_leave_everything_finite(void **state) {
  (void)state;
  static float x[3 * 200], bulge[3 * 204];
  int count = block_scene_surface(&CUBE, x, 200);
  for (int i = 0; i < 3 * count; i++) bulge[i] = 0.5f * x[i];
  const mien_shape shape = {"bulge", {NULL, 0}, {bulge, count + 4, 3}};
  block_scene_def def = CUBE;
  def.attach_stiffness = 10;
  def.shapes = &shape;
  def.nshape = 1;
  for (int k = 0; k < 2 * NALL; k++) {
    block_scene scene = create(&def);
    mien_step_opts opts = opts_of(ALL[k % NALL], 1.0 / 24);
    opts.energy_projection = k >= NALL && ALL[k % NALL] != MIEN_INTEGRATOR_QUASI_STATIC;
    opts.rebalance = k % 3 * 0.5;
    mien_rigid head = {{0, 0, 0, 1}, {0, 0, 0}};
    for (int frame = 0; frame < 40; frame++) {
      head.translation[0] = 0.02 * (frame % 5);
      step(&scene, &opts, &head, frame % 3 == 1 ? 1.5f : frame % 7 == 2 ? -0.5f : 0);
    }
    const mien_state_info *info = mien_state_get_info(scene.state);
    for (int i = 0; i < 3 * info->flesh.count; i++) assert_true(fabsf(info->flesh.data[i]) < 100);
    block_scene_free(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_has_its_order),
      cmocka_unit_test(a_step_of_four_substeps_is_four_steps),
      cmocka_unit_test(without_motion_all_are_the_artists_animation),
      cmocka_unit_test(damping_keeps_both_momenta_and_is_a_rate),
      cmocka_unit_test(quasi_static_is_where_motion_ends),
      cmocka_unit_test(a_snapshot_goes_on_with_the_same_bits),
      cmocka_unit_test(wrong_options_are_refused_and_change_nothing),
      cmocka_unit_test(a_jump_leaves_everything_finite),
      cmocka_unit_test(weights_that_jump_leave_everything_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
