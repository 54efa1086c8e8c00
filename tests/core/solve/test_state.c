// States: stepping, snapshots, copies, hashes, and input that must be refused.
#include "scenes/scene.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static scene_flesh build(void) {
  scene_mesh mesh = scene_sphere(12, 16, 0.1);
  static float up[3 * 178], grow[3 * 178];
  for (int i = 0; i < mesh.nvert; i++) {
    if (mesh.position[3 * i + 1] > 0.05f) up[3 * i + 1] = 0.01f;
    for (int k = 0; k < 3; k++) grow[3 * i + k] = 0.1f * mesh.position[3 * i + k];
  }
  const mien_shape shapes[] = {{"up", {NULL, 0}, {up, mesh.nvert, 3}},
                               {"grow", {NULL, 0}, {grow, mesh.nvert, 3}}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = shapes;
  def.nshape = 2;
  return scene_flesh_create(mesh, &def, NULL);
}

static mien_input input_with(const float weights[2]) {
  mien_input input;
  mien_input_init(&input);
  input.weights = (mien_f32s){weights, 2, 1};
  return input;
}

static void kinematic_steps_are_the_artists_pose(void **state) {
  (void)state;
  scene_flesh f = build();
  const float weights[2] = {0.7f, -0.4f};
  mien_input input = input_with(weights);
  float posed[3 * 178];
  mien_rig_pose(f.rig, weights, 2, posed, NULL);
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.solver = MIEN_SOLVER_KINEMATIC;
  assert_int_equal(mien_step(f.state, &input, &opts, NULL), MIEN_OK);
  const mien_state_info *info = mien_state_get_info(f.state);
  assert_memory_equal(info->positions.data, posed, 3 * (size_t)f.mesh.nvert * sizeof(float));
  assert_near(info->time, 1.0 / 24, 1e-12);
  assert_int_equal(info->nstep, 1);
  assert_int_equal(info->ninverted, 0);
  // the skin layer of the flesh is the skin
  const mien_face_info *face = mien_face_get_info(f.face);
  for (int i = 0; i < face->nskin; i++)
    for (int k = 0; k < 3; k++)
      assert_near(info->flesh.data[3 * i + k], posed[3 * face->skin.data[i] + k], 1e-7);
  // the same pose handed over by a host gives the same state but for nothing
  uint64_t hash = mien_state_hash(f.state);
  mien_state_reset(f.state);
  input.pose = (mien_f32s){posed, f.mesh.nvert, 3};
  mien_step(f.state, &input, &opts, NULL);
  assert_true(mien_state_hash(f.state) == hash);
  scene_flesh_free(&f);
}

static void snapshots_go_on_with_the_same_bits(void **state) {
  (void)state;
  scene_flesh f = build();
  mien_state *copy = NULL;
  assert_int_equal(mien_state_create(f.face, NULL, &copy, NULL), MIEN_OK);
  uint64_t rest = mien_state_hash(f.state);
  assert_true(rest == mien_state_hash(copy));
  float weights[2] = {0.3f, 0.1f};
  mien_input input = input_with(weights);
  mien_step(f.state, &input, NULL, NULL); // the first step feels no motion
  input.head.translation[1] = 2;
  mien_step(f.state, &input, NULL, NULL);
  uint64_t middle = mien_state_hash(f.state);
  assert_true(middle != rest);
  size_t size = mien_state_size(f.state);
  unsigned char *bytes = malloc(size);
  assert_int_equal(mien_state_write(f.state, bytes, size, NULL), MIEN_OK);
  weights[0] = 1;
  mien_step(f.state, &input, NULL, NULL);
  uint64_t end = mien_state_hash(f.state);
  assert_int_equal(mien_state_read(copy, bytes, size, NULL), MIEN_OK);
  assert_true(mien_state_hash(copy) == middle);
  assert_near(mien_state_get_info(copy)->head.translation[1], 2, 0);
  mien_step(copy, &input, NULL, NULL);
  assert_true(mien_state_hash(copy) == end);
  mien_state_reset(copy);
  assert_true(mien_state_hash(copy) == rest);
  assert_int_equal(mien_state_copy(copy, f.state, NULL), MIEN_OK);
  assert_true(mien_state_hash(copy) == end);
  assert_int_equal(mien_state_copy(copy, copy, NULL), MIEN_OK);
  free(bytes);
  mien_state_free(copy);
  scene_flesh_free(&f);
}

static void damaged_snapshots_change_nothing(void **state) {
  (void)state;
  scene_flesh f = build();
  size_t size = mien_state_size(f.state);
  unsigned char *bytes = malloc(size);
  uint64_t before = mien_state_hash(f.state);
  mien_error err;
  assert_int_equal(mien_state_write(f.state, bytes, size - 1, &err), MIEN_ERR_ARGUMENT);
  mien_state_write(f.state, bytes, size, NULL);
  assert_int_equal(mien_state_read(f.state, bytes, size - 1, &err), MIEN_ERR_MISMATCH);
  bytes[0] ^= 1;
  assert_int_equal(mien_state_read(f.state, bytes, size, &err), MIEN_ERR_FORMAT);
  bytes[0] ^= 1;
  bytes[24] ^= 1; // the face's hash
  assert_int_equal(mien_state_read(f.state, bytes, size, &err), MIEN_ERR_MISMATCH);
  bytes[24] ^= 1;
  float bad = NAN;
  memcpy(bytes + size - 8, &bad, sizeof bad);
  assert_int_equal(mien_state_read(f.state, bytes, size, &err), MIEN_ERR_NOT_FINITE);
  assert_true(mien_state_hash(f.state) == before);
  free(bytes);
  scene_flesh_free(&f);
}

static void another_faces_state_is_refused(void **state) {
  (void)state;
  scene_flesh f = build();
  scene_mesh mesh = scene_sphere(12, 16, 0.11);
  mien_rig *rig = scene_rig(&mesh);
  mien_face *face = NULL;
  mien_state *other = NULL;
  assert_true(mien_face_create(rig, NULL, NULL, &face, NULL) >= 0);
  assert_int_equal(mien_state_create(face, NULL, &other, NULL), MIEN_OK);
  assert_int_equal(mien_state_copy(other, f.state, NULL), MIEN_ERR_MISMATCH);
  mien_state_free(other);
  mien_face_free(face);
  mien_rig_free(rig);
  scene_mesh_free(&mesh);
  scene_flesh_free(&f);
}

static void bad_input_changes_nothing(void **state) {
  (void)state;
  scene_flesh f = build();
  static float weights[2] = {0.5f, 0.5f}, bad[2] = {0, INFINITY}, pose[3 * 178];
  pose[5] = NAN;
  uint64_t before = mien_state_hash(f.state);
  for (int kind = 0; kind < 11; kind++) {
    mien_input input = input_with(weights);
    mien_step_opts opts;
    mien_step_opts_init(&opts);
    mien_result expected = MIEN_ERR_OPTIONS;
    switch (kind) {
    case 0:
      opts.dt = 0;
      break;
    case 1:
      opts.dt = 1e6;
      break;
    case 2:
      opts.dt = NAN;
      break;
    case 3:
      opts.struct_size = 1;
      break;
    case 4:
      input.struct_size = 1;
      break;
    case 5:
      opts.solver = (mien_solver)77;
      break;
    case 6:
      input.weights.count = 1, expected = MIEN_ERR_MISMATCH;
      break;
    case 7:
      input.weights.data = bad, expected = MIEN_ERR_NOT_FINITE;
      break;
    case 8:
      input.head.rotation[3] = 5, expected = MIEN_ERR_ARGUMENT;
      break;
    case 9:
      input.head.translation[0] = INFINITY, expected = MIEN_ERR_NOT_FINITE;
      break;
    case 10:
      input.pose = (mien_f32s){pose, f.mesh.nvert, 3};
      expected = MIEN_ERR_NOT_FINITE;
      break;
    }
    mien_error err;
    assert_int_equal(mien_step(f.state, &input, &opts, &err), expected);
    assert_true(err.text[0]);
    assert_true(mien_state_hash(f.state) == before);
  }
  scene_flesh_free(&f);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  scene_flesh f = build();
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  mien_state *counted = NULL;
  assert_int_equal(mien_state_create(f.face, &host, &counted, NULL), MIEN_OK);
  const float weights[2] = {1, 1};
  mien_input input = input_with(weights);
  mien_step(counted, &input, NULL, NULL); // the first makes the solver
  int nalloc = memory.nalloc;
  for (int i = 0; i < 5; i++) mien_step(counted, &input, NULL, NULL);
  assert_int_equal(memory.nalloc, nalloc);
  mien_state_free(counted);
  assert_int_equal(memory.live, 0);
  scene_flesh_free(&f);
}

static mien_result create_and_free(const mien_host *host, void *user) {
  mien_state *made = NULL;
  mien_result result = mien_state_create(user, host, &made, NULL);
  mien_state_free(made);
  return result;
}

static void survives_every_failed_allocation(void **state) {
  (void)state;
  scene_flesh f = build();
  scene_fail_every_allocation(create_and_free, f.face);
  scene_flesh_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kinematic_steps_are_the_artists_pose),
                                     cmocka_unit_test(snapshots_go_on_with_the_same_bits),
                                     cmocka_unit_test(damaged_snapshots_change_nothing),
                                     cmocka_unit_test(another_faces_state_is_refused),
                                     cmocka_unit_test(bad_input_changes_nothing),
                                     cmocka_unit_test(steps_allocate_nothing),
                                     cmocka_unit_test(survives_every_failed_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
