// Muscles: nothing at rest, fibres pull where they should, the same by Newton, same bits, contact
// and kept energy, what is refused.
#include "drive/drive.h"
#include "energy/muscle.h"
#include "math/vec.h"
#include "scenes/heads.h"

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

static void open_driven(driven *d, int threads, bool has_muscles) {
  mien_error err;
  mien_host host;
  mien_host_init(&host);
  host.threads = threads;
  d->rig = head_rig();
  d->face = head_face(has_muscles);
  assert_true(mien_state_create(d->face, &host, &d->state, &err) >= 0);
  d->nmuscle = mien_face_get_info(d->face)->nmuscle;
  d->nvert = mien_rig_get_info(d->rig)->nvert;
  d->contraction = calloc((size_t)d->nmuscle + 1, sizeof *d->contraction);
}

static void close_driven(driven *d) {
  free(d->contraction);
  mien_state_free(d->state);
}

static int muscle(const driven *d, const char *name) {
  const mien_face_info *info = mien_face_get_info(d->face);
  for (int m = 0; m < info->nmuscle; m++)
    if (!strcmp(info->muscles[m].name, name)) return m;
  fail_msg("there is no muscle %s", name);
  return -1;
}

static mien_step_opts opts_of(mien_integrator integrator, int iterations) {
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.drive = MIEN_DRIVE_MUSCLE;
  opts.integrator = integrator;
  opts.iterations = iterations;
  return opts;
}

static mien_result step(driven *d, const mien_step_opts *opts, mien_error *err) {
  mien_input input;
  mien_input_init(&input);
  input.contractions = (mien_f32s){d->contraction, d->nmuscle, 1};
  return mien_step(d->state, &input, opts, err);
}

// m, how far a landmark has gone
static void motion(const driven *d, int landmark, double out[3]) {
  const mien_rig_info *rig = mien_rig_get_info(d->rig);
  const float *now = mien_state_get_info(d->state)->positions.data;
  size_t at = 3 * (size_t)rig->landmarks.data[landmark];
  for (size_t c = 0; c < 3; c++) out[c] = (double)(now[at + c] - rig->positions.data[at + c]);
}

static void test_rest_is_exact(void **unused) {
  (void)unused;
  driven d;
  open_driven(&d, 1, true);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 8);
  for (int f = 0; f < 3; f++) assert_int_equal(step(&d, &opts, NULL), MIEN_OK);
  const float *now = mien_state_get_info(d.state)->positions.data;
  assert_memory_equal(now, mien_rig_get_info(d.rig)->positions.data,
                      3 * (size_t)d.nvert * sizeof(float));
  close_driven(&d);
}

static void test_fibres_pull(void **unused) {
  (void)unused;
  static const struct {
    const char *name;
    int landmark, axis, sign;
    double least; // m
  } pulls[] = {{"zygomaticus_major_left", 54, 1, 1, 0.001},
               {"depressor_anguli_oris_left", 54, 1, -1, 0.001},
               {"frontalis_right", 19, 1, 1, 0.001},
               {"buccinator_right", 48, 2, -1, 0.001},
               {"orbicularis_oris_upper_left", 54, 0, -1, 0.0005},
               {"mentalis_left", 8, 1, 1, 0.0005}};
  driven d;
  open_driven(&d, 1, true);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 20);
  for (size_t k = 0; k < sizeof pulls / sizeof *pulls; k++) {
    double by[3];
    mien_state_reset(d.state);
    memset(d.contraction, 0, (size_t)d.nmuscle * sizeof *d.contraction);
    d.contraction[muscle(&d, pulls[k].name)] = 0.4f;
    for (int f = 0; f < 2; f++) assert_int_equal(step(&d, &opts, NULL), MIEN_OK);
    motion(&d, pulls[k].landmark, by);
    if (!(pulls[k].sign * by[pulls[k].axis] > pulls[k].least))
      fail_msg("%s moves landmark %d by %g mm", pulls[k].name, pulls[k].landmark,
               1e3 * by[pulls[k].axis]);
    assert_int_equal(mien_state_get_info(d.state)->ninverted, 0);
  }
  close_driven(&d);
}

static void smile(driven *d) {
  d->contraction[muscle(d, "zygomaticus_major_left")] = 0.4f;
  d->contraction[muscle(d, "zygomaticus_major_right")] = 0.35f;
  d->contraction[muscle(d, "risorius_left")] = 0.3f;
  d->contraction[muscle(d, "frontalis_left")] = 0.2f;
}

// The reference works on stencils in double, with code of its own for the targets.
static void test_newton_agrees(void **unused) {
  (void)unused;
  driven fast, exact;
  open_driven(&fast, 1, true);
  open_driven(&exact, 1, true);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 150);
  smile(&fast);
  smile(&exact);
  assert_int_equal(step(&fast, &opts, NULL), MIEN_OK);
  opts.solver = MIEN_SOLVER_NEWTON;
  opts.iterations = 12;
  assert_int_equal(step(&exact, &opts, NULL), MIEN_OK);
  double most = 0, moved = 0;
  const float *a = mien_state_get_info(fast.state)->positions.data;
  const float *b = mien_state_get_info(exact.state)->positions.data;
  const float *rest = mien_rig_get_info(fast.rig)->positions.data;
  for (int i = 0; i < 3 * fast.nvert; i++) {
    most = fmax(most, fabs((double)(a[i] - b[i])));
    moved = fmax(moved, fabs((double)(a[i] - rest[i])));
  }
  assert_true(moved > 0.002);
  if (!(most < 0.02 * moved)) fail_msg("%g mm of %g", 1e3 * most, 1e3 * moved);
  close_driven(&fast);
  close_driven(&exact);
}

static uint64_t play(int threads, int substeps) {
  driven d;
  open_driven(&d, threads, true);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 8);
  opts.substeps = substeps;
  smile(&d);
  for (int f = 0; f < 4; f++) assert_int_equal(step(&d, &opts, NULL), MIEN_OK);
  uint64_t hash = mien_state_hash(d.state);
  close_driven(&d);
  return hash;
}

static void test_same_bits(void **unused) {
  (void)unused;
  assert_true(play(1, 2) == play(3, 2));
}

// Pursed and pressed lips: muscles push flesh against flesh, and nothing crosses.
static void test_contact_and_energy(void **unused) {
  (void)unused;
  static const char *const purse[] = {"orbicularis_oris_upper_left",
                                      "orbicularis_oris_upper_right",
                                      "orbicularis_oris_lower_left",
                                      "orbicularis_oris_lower_right",
                                      "mentalis_left",
                                      "mentalis_right"};
  for (int kept = 0; kept < 2; kept++) {
    driven d;
    open_driven(&d, 1, true);
    for (size_t k = 0; k < sizeof purse / sizeof *purse; k++)
      d.contraction[muscle(&d, purse[k])] = 0.45f;
    mien_step_opts opts = opts_of(MIEN_INTEGRATOR_BACKWARD_EULER, 8);
    opts.contact = MIEN_CONTACT_PLANE;
    opts.energy_projection = kept;
    opts.damping = 5;
    for (int f = 0; f < 12; f++) {
      assert_true(step(&d, &opts, NULL) >= 0);
      const mien_state_info *info = mien_state_get_info(d.state);
      assert_int_equal(info->nimplausible, 0);
      assert_true(info->least_gap >= 0);
      assert_true(info->max_offset < 0.02);
    }
    opts.contact = MIEN_CONTACT_BARRIER;
    opts.energy_projection = 0;
    opts.integrator = MIEN_INTEGRATOR_QUASI_STATIC;
    for (int f = 0; f < 3; f++) {
      assert_true(step(&d, &opts, NULL) >= 0);
      assert_true(mien_state_get_info(d.state)->least_gap >= 0);
    }
    close_driven(&d);
  }
}

// Fat grows what is passive, and as a layer: grown in all directions alike it had no room (1.45 of
// 1.2^3), and skin before an ear was pushed over itself.
static void test_fat(void **unused) {
  (void)unused;
  driven d;
  open_driven(&d, 1, true);
  const mien_face_info *info = mien_face_get_info(d.face);
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 40);
  opts.fat = 1.2;
  for (int f = 0; f < 2; f++) assert_int_equal(step(&d, &opts, NULL), MIEN_OK);
  const float *now = mien_state_get_info(d.state)->flesh.data, *rest = info->positions.data;
  double grown[2] = {0}, was[2] = {0};
  for (int t = 0; t < info->ntet; t++) {
    const int32_t *tet = info->tets.data + 4 * (size_t)t;
    double share = 0, volume[2];
    for (int e = info->muscle_first.data[t]; e < info->muscle_first.data[t + 1]; e++)
      share += (double)info->muscle_share.data[e];
    for (int k = 0; k < 2; k++) {
      const float *x = k ? now : rest;
      mi_vec3 p[4];
      for (int c = 0; c < 4; c++) p[c] = mi_vec3_load(x + 3 * (size_t)tet[c]);
      volume[k] = mi_det(p[0], p[1], p[2], p[3]);
    }
    int kind = share > 0.95 ? 1 : 0;
    if (share > 0.05 && !kind) continue;
    was[kind] += volume[0];
    grown[kind] += volume[1];
  }
  assert_near(grown[0] / was[0], 1.2 * 1.2 * 1.2, 0.05);
  assert_true(fabs(grown[1] / was[1] - 1) < 0.1);
  close_driven(&d);
}

static void refuse(driven *d, int at, double value, const char *words) {
  mien_error err;
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 8);
  uint64_t before = mien_state_hash(d->state);
  d->contraction[at] = (float)value;
  assert_true(step(d, &opts, &err) < 0);
  d->contraction[at] = 0;
  if (!strstr(err.text, words)) fail_msg("'%s' is not in '%s'", words, err.text);
  assert_true(mien_state_hash(d->state) == before);
}

// Half the share of a tetrahedron is half of what a muscle does to it.
static void test_shares_count(void **unused) {
  (void)unused;
  driven d;
  open_driven(&d, 1, true);
  mi_muscles *muscles = &d.face->muscles;
  int ntet = mien_face_get_info(d.face)->ntet, nmoved = 0;
  float *activation = calloc(MI_ACTIVATION * (size_t)d.nmuscle, sizeof *activation);
  float *shape[2] = {calloc(6 * (size_t)ntet, sizeof(float)),
                     calloc(6 * (size_t)ntet, sizeof(float))};
  float *volume = calloc((size_t)ntet, sizeof *volume);
  assert_true(activation && shape[0] && shape[1] && volume);
  for (int m = 0; m < d.nmuscle; m++)
    mi_muscle_contract(0.3, activation + MI_ACTIVATION * (size_t)m);
  for (int k = 0; k < 2; k++) {
    mi_actuation out = {.shape = shape[k], .volume = volume};
    mi_muscle_actuate(d.face, activation, 1, &out);
    for (int e = 0; e < muscles->first[ntet]; e++) muscles->share[e] *= 0.5f;
  }
  for (int i = 0; i < 6 * ntet; i++) {
    float still = i % 6 == 0 || i % 6 == 3 || i % 6 == 5;
    nmoved += shape[0][i] - still > 1e-3f;
    assert_near(shape[1][i] - still, 0.5f * (shape[0][i] - still), 1e-6);
  }
  assert_true(nmoved > 100);
  free(activation);
  free(shape[0]);
  free(shape[1]);
  free(volume);
  close_driven(&d);
}

static void test_what_is_refused(void **unused) {
  (void)unused;
  driven d, bare;
  mien_error err;
  mien_input input;
  open_driven(&d, 1, true);
  refuse(&d, 2, 0.9, "cannot contract by 0.9");
  refuse(&d, 2, -3, "cannot contract by -3");
  refuse(&d, 0, NAN, "not finite");
  mien_step_opts opts = opts_of(MIEN_INTEGRATOR_QUASI_STATIC, 8);
  float *wild = calloc(6 * (size_t)d.nmuscle, sizeof *wild);
  for (int k = 0; k < 6 * d.nmuscle; k++) wild[k] = k % 6 == 0 || k % 6 == 3 || k % 6 == 5;
  wild[6 * 3 + 1] = 4;
  mien_input_init(&input);
  input.activations = (mien_f32s){wild, d.nmuscle, 6};
  assert_true(mien_step(d.state, &input, &opts, &err) < 0);
  assert_non_null(strstr(err.text, "0.2 to 5"));
  input.activations.count = 3;
  assert_int_equal(mien_step(d.state, &input, &opts, &err), MIEN_ERR_MISMATCH);
  assert_non_null(strstr(err.text, "3 activations were given, the face has"));
  open_driven(&bare, 1, false);
  assert_int_equal(step(&bare, &opts, &err), MIEN_ERR_OPTIONS);
  assert_non_null(strstr(err.text, "needs a face with muscles"));
  free(wild);
  close_driven(&d);
  close_driven(&bare);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest_is_exact),      cmocka_unit_test(test_fibres_pull),
      cmocka_unit_test(test_newton_agrees),      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_contact_and_energy), cmocka_unit_test(test_fat),
      cmocka_unit_test(test_shares_count),       cmocka_unit_test(test_what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
