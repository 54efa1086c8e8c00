// What keeping the energy and rebalancing cost a frame.
#include "bench.h"

#include "frame_scene.h"

#include <math.h>

typedef struct way {
  const char *id, *what, *against;
  mien_step_opts opts, plain;
  double target;
} way;

// Several frames: some need nothing but a look at their energy, others much.
static int measure(bench *b, const way *w) {
  const char *sample = bench_is_quick(b) ? "head_small.glb" : "head.glb";
  int frames = bench_is_quick(b) ? 2 : 8, repeats = bench_is_quick(b) ? 3 : 5, code = CLI_DONE;
  double sum[2] = {0};
  frame_scene scenes[2];
  for (int k = 0; k < 2; k++) {
    int opened = frame_scene_open(scenes + k, bench_args(b), sample, bench_args(b)->threads);
    if (!opened && !code) opened = frame_scene_start(scenes + k, k ? &w->plain : &w->opts, 12);
    if (opened) code = opened;
  }
  for (int frame = 0; !code && frame < frames; frame++) {
    double best[2] = {INFINITY, INFINITY};
    for (int r = 0; !code && r < repeats; r++) // in turns: what else runs disturbs both
      for (int k = 0; k < 2; k++) {
        double seconds = frame_scene_time(scenes + k, false, 1);
        if (seconds < 0) code = CLI_FAILED;
        best[k] = fmin(best[k], seconds);
      }
    for (int k = 0; k < 2; k++) {
      sum[k] += best[k] / frames;
      frame_scene_keep(scenes + k);
    }
  }
  for (int k = 0; k < 2; k++) frame_scene_close(scenes + k);
  if (!code) bench_add(b, (bench_row){w->id, w->what, sum[0], sum[1], w->against, w->target});
  return code;
}

int bench_motion(bench *b) {
  mien_step_opts plain;
  mien_step_opts_init(&plain);
  way ways[] = {
      {"P10", "frame, rebalanced", "the same without rebalancing", plain, plain, 1.8},
      {"P11", "frame, energy projected", "backward Euler alone", plain, plain, 1.1},
      {"P11", "frame, stabilised midpoint", "implicit midpoint", plain, plain, 1.3},
      {"", "frame, BDF-2", "backward Euler", plain, plain, 0},
      {"", "frame, implicit midpoint", "backward Euler", plain, plain, 0},
  };
  int code = CLI_DONE;
  ways[0].plain.rebalance = 0;
  ways[1].opts.energy_projection = 1;
  ways[2].opts.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  ways[2].plain.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  ways[3].opts.integrator = MIEN_INTEGRATOR_BDF2;
  ways[4].opts.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  for (size_t k = 0; !code && k < sizeof ways / sizeof *ways; k++) code = measure(b, ways + k);
  return code;
}
