// Blendforces on rigs that artists made: single shapes and a smile are reached.
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double play(mien_state *state, const mien_face *face, const mien_rig *rig,
                   const float *weights, double *moved) {
  const mien_face_info *info = mien_face_get_info(face);
  const mien_rig_info *shown = mien_rig_get_info(rig);
  float *now = calloc((size_t)shown->nshape, sizeof *now);
  float *pose = calloc(3 * (size_t)shown->nvert, sizeof *pose);
  mien_step_opts opts;
  mien_input input;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.dt = 1.0 / 30;
  opts.drive = MIEN_DRIVE_BLENDFORCE;
  input.weights = (mien_f32s){now, shown->nshape, 1};
  mien_state_reset(state);
  for (int f = 1; f <= 8; f++) {
    for (int k = 0; k < shown->nshape; k++) now[k] = (float)fmin(1, f / 4.0) * weights[k];
    assert_true(mien_step(state, &input, &opts, NULL) >= 0);
  }
  mien_rig_pose(rig, now, shown->nshape, pose, NULL);
  double left = 0;
  const float *at = mien_state_get_info(state)->positions.data;
  *moved = 0;
  for (int i = 0; i < 3 * info->nskin; i++) {
    size_t v = 3 * (size_t)info->skin.data[i / 3] + (size_t)(i % 3);
    left += pow((double)(at[v] - pose[v]), 2);
    *moved += pow((double)(shown->positions.data[v] - pose[v]), 2);
  }
  *moved = sqrt(*moved / info->nskin);
  free(now);
  free(pose);
  return sqrt(left / info->nskin);
}

static void try_rig(const char *folder) {
  static const char *const names[] = {"jawOpen",        "browInnerUp",     "mouthPucker",
                                      "mouthSmileLeft", "mouthSmileRight", "eyeBlinkLeft",
                                      "mouthRollUpper"};
  enum { NAMES = sizeof names / sizeof *names };
  shared_options options = {0};
  shared_truth truth;
  mien_rig *rig = shared_rig_load(folder, &options, &truth);
  mien_face *face;
  mien_state *state;
  mien_error err;
  mien_face_def def;
  mien_face_def_init(&def);
  def.simulate_at = 2500; // quick
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  assert_true(mien_state_create(face, NULL, &state, &err) >= 0);
  float *weights = calloc((size_t)mien_rig_get_info(rig)->nshape, sizeof *weights);
  int nfound = 0;
  for (int k = 0; k < NAMES; k++) {
    int shape = mien_rig_find_shape(rig, names[k]);
    if (shape < 0) continue;
    double moved;
    weights[shape] = 1;
    double left = play(state, face, rig, weights, &moved);
    weights[shape] = 0;
    print_message("%s %s: %.3f of %.2f mm left\n", folder, names[k], 1e3 * left, 1e3 * moved);
    assert_true(left < 0.05 * moved + 1e-5);
    nfound++;
  }
  assert_true(nfound >= 4);
  free(weights);
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
}

static void facecap_is_reached(void **state) {
  (void)state;
  try_rig("facecap-head");
}

static void ict_is_reached(void **state) {
  (void)state;
  try_rig("ict-facekit");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(facecap_is_reached),
                                     cmocka_unit_test(ict_is_reached)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
