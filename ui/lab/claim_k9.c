// K9: the time of a step with rest-shape drive and rebalancing, at the paper's own step of 1/300 s.
#include "claim_motion.h"
#include "curves.h"
#include "frame_scene.h"

#include <math.h>

static const double PAPER = 4;      // s a step at most, up to 9k nodes
static const double MOST = 1.8;     // times a step without rebalancing
static const double LEFT = 0.2;     // of the gradient, after 8 iterations
enum { NSTEP = 12, LEAD_IN = 300 }; // a second: the head is being shaken by then

static int run(experiment *e) {
  frame_scene scene;
  mien_step_opts opts;
  mien_step_opts_init(&opts);
  opts.dt = 1.0 / 300;
  curves c = {.title = "K9: time of a step of 1/300 s with rebalancing",
              .x_label = "step",
              .y_label = "s",
              .name = {"mien", "the paper's, at most"},
              .ncurve = 2,
              .count = NSTEP,
              .log_y = 1};
  int code =
      frame_scene_open(&scene, e->args, e->quick ? "head_small.glb" : "head.glb", e->args->threads);
  if (!code && !curves_reserve(&c, NSTEP)) code = cli_fail("out of memory");
  if (!code) code = frame_scene_start(&scene, &opts, LEAD_IN);
  double sum = 0, residual = 0;
  int iterations = 0;
  for (int k = 0; !code && k < NSTEP; k++) {
    double seconds = frame_scene_time(&scene, false, 3);
    if (seconds < 0) code = CLI_FAILED;
    c.x[k] = k, c.y[0][k] = seconds, c.y[1][k] = PAPER;
    sum += seconds / NSTEP;
    residual = fmax(residual, mien_state_get_info(scene.state)->residual);
    iterations += mien_state_get_info(scene.state)->iterations;
    frame_scene_keep(&scene);
  }
  frame_times times = {0};
  mien_step_opts plain, rebalanced;
  mien_step_opts_init(&plain);
  rebalanced = plain;
  plain.rebalance = 0;
  if (!code) code = compare_frames(e, &plain, &rebalanced, &times);
  if (!code) {
    double more = times.other / times.one;
    // it moved, it was minimised, and rebalancing costs what targets.md allows
    e->holds = iterations >= NSTEP && residual < LEFT && (e->quick || more <= MOST);
    snprintf(e->ours, sizeof e->ours,
             "a step with rebalancing takes %.2f times one without (bound %.1f); %.1f ms, %d flesh "
             "vertices: %.0f times as fast as the paper; the gradient falls to %.1e",
             more, MOST, 1e3 * sum, mien_face_get_info(scene.face)->nvert, PAPER / sum, residual);
  }
  if (!code) code = curves_save(e, "K9", &c);
  curves_free(&c);
  frame_scene_close(&scene);
  return code;
}

const claim claim_k9 = {
    "K9",
    "Speed of a step with rest-shape drive and rebalancing",
    "up to 4 s a step of 1/300 s, 9k nodes",
    run,
    .limits = "the paper's 10 Newton iterations, which go further down, on its machine",
    .judges_times = true,
};
