// D4: projection gives energy and both momenta back after any integrator (Dinev, 3.4), a linearised
// backward Euler that explodes included, at what price.
#include "claim_d4.h"

#include "claim_motion.h"
#include "curves.h"

#include <math.h>

enum { NKIND = 3 };

static int run(experiment *e) {
  curves c = {.title = "D4: energy of a spinning cube, step 33 ms",
              .x_label = "s",
              .y_label = "times the start's",
              .name = {"backward Euler + FEPR", "BDF-2 + FEPR", "implicit midpoint + FEPR",
                       "linearised backward Euler", "linearised backward Euler + FEPR"},
              .ncurve = 5,
              .log_y = 1};
  int nstep = e->quick ? 150 : 1000,
      code = curves_reserve(&c, nstep) ? 0 : cli_fail("out of memory");
  spinning_cube runs[NKIND];
  double energy = 0, turning = 0, momentum = 0, linear = 0, exploded = 0;
  c.count = nstep;
  for (int i = 0; !code && i < nstep; i++) c.x[i] = 0.033 * (i + 1);
  for (int k = 0; !code && k < NKIND; k++) {
    runs[k] = (spinning_cube){.integrator = (mien_integrator)k,
                              .projection = 1,
                              .nstep = nstep,
                              .threads = e->args->threads,
                              .spin = 12,
                              .energy = c.y[k]};
    code = spinning_cube_run(runs + k);
    energy = fmax(energy, runs[k].worst_energy);
    turning = fmax(turning, runs[k].worst_turning);
    momentum = fmax(momentum, runs[k].worst_momentum);
  }
  for (int k = 0; !code && k < 2; k++) code = linear_cube_run(k == 1, 12, 1.5, nstep, c.y[3 + k]);
  for (int i = 0; !code && i < nstep; i++) {
    exploded = fmax(exploded, c.y[3][i]);
    linear = fmax(linear, fabs(c.y[4][i] - 1));
  }
  frame_times times = {0};
  mien_step_opts plain, kept;
  mien_step_opts_init(&plain);
  kept = plain;
  kept.energy_projection = 1;
  if (!code) code = compare_frames(e, &plain, &kept, &times);
  if (!code) {
    double more = times.other / times.one - 1;
    e->holds = energy < 1e-3 && turning < 1e-3 && momentum < 1e-4 && exploded > 10 &&
               linear < 1e-2 && (e->quick || more <= 0.1);
    snprintf(e->ours, sizeof e->ours,
             "energy kept to %.0e, angular momentum to %.0e; linearised Euler %.0e times without, "
             "%.4f with; a face's frame %+.0f %%",
             energy, turning, exploded, 1 + linear, 100 * more);
    for (int k = 0; k < NKIND; k++)
      experiment_note(e, "%-26s energy %.1e, turning %.1e, momentum %.1e m/s, %.2f systems a step",
                      c.name[k], runs[k].worst_energy, runs[k].worst_turning,
                      runs[k].worst_momentum, runs[k].steps);
    experiment_note(e, "a frame of the face %.2f ms, projected %.2f ms%s", 1e3 * times.one,
                    1e3 * times.other, e->quick ? " (not part of the quick verdict)" : "");
  }
  if (!code) code = curves_save(e, "D4", &c);
  curves_free(&c);
  return code;
}

const claim claim_d4 = {
    "D4",
    "FEPR after any integrator: energy, linear and angular momentum restored by 7x7 systems; an "
    "exploding linearised backward Euler is stabilised",
    "about 10 % more time, table 3.3",
    run,
};
