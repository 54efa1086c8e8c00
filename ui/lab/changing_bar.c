#include "changing_bar.h"

#include "block_scene.h"

#include <math.h>
#include <string.h>

enum { MOST = 1200, FIRST = 12, LAST = 14, NLIVE = 2 };
static const double LENGTH = 0.12;
static const float THINNER = -0.5f;

typedef struct bar_rig {
  float x[3 * MOST], change[3 * MOST], stiff[MOST];
  mien_shape shape;
  mien_map maps[2];
  block_scene_def def;
  int count;
} bar_rig;

// The shape makes the bar thinner, which then sags by more: an offset that only goes along with the
// shape is too small there. Or it moves nothing, and softens.
static void define(bar_rig *rig, changing_what what) {
  rig->def = (block_scene_def){.size = {LENGTH, 0.04, 0.04},
                               .cells = {9, 3, 3},
                               .stiffness = what == CHANGING_SHAPE ? 3e5 : 1e6,
                               .is_held = true,
                               .shapes = &rig->shape,
                               .nshape = 1,
                               .threads = 1};
  rig->count = block_scene_surface(&rig->def, rig->x, MOST);
  for (int i = 0; i < rig->count; i++) {
    for (int c = 1; c < 3; c++)
      rig->change[3 * i + c] = what == CHANGING_SHAPE ? THINNER * rig->x[3 * i + c] : 1e-9f;
    rig->stiff[i] = 0.25f;
  }
  for (int i = rig->count; i < rig->count + 4; i++) rig->stiff[i] = 1;
  rig->shape = (mien_shape){"change", {NULL, 0}, {rig->change, rig->count + 4, 3}};
  rig->maps[0] = (mien_map){"stiffness:change", 1, {rig->stiff, rig->count + 4, 1}};
  rig->maps[1] = (mien_map){"volume_stiffness:change", 1, {rig->stiff, rig->count + 4, 1}};
  rig->def.maps = rig->maps;
  rig->def.nmap = what == CHANGING_STIFFNESS ? 2 : 0;
}

static double height_of_end(const block_scene *scene) {
  const mien_state_info *info = mien_state_get_info(scene->state);
  const mien_rig_info *rig = mien_rig_get_info(scene->rig);
  double sum = 0;
  int count = 0;
  for (int i = 0; i < rig->nvert; i++) {
    if (rig->positions.data[3 * (size_t)i] < 0.4999 * LENGTH) continue;
    sum += info->positions.data[3 * (size_t)i + 1];
    count++;
  }
  return sum / count;
}

// scene 0 moves, scene 1 is where it would rest
static int play(block_scene scenes[NLIVE], double rebalance, double *off) {
  for (int frame = -24; frame < CHANGING_FRAMES; frame++) {
    double y[NLIVE];
    float weight = (float)fmin(1, fmax(0, (frame - FIRST) / (double)(LAST - FIRST)));
    for (int k = 0; k < NLIVE; k++) {
      mien_step_opts opts;
      mien_input input;
      mien_step_opts_init(&opts);
      mien_input_init(&input);
      opts.dt = 1.0 / 24;
      opts.gravity[1] = -9.81;
      opts.iterations = 100; // bending is the slowest to converge
      opts.rebalance = k ? 1 : rebalance;
      // it hangs still before anything changes
      bool is_static = k == 1 || frame < 0;
      opts.integrator = is_static ? MIEN_INTEGRATOR_QUASI_STATIC : MIEN_INTEGRATOR_BDF2;
      opts.substeps = is_static ? 1 : 2;
      input.weights = (mien_f32s){&weight, 1, 1};
      if (mien_step(scenes[k].state, &input, &opts, &scenes[k].err) < 0)
        return cli_report(&scenes[k].err, "bar");
      y[k] = height_of_end(scenes + k);
    }
    if (frame >= 0) off[frame] = 1e3 * (y[0] - y[1]);
  }
  return CLI_DONE;
}

int changing_bar_run(changing_what what, double rebalance, double *off) {
  static const bar_rig none;
  bar_rig rig = none;
  block_scene scenes[NLIVE];
  int code = CLI_DONE;
  define(&rig, what);
  for (int k = 0; k < NLIVE; k++)
    if (block_scene_create(scenes + k, &rig.def) < 0) code = cli_report(&scenes[k].err, "bar");
  if (!code) code = play(scenes, rebalance, off);
  for (int k = 0; k < NLIVE; k++) block_scene_free(scenes + k);
  return code;
}

double changing_bar_swing(const double *off) {
  double least = INFINITY, most = -INFINITY;
  for (int k = LAST + 1; k < CHANGING_FRAMES; k++)
    least = fmin(least, off[k]), most = fmax(most, off[k]);
  return 0.5 * (most - least);
}
