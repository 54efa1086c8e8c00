// The jaw: by its hinge and the jaw-open weight, or by a transform of its own.
#include "drive/substep.h"
#include "math/vec.h"
#include "scenes/touch.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct posed {
  int nflesh, nrig;
  float *flesh, *rig;
} posed;

static posed step(touch_scene *s, mien_solver solver) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.solver = solver;
  touch_step(s, &opts);
  const mien_state_info *info = mien_state_get_info(s->state);
  posed p = {info->flesh.count, info->positions.count,
             malloc(3 * sizeof(float) * (size_t)info->flesh.count),
             malloc(3 * sizeof(float) * (size_t)info->positions.count)};
  memcpy(p.flesh, info->flesh.data, 3 * sizeof(float) * (size_t)p.nflesh);
  memcpy(p.rig, info->positions.data, 3 * sizeof(float) * (size_t)p.nrig);
  return p;
}

static double difference(const float *a, const float *b, int count) {
  double worst = 0;
  for (int i = 0; i < 3 * count; i++) worst = fmax(worst, fabs((double)a[i] - b[i]));
  return worst;
}

static void release(posed *p) {
  free(p->flesh);
  free(p->rig);
}

static mien_rigid turn_about_hinge(const touch_scene *s, double weight) {
  const mien_jaw *jaw = &mien_face_get_info(s->face)->hinge;
  assert_true(jaw->is_known);
  double angle = (double)jaw->open_angle * weight;
  mi_vec3 axis = mi_unit(mi_vec3_load(jaw->axis)), hinge = mi_vec3_load(jaw->hinge);
  mi_vec3 shift = mi_sub(hinge, mi_rotate(hinge, axis, angle));
  mien_rigid out = {.translation = {shift.x, shift.y, shift.z}};
  double s2 = sin(angle / 2);
  out.rotation[0] = s2 * axis.x, out.rotation[1] = s2 * axis.y, out.rotation[2] = s2 * axis.z;
  out.rotation[3] = cos(angle / 2);
  return out;
}

// Something to simulate: a head that moves in the second step.
static posed pulled(touch_scene *s, mien_solver solver) {
  s->input.head.translation[1] = 0;
  posed first = step(s, solver);
  release(&first);
  s->input.head.translation[1] = 0.003;
  return step(s, solver);
}

// The transform that the weight stands for changes nothing, to rounding: kinematic and simulated.
static void the_hinge_by_hand(void **state) {
  (void)state;
  static const mien_solver solvers[] = {MIEN_SOLVER_KINEMATIC, MIEN_SOLVER_DIRECT};
  for (int k = 0; k < 2; k++) {
    touch_scene s = touch_head("press.csv", NULL);
    s.weights[mien_rig_find_shape(s.rig, "jawOpen")] = 0.6f;
    posed hinge = pulled(&s, solvers[k]);
    mien_state_reset(s.state);
    s.input.has_jaw = 1;
    s.input.jaw = turn_about_hinge(&s, 0.6f);
    posed given = pulled(&s, solvers[k]);
    double skin = difference(hinge.rig, given.rig, hinge.nrig);
    double flesh = difference(hinge.flesh, given.flesh, hinge.nflesh);
    print_message("solver %d: rig %.1e m, flesh %.1e m from the hinge's\n", (int)solvers[k], skin,
                  flesh);
    assert_true(skin < 1e-6 && flesh < 1e-6);
    release(&hinge);
    release(&given);
    touch_free(&s);
  }
}

// Without a weight the transform opens the mouth: skin goes along as far as the jaw carries it,
// what it does not carry stays; a host's own pose is final.
static void a_transform_alone(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  const mien_face_info *face = mien_face_get_info(s.face);
  posed shut = step(&s, MIEN_SOLVER_KINEMATIC);
  s.input.has_jaw = 1;
  s.input.jaw = (mien_rigid){{0, 0, 0, 1}, {0.002, -0.006, 0.001}};
  posed moved = step(&s, MIEN_SOLVER_KINEMATIC);
  int carried = 0, still = 0;
  for (int i = 0; i < face->nskin; i++) {
    size_t at = 3 * (size_t)i;
    double share = face->jaw.data[i];
    carried += share > 0.5;
    still += share == 0;
    for (int c = 0; c < 3; c++)
      assert_near(moved.flesh[at + c] - shut.flesh[at + c], share * s.input.jaw.translation[c],
                  1e-6);
  }
  print_message("%d skin vertices go mostly with the jaw, %d stay\n", carried, still);
  assert_true(carried > 20 && still > 100);
  s.input.pose = (mien_f32s){shut.rig, shut.nrig, 3};
  posed final = step(&s, MIEN_SOLVER_KINEMATIC);
  assert_memory_equal(final.rig, shut.rig, 3 * sizeof(float) * (size_t)shut.nrig);
  assert_true(difference(final.flesh, shut.flesh, shut.nflesh) > 1e-4); // flesh on the bone
  s.input.pose = (mien_f32s){0};
  release(&shut);
  release(&moved);
  release(&final);
  touch_free(&s);
}

// In the middle of a frame the jaw is half of its way there.
static void the_jaw_moves_with_the_substeps(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  s.input.has_jaw = 1;
  s.input.jaw = (mien_rigid){{0, 0, 0, 1}, {0, -0.002, 0}};
  posed first = step(&s, MIEN_SOLVER_KINEMATIC);
  s.input.jaw = (mien_rigid){{sin(0.1), 0, 0, cos(0.1)}, {0, -0.006, 0}};
  assert_true(mi_substep_reserve(s.state, &s.input));
  mi_substep_begin(s.state);
  const mien_input *half = mi_substep_input(s.state, &s.input, 0.5);
  assert_near(half->jaw.translation[1], -0.004, 1e-9);
  assert_near(half->jaw.rotation[0], sin(0.05), 1e-9);
  release(&first);
  touch_free(&s);
}

static void a_bad_transform_is_refused(void **state) {
  (void)state;
  touch_scene s = touch_head("press.csv", NULL);
  mien_step_opts opts;
  mien_error err;
  mien_step_opts_init(&opts);
  uint64_t hash = mien_state_hash(s.state);
  s.input.jaw = (mien_rigid){{0, 0, 0, 2}, {0, 0, 0}};
  assert_true(mien_step(s.state, &s.input, &opts, &err) >= 0); // not asked for, not looked at
  mien_state_reset(s.state);
  s.input.has_jaw = 1;
  assert_int_equal(mien_step(s.state, &s.input, &opts, &err), MIEN_ERR_ARGUMENT);
  assert_non_null(strstr(err.text, "jaw"));
  s.input.jaw = (mien_rigid){{0, 0, 0, 1}, {NAN, 0, 0}};
  assert_int_equal(mien_step(s.state, &s.input, &opts, &err), MIEN_ERR_NOT_FINITE);
  assert_true(mien_state_hash(s.state) == hash);
  touch_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_hinge_by_hand),
                                     cmocka_unit_test(a_transform_alone),
                                     cmocka_unit_test(the_jaw_moves_with_the_substeps),
                                     cmocka_unit_test(a_bad_transform_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
