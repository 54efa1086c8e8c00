#include "claim_motion.h"

#include "frame_scene.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

// m, how far vertices went in the mean since `before`, which becomes now.
static double way_of(const mien_state *state, double *before) {
  mien_f32s flesh = mien_state_get_info(state)->flesh;
  double sum = 0;
  for (int i = 0; i < flesh.count; i++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      double now = flesh.data[3 * i + c];
      d2 += (now - before[3 * i + c]) * (now - before[3 * i + c]);
      before[3 * i + c] = now;
    }
    sum += sqrt(d2) / flesh.count;
  }
  return sum;
}

static int spin(spinning_cube *run) {
  block_scene_def def = {
      .size = {0.1, 0.1, 0.1}, .cells = {4, 4, 4}, .stiffness = 8000, .threads = 1};
  const double spin[3] = {2, 1, run->spin};
  block_scene scene;
  mien_step_opts opts;
  mien_input input;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.dt = 0.033;
  opts.integrator = run->integrator;
  opts.energy_projection = run->projection;
  if (block_scene_create(&scene, &def) < 0) {
    block_scene_free(&scene);
    return cli_report(&scene.err, "cube");
  }
  mien_result result = mien_step(scene.state, &input, &opts, &scene.err); // makes the solver
  mien_state_reset(scene.state);
  block_scene_spin(&scene, spin, 1.1);
  block_motion start = block_scene_measure(&scene);
  double energy = start.kinetic + start.elastic, mass = 1.1; // kg
  double elastic = start.elastic, way = 0, least = INFINITY;
  double *x = calloc(3 * (size_t)mien_state_get_info(scene.state)->flesh.count, sizeof *x);
  if (!x) {
    block_scene_free(&scene);
    return cli_fail("out of memory");
  }
  way_of(scene.state, x);
  for (int k = 0; result >= 0 && k < run->nstep; k++) {
    result = mien_step(scene.state, &input, &opts, &scene.err);
    block_motion now = block_scene_measure(&scene);
    double e = (now.kinetic + now.elastic) / energy, t = now.turning[2] / start.turning[2];
    double went = way_of(scene.state, x);
    way += went / run->nstep;
    least = fmin(least, went);
    run->swing += fabs(now.elastic - elastic) / energy / run->nstep;
    elastic = now.elastic;
    if (run->energy) run->energy[k] = e;
    if (run->turning) run->turning[k] = t;
    run->left = t;
    run->worst_energy = fmax(run->worst_energy, isfinite(e) ? fabs(e - 1) : INFINITY);
    for (int c = 0; c < 3; c++) {
      double off = fabs(now.turning[c] - start.turning[c]) / fabs(start.turning[2]);
      run->worst_turning = fmax(run->worst_turning, isfinite(off) ? off : INFINITY);
      run->worst_momentum = fmax(run->worst_momentum, fabs(now.momentum[c]) / mass);
    }
    run->steps += mien_state_get_info(scene.state)->projections / (double)run->nstep;
  }
  run->stillest = least / way;
  free(x);
  block_scene_free(&scene);
  return result < 0 ? cli_report(&scene.err, "cube") : CLI_DONE;
}

static void spin_range(void *user, int begin, int end) {
  spinning_cube *runs = user;
  for (int k = begin; k < end; k++) runs[k].code = spin(runs + k);
}

int spinning_cubes_run(spinning_cube *runs, int count, int threads) {
  mi_parallel(threads ? threads : mi_threads_available(), count, 1, spin_range, runs);
  int code = CLI_DONE;
  for (int k = 0; !code && k < count; k++) code = runs[k].code;
  return code;
}

int compare_frames(const experiment *e, const mien_step_opts *one, const mien_step_opts *other,
                   frame_times *out) {
  double seconds[2] = {0};
  frame_scene scene;
  const char *sample = e->quick ? "head_small.glb" : "head.glb";
  int code = frame_scene_open(&scene, e->args, sample, 1);
  if (!code) code = frame_scene_compare(&scene, e->args, e->quick, one, other, seconds);
  frame_scene_close(&scene);
  *out = (frame_times){seconds[0], seconds[1]};
  return code;
}
