// D3: stabilised midpoint keeps the energy of a spinning cube within a hundredth, for 10,000 steps
// and at any spin (Dinev, 3.3, figures 3.10 to 3.12), at what price.
#include "claim_motion.h"
#include "curves.h"

#include <math.h>

enum { MOST_SPINS = 8 };
static const double SPINS[MOST_SPINS] = {4, 8, 12, 18, 20, 25, 30, 40}; // rad / s
static const double QUICK[] = {4, 25, 40};

typedef struct figures {
  double worst, calm;   // shares: of the stabilised runs; the least of midpoint's worst errors
  double blends, turns; // a step; the least angular momentum left
} figures;

static int spin(experiment *e, double rate, curves *c, figures *f) {
  spinning_cube kept = {.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT,
                        .nstep = c->count,
                        .threads = e->args->threads,
                        .spin = rate,
                        .energy = c->y[0],
                        .turning = c->y[1]};
  spinning_cube midpoint = {.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT,
                            .nstep = c->count,
                            .threads = e->args->threads,
                            .spin = rate,
                            .energy = c->y[2]};
  int code = spinning_cube_run(&kept);
  if (!code) code = spinning_cube_run(&midpoint);
  if (code) return code;
  f->worst = fmax(f->worst, kept.worst_energy), f->calm = fmin(f->calm, midpoint.worst_energy);
  f->blends = fmax(f->blends, kept.steps), f->turns = fmin(f->turns, c->y[1][c->count - 1]);
  experiment_note(e,
                  "%2.0f rad/s, %d steps: energy within %.2f %%, %.2f blends a step, %.2f of the "
                  "angular momentum left; midpoint alone is off by up to %.3g times",
                  rate, c->count, 100 * kept.worst_energy, kept.steps, c->y[1][c->count - 1],
                  midpoint.worst_energy);
  return CLI_DONE;
}

static int compare_times(const experiment *e, frame_times *times) {
  mien_step_opts plain, kept;
  mien_step_opts_init(&plain);
  plain.integrator = MIEN_INTEGRATOR_IMPLICIT_MIDPOINT;
  kept = plain;
  kept.integrator = MIEN_INTEGRATOR_STABILISED_MIDPOINT;
  return compare_frames(e, &plain, &kept, times);
}

static int run(experiment *e) {
  curves c = {.title = "D3: a cube spinning at 40 rad/s, step 33 ms",
              .x_label = "s",
              .y_label = "times the start's",
              .name = {"energy, stabilised midpoint", "angular momentum, stabilised midpoint",
                       "energy, implicit midpoint"},
              .ncurve = 3,
              .count = e->quick ? 300 : 10000,
              .log_y = 1};
  int nspin = e->quick ? (int)(sizeof QUICK / sizeof *QUICK) : MOST_SPINS;
  figures f = {.calm = INFINITY, .turns = INFINITY};
  frame_times times = {0};
  int code = curves_reserve(&c, c.count) ? CLI_DONE : cli_fail("out of memory");
  for (int i = 0; !code && i < c.count; i++) c.x[i] = 0.033 * (i + 1);
  for (int k = 0; !code && k < nspin; k++) code = spin(e, e->quick ? QUICK[k] : SPINS[k], &c, &f);
  if (!code) code = compare_times(e, &times);
  if (!code) {
    double more = times.other / times.one - 1;
    e->holds = f.worst <= 0.01 && f.calm > 0.1 && (e->quick || more <= 0.3);
    snprintf(e->ours, sizeof e->ours,
             "4 to 40 rad/s, %d steps each: energy within %.2f %%, at most %.2f blends a step; a "
             "face's frame takes %.0f %% more than with midpoint",
             c.count, 100 * f.worst, f.blends, 100 * more);
    experiment_note(e, "a frame of the face %.2f ms, stabilised %.2f ms%s", 1e3 * times.one,
                    1e3 * times.other, e->quick ? " (not part of the quick verdict)" : "");
  }
  if (!code) code = curves_save(e, "D3", &c);
  curves_free(&c);
  return code;
}

const claim claim_d3 = {
    "D3",
    "Stabilised midpoint: blended with backward or forward Euler by a search, so that the energy "
    "error stays below 1 %",
    "figures 3.10 to 3.12; 20 to 30 % more time",
    run,
    "angular momentum is printed, not judged; damping and forcing are judged by tests",
};
