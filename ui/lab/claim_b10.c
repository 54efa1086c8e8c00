// B10: stiffnesses from the blendshapes (Barrielle & Stoiber, 4.2). Non-negative weights of strain,
// volume and attachment around every skin vertex that put each expression in balance under the
// forces its shape stands for: how much is left out of balance, and where the flesh goes that is
// let go at an expression, with these forces and the fitted stiffnesses. In full it asks what any
// weights could reach.
#include "claim_b10_drift.h"
#include "claim_b10_least.h"

#include "plot.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

enum { MOST_SHAPES = 512, STEPS = 60 };
static const double SHOWN = 1e-5; // m: expressions that move the flesh by less are not judged
static const double LARGE = 1e-3; // m: for those the least drift is looked for

typedef struct figures {
  double even, fitted, moved; // m, rms over the expressions
  double worst, trembling;    // shares of an expression's own motion: drift; the last step
  int nshape;
  const char *worst_name;
} figures;

static double rms(const drift *of, int count, size_t at) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += pow(*(const double *)((const char *)(of + k) + at), 2);
  return sqrt(sum / count);
}

static figures compare(const mien_rig_info *rig, const drift *even, const drift *fitted) {
  figures f = {.even = rms(even, rig->nshape, offsetof(drift, flesh)),
               .fitted = rms(fitted, rig->nshape, offsetof(drift, flesh)),
               .moved = rms(fitted, rig->nshape, offsetof(drift, moved)),
               .worst_name = "none"};
  for (int k = 0; k < rig->nshape; k++) {
    if (fitted[k].moved < SHOWN) continue;
    f.nshape++;
    f.trembling = fmax(f.trembling, fitted[k].still / fitted[k].moved);
    if (fitted[k].flesh / fitted[k].moved <= f.worst) continue;
    f.worst = fitted[k].flesh / fitted[k].moved, f.worst_name = rig->shapes[k].name;
  }
  return f;
}

static int write_csv(const experiment *e, const mien_rig_info *rig, const mien_face_info *face,
                     const drift *even, const drift *fitted) {
  FILE *csv = cli_create(experiment_path(e, "B10", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "shape,moved,drift_even,drift_fitted,skin_even,skin_fitted,first_step_fitted\n");
  for (int k = 0; k < rig->nshape; k++)
    fprintf(csv, "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n", rig->shapes[k].name, fitted[k].moved,
            even[k].flesh, fitted[k].flesh, even[k].skin, fitted[k].skin,
            (double)face->fit_drift.data[k]);
  return cli_commit(csv, experiment_path(e, "B10", ".csv"));
}

static int draw(const experiment *e, const drift *even, const drift *fitted, int nshape) {
  double x[MOST_SHAPES], y[3][MOST_SHAPES];
  for (int k = 0; k < nshape; k++) {
    x[k] = k;
    y[0][k] = 1e3 * even[k].flesh, y[1][k] = 1e3 * fitted[k].flesh, y[2][k] = 1e3 * fitted[k].moved;
  }
  plot_series series[] = {{"even stiffness", x, y[0], nshape, PLOT_DASHED, 0},
                          {"fitted", x, y[1], nshape, PLOT_LINE, 0},
                          {"the expression's motion", x, y[2], nshape, PLOT_DOTS, 0}};
  plot p = {.title = "B10: how far the flesh goes that is let go at each expression",
            .x_label = "shape",
            .y_label = "mm, rms over the flesh",
            .series = series,
            .nseries = 3};
  mien_error err;
  render_image image = {0};
  mien_result done = plot_draw(&p, &image, &err);
  if (done >= 0) done = render_image_save(&image, experiment_path(e, "B10", ".png"), &err);
  render_image_free(&image);
  return done < 0 ? cli_report(&err, "B10") : CLI_DONE;
}

static void judge(experiment *e, const mien_face_info *face, const figures *f) {
  const double all[] = {
      face->fit_residual_before, face->fit_residual, f->even, f->fitted, f->worst, f->trembling,
      face->fit_violation};
  if (!experiment_is_finite(e, "figures", all, 7)) return;
  experiment_note(e, "forces out of balance: %.1f %% with even stiffness, %.1f %% fitted",
                  100 * face->fit_residual_before, 100 * face->fit_residual);
  experiment_note(e, "weights: %d, least %.3g, %d of them 0; conditions violated by %.1e",
                  3 * face->nskin, face->fit_least, face->nfit_zero, face->fit_violation);
  experiment_note(e,
                  "simulated until it rests: %d expressions move the flesh by %.3f mm rms; from "
                  "there it goes %.3f mm with even stiffness, %.3f mm fitted; worst %s, %.0f %% of "
                  "its own motion; the last step is %.1e of it",
                  f->nshape, 1e3 * f->moved, 1e3 * f->even, 1e3 * f->fitted, f->worst_name,
                  100 * f->worst, f->trembling);
  experiment_note(e, "fitted in %.2f s", face->seconds_fit);
  experiment_note(
      e, "bounds: weights >= 0 and the conditions of a minimum are the claim's; the paper gives no "
         "figures, so ours: half of what even stiffness leaves, a tenth of the motion, and no "
         "expression drifts farther than it moves");
  e->holds = face->fit_least >= 0 && face->fit_violation < 1e-3 &&
             face->fit_residual < 0.5 * face->fit_residual_before && f->fitted < 0.5 * f->even &&
             f->fitted < 0.1 * f->moved && f->worst < 1;
  snprintf(e->ours, sizeof e->ours,
           "all w >= 0 (%d are 0), residual %.0f -> %.0f %%; simulated: flesh goes %.3f -> %.3f mm "
           "rms of %.2f mm, worst expression %.0f %%",
           face->nfit_zero, 100 * face->fit_residual_before, 100 * face->fit_residual,
           1e3 * f->even, 1e3 * f->fitted, 1e3 * f->moved, 100 * f->worst);
}

// The best that the fit could reach: weights and forces for one expression alone.
static int find_least(experiment *e, const mien_rig_info *rig, mien_face *face, const drift *of) {
  drift_bench b;
  mien_error err = {0};
  double start = 0, found = 0, moved = 0, best = INFINITY;
  int count = 0;
  mien_result result = drift_open(&b, face, &err);
  for (int k = 0; result >= 0 && k < rig->nshape; k++) {
    double least = 0;
    if (of[k].moved < LARGE) continue;
    result = least_find(&b, k, STEPS, &least, &err);
    start += pow(of[k].flesh, 2), found += pow(least, 2), moved += pow(of[k].moved, 2);
    best = fmin(best, least / of[k].moved), count++;
  }
  drift_close(&b);
  if (result < 0) return cli_report(&err, "B10");
  experiment_note(e,
                  "the least that any weights above zero and any sum of the shapes' forces leave, "
                  "found for each of the %d expressions of more than 1 mm alone (%d steps down the "
                  "slope of the drift itself): %.3f mm rms where the fit leaves %.3f mm of %.3f "
                  "mm; no expression below %.0f %% of its motion",
                  count, STEPS, 1e3 * sqrt(found / count), 1e3 * sqrt(start / count),
                  1e3 * sqrt(moved / count), 100 * best);
  return CLI_DONE;
}

static int run_face(mien_rig *rig, int fit, drift *out, mien_face **face) {
  mien_error err;
  mien_face_def def;
  mien_face_def_init(&def);
  def.fit_stiffness = fit;
  if (mien_face_create(rig, &def, NULL, face, &err) < 0) return cli_report(&err, "B10");
  return drift_simulate(*face, out);
}

static int run(experiment *e) {
  mien_rig *rig = cli_load_rig(e->args, cli_sample("head_small.glb"));
  if (!rig) return CLI_FAILED;
  const mien_rig_info *info = mien_rig_get_info(rig);
  mien_face *even = NULL, *fitted = NULL;
  drift *of = calloc(2 * (size_t)info->nshape, sizeof *of);
  int code = of ? CLI_DONE : cli_fail("out of memory");
  if (!code && info->nshape > MOST_SHAPES) code = cli_fail("more than %d shapes", MOST_SHAPES);
  if (!code) code = run_face(rig, 0, of, &even);
  if (!code) code = run_face(rig, 1, of + info->nshape, &fitted);
  if (!code) {
    figures f = compare(info, of, of + info->nshape);
    judge(e, mien_face_get_info(fitted), &f);
    if (!e->quick) code = find_least(e, info, fitted, of + info->nshape);
    if (!code) code = write_csv(e, info, mien_face_get_info(fitted), of, of + info->nshape);
  }
  if (!code) code = draw(e, of, of + info->nshape, info->nshape);
  free(of);
  mien_face_free(even);
  mien_face_free(fitted);
  mien_rig_free(rig);
  return code;
}

const claim claim_b10 = {
    "B10",
    "Stiffnesses are found from the blendshapes: non-negative weights that put every expression in "
    "static equilibrium",
    "-",
    run,
    .limits =
        "expressions of several shapes; contact; forces other than along a shape's own motion",
};
