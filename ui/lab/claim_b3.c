// B3: the race of figure 3 on one frame with contacts and sticky springs (Barrielle & Stoiber,
// 5.3): relative error against time.
#include "reproduce.h"

#include "frame_scene.h"
#include "plot.h"
#include "race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAD_IN = 15 };
static const double DOWN_TO = 1e-3;

static int write_csv(const experiment *e, const race_curve *curves) {
  FILE *csv = cli_create(experiment_path(e, "B3", ".csv"));
  if (!csv) return CLI_FAILED;
  fprintf(csv, "method,iterations,seconds,energy,relative_error\n");
  for (int m = 0; m < RACE_METHODS; m++)
    for (int p = 0; p < curves[m].count; p++)
      fprintf(csv, "\"%s\",%d,%.9g,%.12g,%.6g\n", race_names[m], race_iterations[p],
              curves[m].seconds[p], curves[m].energy[p], curves[m].error[p]);
  return cli_commit(csv, experiment_path(e, "B3", ".csv"));
}

static int draw(const experiment *e, const race_curve *curves) {
  static const char *const ends[] = {".png", "_iterations.png"};
  double ms[RACE_METHODS][RACE_POINTS], steps[RACE_POINTS];
  mien_error err;
  for (int by_iteration = 0; by_iteration < 2; by_iteration++) {
    plot_series series[RACE_METHODS];
    render_image image = {0};
    int count = 0;
    for (int m = 0; m < RACE_METHODS; m++) {
      for (int p = 0; p < curves[m].count; p++)
        steps[p] = race_iterations[p], ms[m][p] = 1e3 * curves[m].seconds[p];
      if (curves[m].count)
        series[count++] = (plot_series){.name = race_names[m],
                                        .x = by_iteration ? steps : ms[m],
                                        .y = curves[m].error,
                                        .count = curves[m].count};
    }
    double most = 3 * ms[RACE_OURS][curves[RACE_OURS].count - 1];
    plot p = {.title = "B3: relative error on a frame with contacts and sticky lips",
              .x_label = by_iteration ? "iterations" : "ms",
              .y_label = "(E - E*) / (E0 - E*)",
              .series = series,
              .nseries = count,
              .log_y = 1,
              .x_max = by_iteration ? 32 : most,
              .y_min = 1e-5,
              .y_max = 2};
    mien_result done = plot_draw(&p, &image, &err);
    if (done >= 0)
      done = render_image_save(&image, experiment_path(e, "B3", ends[by_iteration]), &err);
    render_image_free(&image);
    if (done < 0) return cli_report(&err, "B3");
  }
  return CLI_DONE;
}

// Our curve against each other one, at the times of our own iterations, down to DOWN_TO.
static void judge(experiment *e, const race_curve *curves) {
  const race_curve *ours = curves + RACE_OURS;
  double reached = INFINITY, next = INFINITY;
  e->holds = true;
  for (int p = 1; p < ours->count && (p == 1 || ours->error[p - 1] > DOWN_TO); p++) {
    reached = ours->seconds[p];
    for (int m = RACE_GS_LBFGS; m < RACE_METHODS; m++)
      if (curves[m].count && race_error_at(curves + m, ours->seconds[p]) < ours->error[p]) {
        e->holds = false;
        experiment_note(e, "%s is lower after %.2f ms", race_names[m], 1e3 * ours->seconds[p]);
      }
  }
  for (int m = 1; m < RACE_METHODS; m++) next = fmin(next, race_error_at(curves + m, reached));
  bool finite = true;
  for (int p = 0; p < ours->count; p++) finite &= isfinite(ours->energy[p]) != 0;
  e->holds &= finite && race_error_at(ours, reached) <= DOWN_TO;
  for (int m = 0; m < RACE_METHODS; m++) {
    double at = NAN;
    for (int p = curves[m].count - 1; p >= 0; p--)
      if (curves[m].error[p] <= 1e-2) at = 1e3 * curves[m].seconds[p];
    if (curves[m].count)
      experiment_note(e, "%-34s error %.1e when ours is at %.1e; 1e-2 after %.2f ms", race_names[m],
                      race_error_at(curves + m, reached), race_error_at(ours, reached), at);
    else
      experiment_note(e, "%-34s %s", race_names[m], mi_cholesky_missing);
  }
  snprintf(e->ours, sizeof e->ours, "error %.1e after %.2f ms, the next best %.1e by then",
           race_error_at(ours, reached), 1e3 * reached, next);
}

static int run_race(experiment *e, frame_scene *scene, textbook *t) {
  race_curve *curves = calloc(RACE_METHODS, sizeof *curves);
  race r;
  int code = CLI_FAILED, points = e->quick ? 12 : RACE_POINTS;
  textbook_frame frame = frame_scene_frame(scene);
  textbook_set_frame(t, &frame);
  if (curves && race_open(&r, scene->state->solver, t)) {
    for (int m = 0; m < RACE_METHODS; m++)
      race_measure(&r, (race_method)m, points, (e->quick ? 3 : 7) - (m >= RACE_PD_CHOLESKY),
                   curves + m);
    race_finish(&r, curves);
    judge(e, curves);
    code = write_csv(e, curves);
    if (!code) code = draw(e, curves);
    race_close(&r);
  } else {
    cli_fail("out of memory");
  }
  free(curves);
  return code;
}

static int run(experiment *e) {
  frame_scene scene;
  mien_step_opts opts;
  textbook *t = NULL;
  mien_step_opts_init(&opts);
  int code =
      frame_scene_open(&scene, e->args, e->quick ? "head_small.glb" : "head.glb", e->args->threads);
  if (!code) code = frame_scene_start(&scene, &opts, LEAD_IN);
  if (!code && (!frame_scene_make_pulls(&scene, 1) || !frame_scene_pull(&scene, true) ||
                !frame_scene_step(&scene)))
    code = cli_fail("the frame with contacts could not be made");
  if (!code && !(t = textbook_of_state(scene.state))) code = cli_fail("out of memory");
  if (!code) code = run_race(e, &scene, t);
  textbook_free(t);
  frame_scene_close(&scene);
  return code;
}

const claim claim_b3 = {
    "B3",
    "On a frame with contacts and sticky springs the solver is ahead of PD-Cholesky, PD-1GS, "
    "L-BFGS-1GS, L-BFGS-Cholesky and Gauss-Seidel-L-BFGS at equal time",
    "curves (figure 3): Gauss-Seidel-L-BFGS ahead for ten iterations",
    run,
    "see docs/claims.md",
};
