// Muscles fitted to real shapes: ten expressions of a scanned head (ICT-FaceKit) as if they were
// scans, five to fit and five that are not seen (Dinev, figs. 4.2, 4.3), on a skin reduced to what
// a test can pay for. With a file's name the fitted face is kept there, for pictures.
#include "math/vec.h"
#include "scenes/scene.h"
#include "scenes/shared_rigs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FITTED = 5, EXPRESSIONS = 10, PARTS = 6, SIMULATED = 1500 };
static const struct {
  const char *shape[PARTS];
  double weight;
} expressions[EXPRESSIONS] = {
    {{"mouthSmile_L", "mouthSmile_R", "cheekSquint_L", "cheekSquint_R"}, 0.9},
    {{"jawOpen"}, 0.5},
    {{"mouthPucker", "browInnerUp_L", "browInnerUp_R"}, 0.9},
    {{"mouthFrown_L", "mouthFrown_R", "browDown_L", "browDown_R"}, 0.9},
    {{"cheekPuff_L", "cheekPuff_R", "noseSneer_L", "noseSneer_R"}, 0.8},
    {{"mouthSmile_L", "browOuterUp_R"}, 0.9},
    {{"jawOpen", "mouthSmile_L", "mouthSmile_R"}, 0.35},
    {{"mouthFunnel", "browDown_L", "browDown_R"}, 0.7},
    {{"mouthStretch_L", "mouthStretch_R", "browInnerUp_L", "browInnerUp_R"}, 0.8},
    {{"mouthUpperUp_L", "mouthUpperUp_R", "noseSneer_L"}, 0.8},
};
static const char *kept;

static float *pose(const mien_rig *rig, int which) {
  const mien_rig_info *info = mien_rig_get_info(rig);
  float *weights = calloc((size_t)info->nshape, sizeof *weights);
  float *out = malloc(3 * (size_t)info->nvert * sizeof *out);
  for (int k = 0; k < PARTS && expressions[which].shape[k]; k++) {
    int shape = mien_rig_find_shape(rig, expressions[which].shape[k]);
    if (shape < 0) fail_msg("there is no shape %s", expressions[which].shape[k]);
    weights[shape] = (float)expressions[which].weight;
  }
  assert_true(mien_rig_pose(rig, weights, info->nshape, out, NULL) >= 0);
  free(weights);
  return out;
}

// m, mean and largest distance over the skin that the expression moves by 1 mm, and the motion
static void compare(const mien_face_info *face, const float *scan, const float *now, double *mean,
                    double *most, double *moved) {
  const float *rest = mien_rig_get_info(face->rig)->positions.data;
  int count = 0;
  *mean = *most = *moved = 0;
  for (int k = 0; k < face->skin.count; k++) {
    size_t at = 3 * (size_t)face->skin.data[k];
    mi_vec3 p = mi_vec3_load(scan + at);
    double by = mi_distance(p, mi_vec3_load(rest + at));
    if (by < 0.001) continue;
    double off = mi_distance(p, mi_vec3_load(now + at));
    *mean += off;
    *moved += by;
    *most = fmax(*most, off);
    count++;
  }
  *mean /= fmax(1, count);
  *moved /= fmax(1, count);
}

static void real_shapes_as_scans(void **unused) {
  (void)unused;
  shared_truth truth;
  mien_rig *rig = shared_rig_load("ict-facekit", &(shared_options){.keep_jaw = true}, &truth);
  int nvert = mien_rig_get_info(rig)->nvert;
  mien_face *face = NULL;
  mien_activations *solver = NULL;
  mien_error err;
  mien_face_def def;
  mien_muscle_target targets[FITTED];
  float *scan[EXPRESSIONS];
  for (int k = 0; k < EXPRESSIONS; k++) scan[k] = pose(rig, k);
  for (int k = 0; k < FITTED; k++)
    targets[k] = (mien_muscle_target){expressions[k].shape[0], {scan[k], nvert, 3}};
  mien_face_def_init(&def);
  def.blendvolumes = 0;
  def.simulate_at = SIMULATED;
  def.muscle_targets = targets;
  def.nmuscle_target = FITTED;
  def.muscle_rounds = 2;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0) fail_msg("%s", err.text);
  const mien_face_info *info = mien_face_get_info(face);
  assert_true(mien_activations_create(face, NULL, &solver, &err) >= 0);
  printf("%d vertices, %d tetrahedra, fitted in %.0f s\n", info->nvert, info->ntet,
         info->seconds_muscles);
  double sum[2] = {0};
  bool follows = true;
  for (int k = 0; k < EXPRESSIONS; k++) {
    double mean, most, moved;
    if (mien_activations_solve(solver, (mien_f32s){scan[k], nvert, 3}, -1, &err) < 0)
      fail_msg("%s", err.text);
    const mien_activations_info *found = mien_activations_get_info(solver);
    compare(info, scan[k], found->positions.data, &mean, &most, &moved);
    sum[k >= FITTED] += found->error / 5;
    printf("%-8s %-16s %.2f mm of all skin; where it moves (by %.1f mm) %.2f mm, at most %.1f",
           k < FITTED ? "fitted" : "unseen", expressions[k].shape[0], 1e3 * found->error,
           1e3 * moved, 1e3 * mean, 1e3 * most);
    if (k < FITTED)
      printf("; in the fit %.2f, atlas %.2f mm", 1e3 * (double)info->muscle_errors.data[k],
             1e3 * (double)info->muscle_errors_before.data[k]);
    printf("\n");
    follows = follows && mean < 0.6 * moved;
  }
  printf("fitted %.2f mm, unseen %.2f mm on average (thesis 0.85, 0.90)\n", 1e3 * sum[0],
         1e3 * sum[1]);
  if (kept && mien_rig_save(rig, face, NULL, kept, &err) < 0) fail_msg("%s", err.text);
  assert_true(follows);
  assert_true(sum[0] <= 0.00085);
  assert_true(sum[1] <= 0.0009);
  mien_activations_free(solver);
  mien_face_free(face);
  for (int k = 0; k < EXPRESSIONS; k++) free(scan[k]);
  mi_rig_release(rig);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(real_shapes_as_scans)};
  if (!shared_rig_is_there("ict-facekit")) return 77;
  kept = argc > 1 ? argv[1] : NULL;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
