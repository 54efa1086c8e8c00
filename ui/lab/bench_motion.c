// Measures what energy projection, rebalancing and keyed options cost a frame.
#include "bench.h"

#include "frame_scene.h"
#include "solve/system.h"

#include <math.h>

typedef struct way {
  const char *id, *what, *against;
  mien_step_opts opts, plain;
  double target;
} way;

static int measure(bench *b, frame_scene *scene, const way *w) {
  double seconds[2];
  int code =
      frame_scene_compare(scene, bench_args(b), bench_is_quick(b), &w->plain, &w->opts, seconds);
  if (!code)
    bench_add(b, (bench_row){w->id, w->what, seconds[1], seconds[0], w->against, w->target});
  return code;
}

static const char *head_of(const bench *b) {
  return bench_is_quick(b) ? "head_small.glb" : "head.glb";
}

// -- Keyed options --------------------------------------------------------------------------------

enum { PERIOD = 24 }; // frames after which keys repeat

typedef struct keys {
  const char *what, *against;
  void (*set)(mien_step_opts *opts, int frame);
  int substeps[2]; // of the two plain scenes
} keys;

static void set_time_scale(mien_step_opts *opts, int frame) {
  opts->time_scale = exp2(sin(2 * 3.14159265358979 * frame / PERIOD)); // half to twice
}

static void set_substeps(mien_step_opts *opts, int frame) {
  opts->substeps = 1 + frame % 2;
}

// Adds the time of one period of all scenes, in turns.
static bool time_period(frame_scene scenes[3], const keys *k, double seconds[3]) {
  for (int frame = 0; frame < PERIOD; frame++)
    for (int s = 0; s < 3; s++) {
      if (s == 2) k->set(&scenes[s].opts, frame);
      double start = cli_clock();
      if (!frame_scene_step(scenes + s)) return false;
      seconds[s] += cli_clock() - start;
    }
  return true;
}

// The first period makes the factors and is not timed.
static int measure_keys(bench *b, const keys *k) {
  const char *rig = head_of(b);
  double first[3] = {0}, seconds[3] = {0};
  frame_scene scenes[3];
  int code = CLI_DONE;
  for (int s = 0; s < 3; s++) {
    mien_step_opts plain;
    mien_step_opts_init(&plain);
    plain.substeps = s < 2 ? k->substeps[s] : 1;
    // the keyed scene counts the factors of a face of its own
    int opened = s == 1 ? frame_scene_open_beside(scenes + 1, bench_args(b), scenes)
                        : frame_scene_open(scenes + s, bench_args(b), rig, bench_args(b)->threads);
    if (!opened && !code) opened = frame_scene_start(scenes + s, &plain, 12);
    if (opened) code = opened;
  }
  if (!code && !(time_period(scenes, k, first) && time_period(scenes, k, seconds)))
    code = CLI_FAILED;
  if (!code) {
    bench_add(b, (bench_row){"", k->what, seconds[2] / PERIOD,
                             (seconds[0] + seconds[1]) / 2 / PERIOD, k->against, 1.2});
    bench_add_figure(b,
                     (bench_row){"", "  factors made for it",
                                 (double)mi_system_get_info(scenes[2].face).noperator_made, 0, NULL,
                                 0},
                     "");
  }
  for (int s = 2; s >= 0; s--) frame_scene_close(scenes + s);
  return code;
}

static int bench_keys(bench *b) {
  static const keys all[] = {
      {"frame, time_scale keyed from 0.5 to 2", "time_scale 1", set_time_scale, {1, 1}},
      {"frame, substeps keyed, 1 and 2", "1 and 2 in turns of their own", set_substeps, {1, 2}}};
  int code = CLI_DONE;
  for (size_t k = 0; !code && k < sizeof all / sizeof *all; k++) code = measure_keys(b, all + k);
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
  frame_scene scene;
  int code = frame_scene_open(&scene, bench_args(b), head_of(b), bench_args(b)->threads);
  ways[0].plain.rebalance = 0;
  ways[1].opts.energy_projection = 1;
  ways[2].opts.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  ways[2].plain.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  ways[3].opts.integrator = MIEN_INTEGRATOR_BDF2;
  ways[4].opts.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  for (size_t k = 0; !code && k < sizeof ways / sizeof *ways; k++)
    code = measure(b, &scene, ways + k);
  frame_scene_close(&scene);
  return code ? code : bench_keys(b);
}
