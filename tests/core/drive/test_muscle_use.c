// What muscles are for: two expressions blended with lips in contact, stiffer when contracted, in
// the wind, and actuated faces without inertia whose shown skin is finer than the simulated one,
// with the barrier (Li et al. 2023).
#include "crossings.h"
#include "drive/drive.h"
#include "math/vec.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct driven {
  mien_rig *rig;
  mien_face *face;
  mien_state *state;
  float *contraction;
  int nmuscle, nvert;
} driven;

static void open_driven(driven *d, int simulate_at) {
  mien_error err;
  mien_face_def def;
  mien_face_def_init(&def);
  def.muscles = 1;
  def.blendvolumes = 0;
  def.simulate_at = simulate_at;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &d->rig, &err) < 0)
    fail_msg("%s", err.text);
  if (mien_face_create(d->rig, &def, NULL, &d->face, &err) < 0) fail_msg("%s", err.text);
  assert_true(mien_state_create(d->face, NULL, &d->state, &err) >= 0);
  d->nmuscle = mien_face_get_info(d->face)->nmuscle;
  d->nvert = mien_rig_get_info(d->rig)->nvert;
  d->contraction = calloc((size_t)d->nmuscle + 1, sizeof *d->contraction);
}

static void close_driven(driven *d) {
  free(d->contraction);
  mien_state_free(d->state);
  mien_face_free(d->face);
  mien_rig_free(d->rig);
}

// Both sides of a muscle.
static void contract(driven *d, const char *name, double by) {
  const mien_face_info *info = mien_face_get_info(d->face);
  size_t length = strlen(name);
  int nfound = 0;
  for (int m = 0; m < info->nmuscle; m++) {
    if (strncmp(info->muscles[m].name, name, length)) continue;
    d->contraction[m] = (float)by;
    nfound++;
  }
  if (!nfound) fail_msg("there is no muscle %s", name);
}

static mien_step_opts opts_of(mien_integrator integrator, int iterations) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_MUSCLE;
  opts.integrator = integrator;
  opts.iterations = iterations;
  return opts;
}

static const mien_state_info *step(driven *d, const mien_step_opts *opts) {
  mien_input input;
  mien_error err;
  mien_input_init(&input);
  input.contractions = (mien_f32s){d->contraction, d->nmuscle, 1};
  if (mien_step(d->state, &input, opts, &err) < 0) fail_msg("%s", err.text);
  return mien_state_get_info(d->state);
}

static void motion(const driven *d, int landmark, double out[3]) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const float *now = mien_state_get_info(d->state)->positions.data;
  size_t at = 3 * (size_t)rig->landmarks.data[landmark];
  for (size_t c = 0; c < 3; c++) out[c] = (double)(now[at + c] - rig->positions.data[at + c]);
}

// Pairs of triangles of the shown skin that cross, by a test that shares nothing with the solver.
static int64_t count_crossings(const driven *d, const float *x) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  int ntri = 0;
  int32_t *tri = malloc((size_t)rig->triangles.count * sizeof *tri);
  for (int p = 0; p < rig->npart; p++) {
    const mien_part *part = rig->parts + p;
    int end = part->first_vertex + part->nvert;
    if (part->kind != MIEN_PART_SKIN) continue;
    for (int k = 0; k < rig->triangles.count; k += 3) {
      const int32_t *corner = rig->triangles.data + k;
      if (corner[0] >= part->first_vertex && corner[0] < end)
        memcpy(tri + 3 * (size_t)ntri++, corner, 3 * sizeof *tri);
    }
  }
  assert_true(ntri > 1000);
  int64_t count = crossings_within(&(crossings_mesh){x, tri, ntri, NULL}).count;
  free(tri);
  return count;
}

// m^3
static double flesh_volume(const driven *d, const float *x) {
  const mien_face_info *info = mien_face_get_info(d->face);
  double sum = 0;
  for (int t = 0; t < info->ntet; t++) {
    mi_vec3 p[4];
    for (int c = 0; c < 4; c++)
      p[c] = mi_vec3_load(x + 3 * (size_t)info->tets.data[4 * (size_t)t + (size_t)c]);
    sum += mi_det(p[0], p[1], p[2], p[3]) / 6;
  }
  return sum;
}

// Pursed lips become a smile, slowly and four times as fast: nothing crosses, nothing inverts,
// flesh keeps its volume on the way, and both end in the same expression.
static void test_blend_and_retime_in_contact(void **state) {
  driven *d = *state;
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 12);
  opts.contact = MIEN_CONTACT_PLANE;
  double end[2][3], rest = flesh_volume(d, mien_face_get_info(d->face)->positions.data);
  int ncontact = 0;
  for (int fast = 0; fast < 2; fast++) {
    int nframe = fast ? 3 : 12;
    mien_state_reset(d->state);
    for (int f = 0; f <= nframe + 2; f++) {
      double t = fmin(1, f / (double)nframe);
      contract(d, "orbicularis_oris", 0.4 * (1 - t));
      contract(d, "mentalis", 0.4 * (1 - t));
      contract(d, "zygomaticus_major", 0.4 * t);
      contract(d, "risorius", 0.3 * t);
      const mien_state_info *info = step(d, &opts);
      ncontact += info->ncontact;
      // the first frame purses lips at one stroke: what contact owes there is 5 at most
      assert_true(info->ninverted <= (f ? 0 : 5));
      assert_int_equal(info->nimplausible, 0);
      assert_true(info->least_gap >= 0);
      assert_int_equal(count_crossings(d, info->positions.data), 0);
      double volume = flesh_volume(d, info->flesh.data);
      if (!(fabs(volume / rest - 1) < 0.03)) fail_msg("frame %d: volume %g of %g", f, volume, rest);
    }
    motion(d, 54, end[fast]);
  }
  assert_true(ncontact > 0);
  assert_true(end[0][1] > 0.001);
  for (int c = 0; c < 3; c++) assert_near(end[0][c], end[1][c], 3e-4);
}

// A stiffer muscle wins more against the flesh around it; at rest nothing is stiffer.
static void test_stiffening(void **state) {
  driven *d = *state;
  double by[3][3];
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 30);
  for (int k = 0; k < 3; k++) { // soft, stiff, soft again
    mien_state_reset(d->state);
    memset(d->contraction, 0, (size_t)d->nmuscle * sizeof *d->contraction);
    opts.muscle_stiffening = k == 1 ? 10 : 0;
    step(d, &opts);
    assert_memory_equal(mien_state_get_info(d->state)->positions.data,
                        mien_rig_get_info(d->rig)->positions.data,
                        3 * (size_t)d->nvert * sizeof(float));
    contract(d, "zygomaticus_major", 0.4);
    for (int f = 0; f < 2; f++) step(d, &opts);
    motion(d, 54, by[k]);
  }
  if (!(by[1][1] > 1.1 * by[0][1]))
    fail_msg("%g mm soft, %g mm stiff", 1e3 * by[0][1], 1e3 * by[1][1]);
  assert_memory_equal(by[2], by[0], sizeof by[0]); // nothing of it stays
}

// m, mean distance of the mouth from the artist's pose on a head that nods.
static double swing_of_mouth(driven *d, const mien_input *given, const mien_step_opts *opts) {
  enum { STILL = 3, FRAMES = 16 };
  mien_input input = *given;
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  float *pose = malloc(3 * (size_t)d->nvert * sizeof *pose);
  double sum = 0;
  mien_error err;
  assert_true(mien_rig_pose(d->rig, input.weights.data, rig->nshape, pose, &err) >= 0);
  mien_state_reset(d->state);
  for (int f = 0; f < FRAMES; f++) {
    input.head.translation[1] = f < STILL ? 0 : 0.02 * sin(1.5 * (f - STILL + 1));
    if (mien_step(d->state, &input, opts, &err) < 0) fail_msg("%s", err.text);
    const float *now = mien_state_get_info(d->state)->positions.data;
    if (f < STILL) assert_memory_equal(now, pose, 3 * (size_t)d->nvert * sizeof *pose);
    for (int k = 48; k < 60; k++) {
      size_t at = 3 * (size_t)rig->landmarks.data[k];
      sum += mi_distance(mi_vec3_load(now + at), mi_vec3_load(pose + at)) / 12;
    }
  }
  free(pose);
  return sum / (FRAMES - STILL);
}

static mien_input smile_of(driven *d, float *weights) {
  mien_input input;
  mien_input_init(&input);
  weights[mien_rig_find_shape(d->rig, "mouthSmileLeft")] = 1;
  weights[mien_rig_find_shape(d->rig, "mouthSmileRight")] = 1;
  input.weights = (mien_f32s){weights, mien_rig_get_info(d->rig)->nshape, 1};
  input.contractions = (mien_f32s){d->contraction, d->nmuscle, 1};
  return input;
}

// Contracted muscles stiffen the flesh of the artist's own animation as a painted material does: a
// smile swings less, and with a still head it stays what the artist made.
static void test_stiffens_shapes(void **state) {
  driven *d = *state;
  float *weights = calloc((size_t)mien_rig_get_info(d->rig)->nshape, sizeof *weights);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 10);
  double swing[2];
  memset(d->contraction, 0, (size_t)d->nmuscle * sizeof *d->contraction);
  mien_input input = smile_of(d, weights);
  contract(d, "zygomaticus", 0.4);
  contract(d, "risorius", 0.4);
  contract(d, "orbicularis_oris", 0.3);
  opts.drive = MIEN_DRIVE_REST_SHAPE;
  for (int k = 0; k < 2; k++) {
    opts.muscle_stiffening = k ? 10 : 0;
    swing[k] = swing_of_mouth(d, &input, &opts);
  }
  if (!(swing[1] < 0.9 * swing[0]))
    fail_msg("%g mm soft, %g mm stiff", 1e3 * swing[0], 1e3 * swing[1]);
  free(weights);
}

// Muscles pull as far with contact as without it, and however long a frame is: what holds flesh off
// its pose is no contact that fades.
static void test_contact_takes_nothing(void **state) {
  driven *d = *state;
  double by[2][3];
  for (int contact = 0; contact < 2; contact++) {
    mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 20);
    opts.dt = 0.1;
    opts.contact = contact ? MIEN_CONTACT_PLANE : MIEN_CONTACT_OFF;
    memset(d->contraction, 0, (size_t)d->nmuscle * sizeof *d->contraction);
    mien_state_reset(d->state);
    step(d, &opts);
    contract(d, "zygomaticus_major", 0.4);
    for (int f = 0; f < 3; f++) step(d, &opts);
    motion(d, 54, by[contact]);
  }
  assert_true(by[0][1] > 0.0005);
  for (int c = 0; c < 3; c++) assert_near(by[1][c], by[0][c], 1e-4);
}

// Flesh that gravity holds off its pose when muscles contract: the forces in it stay, so that it
// goes to where the stiffer flesh is in balance and does not swing around there.
static void test_stiffening_is_rebalanced(void **state) {
  driven *d = *state;
  float *weights = calloc((size_t)mien_rig_get_info(d->rig)->nshape, sizeof *weights);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BDF2, 20);
  double way[2];
  opts.drive = MIEN_DRIVE_REST_SHAPE;
  opts.muscle_stiffening = 10;
  opts.dt = 1.0 / 60;
  opts.gravity[1] = -9.81;
  for (int rebalance = 0; rebalance < 2; rebalance++) {
    enum { SETTLE = 30, FRAMES = 8 };
    double at[3], before[3];
    mien_input input;
    memset(d->contraction, 0, (size_t)d->nmuscle * sizeof *d->contraction);
    input = smile_of(d, weights);
    opts.rebalance = rebalance;
    way[rebalance] = 0;
    mien_state_reset(d->state);
    for (int f = 0; f < SETTLE + FRAMES; f++) {
      opts.damping = f < SETTLE ? 20 : 0;
      if (f == SETTLE) contract(d, "orbicularis_oris", 0.4);
      if (mien_step(d->state, &input, &opts, NULL) < 0) fail_msg("frame %d", f);
      memcpy(before, at, sizeof at);
      motion(d, 57, at);
      for (int c = 0; f > SETTLE && c < 3; c++) way[rebalance] += fabs(at[c] - before[c]);
    }
  }
  if (!(way[1] < 0.5 * way[0])) fail_msg("%g mm, %g mm", 1e3 * way[0], 1e3 * way[1]);
  free(weights);
}

// Wind from the right blows a smile to the left; the smile stays one (Dinev, fig. 4.7).
static void test_wind(void **state) {
  driven *d = *state;
  double still[2][3], blown[2][3];
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 10);
  opts.damping = 10;
  for (int wind = 0; wind < 2; wind++) {
    mien_state_reset(d->state);
    contract(d, "zygomaticus_major", 0.4);
    opts.wind[0] = wind ? 25 : 0;
    for (int f = 0; f < 14; f++) step(d, &opts);
    motion(d, 54, wind ? blown[0] : still[0]);
    motion(d, 48, wind ? blown[1] : still[1]);
    assert_int_equal(mien_state_get_info(d->state)->ninverted, 0);
  }
  double carried = 0.5 * (blown[0][0] + blown[1][0] - still[0][0] - still[1][0]);
  if (!(carried > 1e-5)) fail_msg("the wind moves the corners by %g mm", 1e3 * carried);
  for (int k = 0; k < 2; k++) assert_true(blown[k][1] > 0.5 * still[k][1] && still[k][1] > 0.0005);
}

// The simulated skin is coarser than what is shown, and the barrier keeps the shown one apart.
static void test_barrier_on_embedded_skin(void **unused) {
  (void)unused;
  driven d;
  open_driven(&d, 900);
  const mien_face_info *face = mien_face_get_info(d.face);
  assert_true(face->nfollowing > 100); // skin that is shown and not simulated
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 12);
  opts.contact = MIEN_CONTACT_BARRIER;
  double by[3];
  int ncontact = 0;
  for (int f = 1; f <= 6; f++) {
    contract(&d, "orbicularis_oris", 0.08 * f);
    contract(&d, "mentalis", 0.08 * f);
    const mien_state_info *info = step(&d, &opts);
    assert_int_equal(info->positions.count, d.nvert);
    assert_int_equal(info->ninverted, 0);
    assert_int_equal(info->nimplausible, 0);
    assert_true(info->least_gap >= 0);
    assert_int_equal(count_crossings(&d, info->positions.data), 0);
    ncontact += info->ncontact;
  }
  assert_true(ncontact > 0);
  motion(&d, 54, by);
  if (!(by[0] < -0.001)) fail_msg("the corner goes by %g mm", 1e3 * by[0]);
  // what is not simulated goes along
  const float *now = mien_state_get_info(d.state)->positions.data;
  const float *rest = mien_rig_get_info(d.rig)->positions.data;
  int nmoved = 0;
  for (int i = 0; i < d.nvert; i++)
    nmoved +=
        mi_distance(mi_vec3_load(now + 3 * (size_t)i), mi_vec3_load(rest + 3 * (size_t)i)) > 1e-4;
  assert_true(nmoved > 300);
  close_driven(&d);
}

static driven shared;

static int set_up(void **state) {
  open_driven(&shared, -1);
  *state = &shared;
  return 0;
}

static int tear_down(void **state) {
  close_driven(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_blend_and_retime_in_contact),
      cmocka_unit_test(test_stiffening),
      cmocka_unit_test(test_stiffens_shapes),
      cmocka_unit_test(test_stiffening_is_rebalanced),
      cmocka_unit_test(test_contact_takes_nothing),
      cmocka_unit_test(test_wind),
      cmocka_unit_test(test_barrier_on_embedded_skin),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
