// A fine rig simulated on a coarse one: nothing added when nothing moves, motion carried over
// smoothly, hosts that never notice.
#include "face/face.h"
#include "scenes/scene.h"
#include "solve/state.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COARSE = 300 };

typedef struct ball {
  scene_mesh mesh;
  float *squeeze, *poke;
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
} ball;

// A ball with a shape that squeezes it and one that moves a single vertex; no jaw, no skull.
static void make_ball(ball *b, int simulate_at) {
  b->mesh = scene_sphere(40, 60, 0.1);
  b->squeeze = calloc(3 * (size_t)b->mesh.nvert, sizeof(float));
  b->poke = calloc(3 * (size_t)b->mesh.nvert, sizeof(float));
  for (int i = 0; i < b->mesh.nvert; i++)
    b->squeeze[3 * i + 1] = -0.3f * b->mesh.position[3 * i + 1];
  b->poke[3 * (b->mesh.nvert / 2) + 2] = 0.004f;
  const mien_shape shapes[] = {{"squeeze", {NULL, 0}, {b->squeeze, b->mesh.nvert, 3}},
                               {"poke", {NULL, 0}, {b->poke, b->mesh.nvert, 3}}};
  mien_rig_def def = scene_rig_def(&b->mesh);
  def.shapes = shapes;
  def.nshape = 2;
  mien_face_def face;
  mien_error err;
  mien_face_def_init(&face);
  face.simulate_at = simulate_at;
  if (mien_rig_create(&def, NULL, &b->rig, &err) < 0) fail_msg("%s", err.text);
  if (mien_face_create(b->rig, &face, NULL, &b->face, &err) < 0) fail_msg("%s", err.text);
  if (mien_state_create(b->face, NULL, &b->state, &err) < 0) fail_msg("%s", err.text);
}

static void free_ball(ball *b) {
  mien_state_free(b->state);
  mien_face_free(b->face);
  mien_rig_free(b->rig);
  free(b->squeeze);
  free(b->poke);
  scene_mesh_free(&b->mesh);
}

static const mien_state_info *step(ball *b, const float *weights, double x, double angle) {
  mien_input input;
  mien_step_opts opts;
  mien_error err;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  input.weights = (mien_f32s){weights, 2, 1};
  input.head = (mien_rigid){{0, sin(angle / 2), 0, cos(angle / 2)}, {x, 0, 0}};
  if (mien_step(b->state, &input, &opts, &err) < 0) fail_msg("%s", err.text);
  return mien_state_get_info(b->state);
}

static void a_still_head_is_the_artists(void **state) {
  (void)state;
  ball b;
  make_ball(&b, COARSE);
  const mien_face_info *face = mien_face_get_info(b.face);
  assert_int_equal(face->nskin, COARSE);
  assert_int_equal(face->nfollowing, b.mesh.nvert - COARSE);
  assert_ptr_equal(face->rig, b.rig);
  float *expected = calloc(3 * (size_t)b.mesh.nvert, sizeof *expected);
  for (int k = 0; k < 6; k++) {
    float weights[2] = {0.2f * (float)k, k % 2 ? 1.0f : 0.3f};
    const mien_state_info *info = step(&b, weights, 0, 0);
    assert_int_equal(info->positions.count, b.mesh.nvert);
    assert_int_equal(mien_rig_pose(b.rig, weights, 2, expected, NULL), MIEN_OK);
    assert_memory_equal(expected, info->positions.data, 12 * (size_t)b.mesh.nvert);
  }
  free(expected);
  free_ball(&b);
}

// The map itself: sums of weights are 1, and a field linear over the surface stays linear.
static void fields_are_carried_over(void **state) {
  (void)state;
  ball b;
  make_ball(&b, COARSE);
  const mi_embedding *embedding = &b.face->embedding;
  int nvert = b.mesh.nvert;
  float *motion = calloc(4 * (size_t)COARSE, sizeof *motion);
  float *out = calloc(3 * (size_t)nvert, sizeof *out);
  static const double axis[3] = {0.2, -0.1, 0.3}; // a small turn, rad
  for (int field = 0; field < 2; field++) {
    for (int i = 0; i < COARSE; i++) {
      const float *p = b.mesh.position + 3 * embedding->skin[i];
      double turned[3] = {axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2],
                          axis[0] * p[1] - axis[1] * p[0]};
      for (int k = 0; k < 3; k++) motion[4 * i + k] = field ? (float)turned[k] : 0.01f;
    }
    memset(out, 0, 12 * (size_t)nvert);
    mi_skin_map_apply(&embedding->map, motion, 2, out);
    double worst = 0, most = 0;
    for (int i = 0; i < nvert; i++) {
      const float *p = b.mesh.position + 3 * i;
      double turned[3] = {axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2],
                          axis[0] * p[1] - axis[1] * p[0]};
      for (int k = 0; k < 3; k++) {
        double wanted = field ? turned[k] : 0.01;
        worst = fmax(worst, fabs(wanted - out[3 * i + k]));
        most = fmax(most, fabs(wanted));
      }
    }
    print_message("field %d: off by %.3g of %.3g\n", field, worst, most);
    assert_true(worst < (field ? 0.05 : 1e-6) * most);
  }
  for (int i = 0; i < COARSE; i++) // what is simulated goes where it was simulated
    for (int k = 0; k < 3; k++)
      assert_near(out[3 * embedding->skin[i] + k], motion[4 * i + k], 1e-9);
  free(motion);
  free(out);
  free_ball(&b);
}

static void motion_is_that_of_the_fine_rig(void **state) {
  (void)state;
  ball fine, coarse;
  make_ball(&fine, -1);
  make_ball(&coarse, COARSE);
  assert_int_equal(mien_face_get_info(fine.face)->nfollowing, 0);
  static const float weights[2] = {0.5f, 0};
  double difference = 0, moved = 0;
  float *pose = calloc(3 * (size_t)fine.mesh.nvert, sizeof *pose);
  mien_rig_pose(fine.rig, weights, 2, pose, NULL);
  for (int k = 1; k < 12; k++) {
    double x = 0.02 * sin(k), angle = 0.1 * sin(0.7 * k);
    const mien_state_info *a = step(&fine, weights, x, angle);
    const mien_state_info *c = step(&coarse, weights, x, angle);
    for (int i = 0; i < 3 * fine.mesh.nvert; i++) {
      double off = (double)a->positions.data[i] - pose[i];
      double other = (double)c->positions.data[i] - pose[i];
      difference += (off - other) * (off - other);
      moved += off * off;
    }
  }
  print_message("coarse against fine: %.3g of the motion\n", sqrt(difference / moved));
  assert_true(moved > 0);
  assert_true(difference < 0.25 * 0.25 * moved);
  free(pose);
  free_ball(&fine);
  free_ball(&coarse);
}

// A host's own pose, snapshots and files know nothing of the coarse rig.
static void hosts_never_notice(void **state) {
  (void)state;
  static const char path[] = "embedding.glb";
  ball b;
  make_ball(&b, COARSE);
  static const float weights[2] = {0.4f, 0.5f};
  float *pose = calloc(3 * (size_t)b.mesh.nvert, sizeof *pose);
  mien_rig_pose(b.rig, weights, 2, pose, NULL);
  step(&b, weights, 0.01, 0.1);
  size_t size = mien_state_size(b.state);
  unsigned char *bytes = malloc(size);
  assert_int_equal(mien_state_write(b.state, bytes, size, NULL), MIEN_OK);
  step(&b, weights, 0.03, 0.2);
  uint64_t hash = mien_state_hash(b.state);
  assert_int_equal(mien_state_read(b.state, bytes, size, NULL), MIEN_OK);
  mien_input input;
  mien_step_opts opts;
  mien_input_init(&input);
  mien_step_opts_init(&opts);
  input.weights = (mien_f32s){weights, 2, 1};
  input.pose = (mien_f32s){pose, b.mesh.nvert, 3};
  input.head = (mien_rigid){{0, sin(0.1), 0, cos(0.1)}, {0.03, 0, 0}};
  assert_int_equal(mien_step(b.state, &input, &opts, NULL), MIEN_OK);
  assert_true(mien_state_hash(b.state) == hash);
  input.pose.count = COARSE;
  assert_int_equal(mien_step(b.state, &input, &opts, NULL), MIEN_ERR_MISMATCH);
  mien_error err;
  mien_rig *loaded = NULL;
  mien_face *again = NULL;
  if (mien_rig_save(b.rig, b.face, NULL, path, &err) < 0) fail_msg("%s", err.text);
  if (mien_rig_load(path, NULL, &loaded, &err) < 0) fail_msg("%s", err.text);
  if (mien_face_create(loaded, NULL, NULL, &again, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(mien_face_get_info(again)->nskin, COARSE); // the file says so
  mien_face_free(again);
  mien_rig_free(loaded);
  remove(path);
  free(bytes);
  free(pose);
  free_ball(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_still_head_is_the_artists), cmocka_unit_test(fields_are_carried_over),
      cmocka_unit_test(motion_is_that_of_the_fine_rig), cmocka_unit_test(hosts_never_notice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
