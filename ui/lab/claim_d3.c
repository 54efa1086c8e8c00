// D3: stabilised midpoint keeps the energy of a spinning cube within a hundredth, for 10,000 steps
// (Dinev, 3.3, figures 3.10 to 3.12), at what price.
#include "claim_motion.h"
#include "curves.h"

#include <math.h>

static int run(experiment *e) {
  curves c = {.title = "D3: a spinning cube, step 33 ms",
              .x_label = "s",
              .y_label = "times the start's",
              .name = {"energy, stabilised midpoint", "angular momentum, stabilised midpoint",
                       "energy, implicit midpoint"},
              .ncurve = 3,
              .log_y = 1};
  spinning_cube stabilised = {.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT,
                              .nstep = e->quick ? 1000 : 10000,
                              .threads = e->args->threads,
                              .spin = 12};
  spinning_cube midpoint = stabilised;
  int code = curves_reserve(&c, stabilised.nstep) ? CLI_DONE : cli_fail("out of memory");
  stabilised.energy = c.y[0];
  stabilised.turning = c.y[1];
  midpoint.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  midpoint.energy = c.y[2];
  c.count = stabilised.nstep;
  for (int i = 0; !code && i < c.count; i++) c.x[i] = 0.033 * (i + 1);
  if (!code) code = spinning_cube_run(&stabilised);
  if (!code) code = spinning_cube_run(&midpoint);
  frame_times times = {0};
  mien_step_opts plain, kept;
  mien_step_opts_init(&plain);
  plain.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  kept = plain;
  kept.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  if (!code) code = compare_frames(e, &plain, &kept, &times);
  if (!code) {
    double more = times.other / times.one - 1;
    e->holds =
        stabilised.worst_energy <= 0.01 && midpoint.worst_energy > 1 && (e->quick || more <= 0.3);
    snprintf(e->ours, sizeof e->ours,
             "%d steps: energy within %.2f %%, %.2f blends a step; a face's frame takes %.0f %% "
             "more than with midpoint",
             stabilised.nstep, 100 * stabilised.worst_energy, stabilised.steps, 100 * more);
    experiment_note(e, "implicit midpoint alone: up to %.0f times its energy",
                    1 + midpoint.worst_energy);
    experiment_note(e, "a frame of the face %.2f ms, stabilised %.2f ms%s", 1e3 * times.one,
                    1e3 * times.other, e->quick ? " (not part of the quick verdict)" : "");
  }
  if (!code) code = curves_save(e, "D3", &c);
  curves_free(&c);
  return code;
}

const claim claim_d3 = {
    "D3",
    "Stabilised midpoint: blended with backward Euler or away from it by binary search, so that "
    "the "
    "energy error stays below 1 %",
    "figures 3.10 to 3.12; 20 to 30 % more time",
    run,
};
