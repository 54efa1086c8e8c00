// What the states of a face share: one permutation, one set of elements, one factor for a kind of
// step; and that sharing changes nothing.
#include "scenes/scene.h"
#include "solve/solver.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static scene_flesh build(const mien_host *host) {
  scene_mesh mesh = scene_sphere(12, 16, 0.1);
  mien_rig_def def = scene_rig_def(&mesh);
  return scene_flesh_create(mesh, &def, host);
}

static mien_step_opts options(void) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  return opts;
}

// A head that swings, so that flesh moves in every frame.
static void step(mien_state *state, int frame, const mien_step_opts *opts) {
  mien_input input;
  mien_error err;
  mien_input_init(&input);
  input.head.translation[0] = 0.05 * sin(0.8 * frame);
  if (mien_step(state, &input, opts, &err) < 0) fail_msg("%s", err.text);
}

static mien_state *state_of(const mien_face *face, const mien_host *host) {
  mien_state *made = NULL;
  assert_int_equal(mien_state_create(face, host, &made, NULL), MIEN_OK);
  return made;
}

static void ten_states_hold_one_factor(void **state) {
  (void)state;
  scene_memory memory = {0};
  mien_host host = scene_counting_host(&memory);
  scene_flesh f = build(&host);
  mien_step_opts opts = options();
  mien_state *more[9];
  mien_state *one = state_of(f.face, &host);
  size_t before = memory.live;
  step(one, 0, &opts);
  size_t first = memory.live - before; // what is shared and the work of a state
  mi_system_info info = mi_system_get_info(f.face);
  assert_int_equal(info.noperator, 1);
  size_t shared = info.bytes;
  for (int k = 0; k < 9; k++) {
    more[k] = state_of(f.face, &host);
    before = memory.live;
    step(more[k], 0, &opts);
    assert_int_equal(memory.live - before, first - shared);
  }
  info = mi_system_get_info(f.face);
  print_message("shared %zu bytes, work of a state %zu bytes, %d operators\n", shared,
                first - shared, info.noperator);
  assert_int_equal(info.bytes, shared);
  assert_int_equal(info.noperator_made, 1);
  mien_state_free(one);
  for (int k = 0; k < 9; k++) mien_state_free(more[k]);
  scene_flesh_free(&f);
  assert_int_equal(memory.live, 0);
}

// from half to twice the speed and back
static double keyed_scale(int frame) {
  return exp2(sin(0.3 * frame));
}

static void a_keyed_time_scale_factors_seldom(void **state) {
  (void)state;
  scene_flesh f = build(NULL);
  mien_step_opts opts = options();
  for (int frame = 0; frame < 60; frame++) {
    opts.time_scale = keyed_scale(frame);
    step(f.state, frame, &opts);
  }
  assert_int_equal(mi_system_get_info(f.face).noperator_made, 3); // half, one, twice
  opts.time_scale = 1;
  for (int frame = 60; frame < 120; frame++) {
    opts.substeps = 1 + frame % 3;
    step(f.state, frame, &opts);
  }
  assert_int_equal(mi_system_get_info(f.face).noperator_made, 4); // a third; a half was there
  scene_flesh_free(&f);
}

// Unused operators do not accumulate.
static void few_operators_are_kept(void **state) {
  (void)state;
  scene_flesh f = build(NULL);
  mien_step_opts opts = options();
  for (int k = 0; k < 12; k++) {
    opts.dt = 0.01 * (k + 1);
    step(f.state, k, &opts);
  }
  mi_system_info info = mi_system_get_info(f.face);
  assert_int_equal(info.noperator_made, 12);
  assert_true(info.noperator <= 5);
  scene_flesh_free(&f);
}

// The same frames from a snapshot on a new face, which has factored nothing yet.
static void bits_do_not_depend_on_the_steps_before(void **state) {
  (void)state;
  scene_flesh f = build(NULL);
  size_t size = mien_state_size(f.state);
  void *bytes = malloc(size);
  mien_step_opts opts = options();
  for (int frame = 0; frame < 30; frame++) { // at 24 the operator is that of 23, not that of 0
    if (frame == 24) assert_int_equal(mien_state_write(f.state, bytes, size, NULL), MIEN_OK);
    opts.time_scale = keyed_scale(frame);
    step(f.state, frame, &opts);
  }
  scene_flesh late = build(NULL);
  assert_int_equal(mien_state_read(late.state, bytes, size, NULL), MIEN_OK);
  for (int frame = 24; frame < 30; frame++) {
    opts.time_scale = keyed_scale(frame);
    step(late.state, frame, &opts);
  }
  assert_true(mien_state_get_info(f.state)->max_offset > 1e-6);
  assert_true(mien_state_hash(late.state) == mien_state_hash(f.state));
  free(bytes);
  scene_flesh_free(&late);
  scene_flesh_free(&f);
}

// The matrix of another span leads to the same minimum.
static void a_rounded_span_ends_at_the_same_place(void **state) {
  (void)state;
  scene_flesh f = build(NULL), exact = build(NULL);
  mien_step_opts opts = options(), same = options();
  opts.iterations = same.iterations = 200;
  opts.time_scale = 1.4; // as far from powers of two as it gets
  same.dt = 1.4 * opts.dt;
  double worst = 0, most = 0;
  for (int frame = 0; frame < 10; frame++) {
    step(f.state, frame, &opts);
    step(exact.state, frame, &same);
    const mien_state_info *a = mien_state_get_info(f.state), *b = mien_state_get_info(exact.state);
    for (int i = 0; i < 3 * a->flesh.count; i++)
      worst = fmax(worst, fabs((double)a->flesh.data[i] - (double)b->flesh.data[i]));
    most = fmax(most, a->max_offset);
  }
  print_message("skin up to %.3g m from its pose, %.3g m apart\n", most, worst);
  assert_true(most > 1e-4);
  assert_true(worst < 1e-3 * most);
  scene_flesh_free(&exact);
  scene_flesh_free(&f);
}

// A ball whose flesh a shape makes stiffer and heavier.
static mien_face *varying_face(void) {
  scene_mesh mesh = scene_sphere(12, 16, 0.1);
  float *up = calloc(3 * (size_t)mesh.nvert, sizeof *up);
  float *ten = calloc((size_t)mesh.nvert, sizeof *ten);
  for (int i = 0; i < mesh.nvert; i++) {
    up[3 * i + 1] = mesh.position[3 * i + 1] > 0.05f ? 0.005f : 0;
    ten[i] = 10;
  }
  const mien_shape shape = {"up", {NULL, 0}, {up, mesh.nvert, 3}};
  const mien_map maps[] = {{"stiffness:up", 1, {ten, mesh.nvert, 1}},
                           {"density:up", 1, {ten, mesh.nvert, 1}}};
  mien_rig_def def = scene_rig_def(&mesh);
  def.shapes = &shape;
  def.nshape = 1;
  def.maps = maps;
  def.nmap = 2;
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  assert_true(mien_rig_create(&def, NULL, &rig, NULL) >= 0);
  assert_true(mien_face_create(rig, NULL, NULL, &face, NULL) >= 0);
  assert_true(face->materials.is_varying);
  mien_rig_free(rig);
  free(up);
  free(ten);
  scene_mesh_free(&mesh);
  return face;
}

static void step_with(mien_state *state, int frame, float weight) {
  mien_input input;
  mien_step_opts opts = options();
  opts.time_scale = keyed_scale(frame);
  mien_input_init(&input);
  input.head.translation[0] = 0.05 * sin(0.8 * frame);
  input.weights = (mien_f32s){&weight, 1, 1};
  assert_true(mien_step(state, &input, &opts, NULL) >= 0);
}

// Materials that shapes change are a state's own.
static void states_have_materials_of_their_own(void **state) {
  (void)state;
  mien_face *face = varying_face(), *other = varying_face();
  mien_state *soft = state_of(face, NULL), *stiff = state_of(face, NULL);
  mien_state *alone[2] = {state_of(other, NULL), NULL};
  for (int frame = 0; frame < 16; frame++) {
    step_with(soft, frame, 0);
    step_with(stiff, frame, 1);
  }
  for (int frame = 0; frame < 16; frame++) step_with(alone[0], frame, 0);
  alone[1] = state_of(other, NULL);
  for (int frame = 0; frame < 16; frame++) step_with(alone[1], frame, 1);
  assert_true(mien_state_hash(soft) == mien_state_hash(alone[0]));
  assert_true(mien_state_hash(stiff) == mien_state_hash(alone[1]));
  mien_state_free(soft);
  mien_state_free(stiff);
  for (int k = 0; k < 2; k++) mien_state_free(alone[k]);
  mien_face_free(face);
  mien_face_free(other);
}

typedef struct walker {
  const mien_face *face;
  uint64_t hash;
} walker;

static void *walk(void *user) {
  walker *w = user;
  mien_host host;
  mien_host_init(&host);
  host.threads = 1;
  mien_state *made = NULL;
  mien_step_opts opts = options();
  if (mien_state_create(w->face, &host, &made, NULL) < 0) return NULL;
  for (int frame = 0; frame < 24; frame++) {
    mien_input input;
    mien_input_init(&input);
    input.head.translation[0] = 0.05 * sin(0.8 * frame);
    opts.time_scale = keyed_scale(frame);
    if (mien_step(made, &input, &opts, NULL) < 0) break;
  }
  w->hash = mien_state_hash(made);
  mien_state_free(made);
  return NULL;
}

static void states_of_a_face_step_in_threads_of_their_own(void **state) {
  (void)state;
  enum { COUNT = 4 };
  scene_flesh alone = build(NULL), shared = build(NULL);
  walker one = {.face = alone.face}, w[COUNT];
  pthread_t thread[COUNT];
  walk(&one);
  assert_true(one.hash != 0);
  for (int k = 0; k < COUNT; k++) {
    w[k] = (walker){.face = shared.face};
    assert_int_equal(pthread_create(thread + k, NULL, walk, w + k), 0);
  }
  for (int k = 0; k < COUNT; k++) {
    pthread_join(thread[k], NULL);
    assert_true(w[k].hash == one.hash);
  }
  assert_int_equal(mi_system_get_info(shared.face).noperator_made, 3);
  scene_flesh_free(&shared);
  scene_flesh_free(&alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ten_states_hold_one_factor),
      cmocka_unit_test(a_keyed_time_scale_factors_seldom),
      cmocka_unit_test(few_operators_are_kept),
      cmocka_unit_test(bits_do_not_depend_on_the_steps_before),
      cmocka_unit_test(a_rounded_span_ends_at_the_same_place),
      cmocka_unit_test(states_have_materials_of_their_own),
      cmocka_unit_test(states_of_a_face_step_in_threads_of_their_own)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
