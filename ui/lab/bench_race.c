// The solvers built in for comparison on one frame with contacts and sticky springs, from the same
// start with the same local step: how far from the minimum each is when ours has done a frame's
// iterations, and when it gets within 1 %.
#include "bench.h"

#include "frame_scene.h"
#include "race.h"

#include <math.h>
#include <stdlib.h>

enum { LEAD_IN = 15, POINTS = 12, FRAME_POINT = 7 }; // of race_iterations: up to 20; 8
static const double CLOSE = 1e-2;

static double seconds_until(const race_curve *curve, double error) {
  for (int p = 0; p < curve->count; p++)
    if (curve->error[p] <= error) return curve->seconds[p];
  return NAN;
}

static void add_rows(bench *b, const race_curve *curves) {
  const race_curve *ours = curves + RACE_OURS;
  static char what[RACE_METHODS][2][80]; // rows are printed when all is measured
  double frame = ours->seconds[FRAME_POINT], ours_close = seconds_until(ours, CLOSE);
  bench_add(b, (bench_row){"", "race: 8 iterations, 50 contacts, 110 sticky springs, one factor",
                           frame, 0, NULL, 0});
  for (int m = 0; m < RACE_METHODS; m++) {
    if (!curves[m].count) continue;
    snprintf(what[m][0], sizeof what[m][0], "  error by then: %s", race_names[m]);
    snprintf(what[m][1], sizeof what[m][1], "    within 1 %% after");
    bench_add_figure(
        b, (bench_row){"", what[m][0], 100 * race_error_at(curves + m, frame), 0, NULL, 0}, "%");
    double close = seconds_until(curves + m, CLOSE);
    if (isfinite(close))
      bench_add(b, (bench_row){"", what[m][1], close, m ? ours_close : 0, "ours", 0});
  }
}

static int run(bench *b, frame_scene *scene, textbook *t) {
  race_curve *curves = calloc(RACE_METHODS, sizeof *curves);
  race r;
  if (!curves) return cli_fail("out of memory");
  textbook_frame frame = frame_scene_frame(scene);
  textbook_set_frame(t, &frame);
  bool open = race_open(&r, scene->state->solver, t);
  for (int m = 0; open && m < RACE_METHODS; m++)
    race_measure(&r, (race_method)m, POINTS, bench_is_quick(b) ? 1 : 5, curves + m);
  if (open) {
    race_finish(&r, curves);
    add_rows(b, curves);
    if (!curves[RACE_PD_CHOLESKY].count)
      fprintf(stderr, "note: the race by CHOLMOD is %s\n", mi_cholesky_missing);
  }
  race_close(&r);
  free(curves);
  return open ? CLI_DONE : cli_fail("out of memory");
}

int bench_race(bench *b) {
  frame_scene scene;
  mien_step_opts opts;
  textbook *t = NULL;
  mien_step_opts_init(&opts);
  const char *sample = bench_is_quick(b) ? "head_small.glb" : "head.glb";
  int code = frame_scene_open(&scene, bench_args(b), sample, 2);
  if (!code) code = frame_scene_start(&scene, &opts, LEAD_IN);
  if (!code && (!frame_scene_make_pulls(&scene, 1) || !frame_scene_pull(&scene, true) ||
                !frame_scene_step(&scene)))
    code = cli_fail("the frame with contacts could not be made");
  if (!code && !(t = textbook_of_state(scene.state))) code = cli_fail("out of memory");
  if (!code) code = run(b, &scene, t);
  textbook_free(t);
  frame_scene_close(&scene);
  return code;
}
