// What keeping the energy and rebalancing cost a frame.
#include "bench.h"

#include "frame_scene.h"

typedef struct way {
  const char *id, *what, *against;
  mien_step_opts opts, plain;
  double target;
} way;

static int measure(bench *b, const way *w) {
  double seconds[2];
  int code = frame_scene_compare(bench_args(b), bench_is_quick(b), &w->plain, &w->opts, seconds);
  if (!code)
    bench_add(b, (bench_row){w->id, w->what, seconds[1], seconds[0], w->against, w->target});
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
