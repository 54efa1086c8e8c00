// B10: stiffnesses from the blendshapes (Barrielle & Stoiber, 4.2). Non-negative weights of strain,
// volume and attachment around every skin vertex that put each expression in balance under the
// forces its shape stands for: how much is left out of balance, and how far that moves the skin.
#include "reproduce.h"

#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double moved_by(const mien_rig_info *rig, const mien_face_info *face, int k, float *weights,
                       float *pose, const mien_rig *of) {
  double sum = 0;
  memset(weights, 0, (size_t)rig->nshape * sizeof *weights);
  weights[k] = 1;
  mien_rig_pose(of, weights, rig->nshape, pose, NULL);
  for (int i = 0; i < 3 * face->nskin; i++) {
    size_t at = 3 * (size_t)face->skin.data[i / 3] + (size_t)(i % 3);
    sum += pow((double)(pose[at] - rig->positions.data[at]), 2);
  }
  return sqrt(sum / face->nskin);
}

static int write_csv(const experiment *e, const mien_rig *of, const mien_face_info *face,
                     double *worst, double *motion) {
  const mien_rig_info *rig = mien_rig_get_info(of);
  float *weights = calloc((size_t)rig->nshape, sizeof *weights);
  float *pose = calloc(3 * (size_t)rig->nvert, sizeof *pose);
  FILE *csv = weights && pose ? cli_create(experiment_path(e, "B10", ".csv")) : NULL;
  if (csv) fprintf(csv, "shape,moved_rms,drift_even,drift_fitted\n");
  *worst = *motion = 0;
  for (int k = 0; csv && k < rig->nshape; k++) {
    double moved = moved_by(rig, face, k, weights, pose, of);
    fprintf(csv, "%s,%.6g,%.6g,%.6g\n", rig->shapes[k].name, moved,
            (double)face->fit_drift_before.data[k], (double)face->fit_drift.data[k]);
    *motion += moved * moved / rig->nshape;
    if (moved > 1e-5) *worst = fmax(*worst, (double)face->fit_drift.data[k] / moved);
  }
  *motion = sqrt(*motion);
  free(weights);
  free(pose);
  return csv ? cli_commit(csv, experiment_path(e, "B10", ".csv")) : CLI_FAILED;
}

static int draw(const experiment *e, const mien_face_info *face, int nshape) {
  double x[512], even[512], fitted[512];
  int n = nshape < 512 ? nshape : 512;
  for (int k = 0; k < n; k++) {
    x[k] = k;
    even[k] = 1e3 * (double)face->fit_drift_before.data[k];
    fitted[k] = 1e3 * (double)face->fit_drift.data[k];
  }
  plot_series series[] = {{"even stiffness", x, even, n, PLOT_DASHED, 0},
                          {"fitted", x, fitted, n, PLOT_LINE, 0}};
  plot p = {.title = "B10: how far each expression drifts under its own forces",
            .x_label = "shape",
            .y_label = "mm, rms over the skin",
            .series = series,
            .nseries = 2};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B10", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B10") : CLI_DONE;
}

static double rms(const mien_f32s *values) {
  double sum = 0;
  for (int k = 0; k < values->count; k++) sum += pow((double)values->data[k], 2);
  return sqrt(sum / values->count);
}

static int judge(experiment *e, const mien_rig *rig, const mien_face_info *face) {
  double before = rms(&face->fit_drift_before), after = rms(&face->fit_drift), worst, motion;
  double figures[] = {face->fit_residual_before, face->fit_residual, before, after,
                      face->fit_violation};
  if (!experiment_is_finite(e, "figures", figures, 5)) return CLI_DONE;
  int code = write_csv(e, rig, face, &worst, &motion);
  experiment_note(e, "forces out of balance: %.1f %% with even stiffness, %.1f %% fitted",
                  100 * face->fit_residual_before, 100 * face->fit_residual);
  experiment_note(e, "weights: %d, least %.3g, %d of them 0; conditions violated by %.1e",
                  3 * face->nskin, face->fit_least, face->nfit_zero, face->fit_violation);
  experiment_note(e,
                  "drift: %.3f mm rms even, %.3f mm fitted, of %.3f mm of motion; worst expression "
                  "%.1f %% of its own",
                  1e3 * before, 1e3 * after, 1e3 * motion, 100 * worst);
  experiment_note(e, "fitted in %.2f s", face->seconds_fit);
  experiment_note(
      e, "bounds: weights >= 0 and the conditions of a minimum are the claim's; the paper gives no "
         "figures, so ours: half of what even stiffness leaves, a tenth of the motion, and no "
         "expression drifts farther than it moves");
  e->holds = face->fit_least >= 0 && face->fit_violation < 1e-3 &&
             face->fit_residual < 0.5 * face->fit_residual_before && after < 0.5 * before &&
             after < 0.1 * motion && worst < 1;
  snprintf(e->ours, sizeof e->ours,
           "residual %.0f -> %.0f %%, all w >= 0 (%d are 0); drift %.3f -> %.3f mm rms of %.2f mm, "
           "worst %.0f %%; %.1f s",
           100 * face->fit_residual_before, 100 * face->fit_residual, face->nfit_zero, 1e3 * before,
           1e3 * after, 1e3 * motion, 100 * worst, face->seconds_fit);
  return code ? code : draw(e, face, mien_rig_get_info(rig)->nshape);
}

static int run(experiment *e) {
  mien_error err;
  mien_face *face = NULL;
  mien_face_def def;
  mien_face_def_init(&def);
  def.fit_stiffness = 1;
  mien_rig *rig = cli_load_rig(e->args, cli_sample("head_small.glb"));
  if (!rig) return CLI_FAILED;
  int code = CLI_DONE;
  if (mien_face_create(rig, &def, NULL, &face, &err) < 0)
    code = cli_report(&err, "B10");
  else
    code = judge(e, rig, mien_face_get_info(face));
  mien_face_free(face);
  mien_rig_free(rig);
  return code;
}

const claim claim_b10 = {
    "B10",
    "Stiffnesses are found from the blendshapes: non-negative weights that put every expression in "
    "static equilibrium",
    "-",
    run,
    "see docs/claims.md",
};
