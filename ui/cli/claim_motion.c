#include "claim_motion.h"

#include "frame_scene.h"

#include <math.h>

int spinning_cube_run(spinning_cube *run) {
  block_scene_def def = {
      .size = {0.1, 0.1, 0.1}, .cells = {4, 4, 4}, .stiffness = 8000, .threads = run->threads};
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
  for (int k = 0; result >= 0 && k < run->nstep; k++) {
    result = mien_step(scene.state, &input, &opts, &scene.err);
    block_motion now = block_scene_measure(&scene);
    double e = (now.kinetic + now.elastic) / energy, t = now.turning[2] / start.turning[2];
    if (run->energy) run->energy[k] = e;
    if (run->turning) run->turning[k] = t;
    run->worst_energy = fmax(run->worst_energy, isfinite(e) ? fabs(e - 1) : INFINITY);
    for (int c = 0; c < 3; c++) {
      double off = fabs(now.turning[c] - start.turning[c]) / fabs(start.turning[2]);
      run->worst_turning = fmax(run->worst_turning, isfinite(off) ? off : INFINITY);
      run->worst_momentum = fmax(run->worst_momentum, fabs(now.momentum[c]) / mass);
    }
    run->steps += mien_state_get_info(scene.state)->projections / (double)run->nstep;
  }
  block_scene_free(&scene);
  return result < 0 ? cli_report(&scene.err, "cube") : CLI_DONE;
}

int compare_frames(const experiment *e, const mien_step_opts *one, const mien_step_opts *other,
                   frame_times *out) {
  const char *sample = e->quick ? "head_small.glb" : "head.glb";
  int frames = e->quick ? 2 : 8, repeats = e->quick ? 2 : 5, code = CLI_DONE;
  frame_scene scenes[2];
  *out = (frame_times){0, 0};
  for (int k = 0; k < 2; k++) {
    int opened = frame_scene_open(scenes + k, e->args, sample, e->args->threads);
    if (!opened && !code) opened = frame_scene_start(scenes + k, k ? other : one, 12);
    if (opened) code = opened;
  }
  for (int frame = 0; !code && frame < frames; frame++) {
    double best[2] = {INFINITY, INFINITY};
    for (int repeat = 0; !code && repeat < repeats; repeat++)
      for (int k = 0; k < 2; k++) {
        double seconds = frame_scene_time(scenes + k, false, 1);
        if (seconds < 0) code = CLI_FAILED;
        best[k] = fmin(best[k], seconds);
      }
    out->one += best[0] / frames;
    out->other += best[1] / frames;
    for (int k = 0; k < 2; k++) frame_scene_keep(scenes + k);
  }
  for (int k = 0; k < 2; k++) frame_scene_close(scenes + k);
  return code;
}
