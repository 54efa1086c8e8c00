// D4: projection gives energy and both momenta back after any integrator (Dinev, 3.4), a linearised
// backward Euler that explodes included, at what price.
#include "claim_d4.h"

#include "claim_motion.h"
#include "curves.h"

#include "base/base.h"

#include <math.h>

enum { NKIND = 3 };
static const double SPINS[] = {4, 8, 12, 18, 25, 40}; // rad / s
enum { NSPIN = sizeof SPINS / sizeof *SPINS };
// A step that only goes back to its start, turned, keeps energy and momenta, too, and the body no
// longer swings: its elements exchange 1e-7 of the energy a step, which is rounding. Judged up to
// the spin at which BDF-2 does so. One that goes back without turning stands still: a spinning body
// goes as far in every step, but for its swing.
static const double LEAST_SWING = 1e-4, FASTEST_SWING = 25, LEAST_WAY = 0.5;

typedef struct losses {
  double energy, turning, momentum; // the worst of all runs
  double swing, way;                // the least
} losses;

static void judge_cube(experiment *e, const char *name, const spinning_cube *run, losses *worst) {
  worst->energy = fmax(worst->energy, run->worst_energy);
  worst->turning = fmax(worst->turning, run->worst_turning);
  worst->momentum = fmax(worst->momentum, run->worst_momentum);
  worst->way = fmin(worst->way, run->stillest);
  if (run->spin <= FASTEST_SWING) worst->swing = fmin(worst->swing, run->swing);
  experiment_note(
      e,
      "%2.0f rad/s, %-26s energy %.1e, turning %.1e, momentum %.1e m/s; a step: %.2f "
      "systems, %.1e of the energy into elements or out of them, %.2f of the way at least",
      run->spin, name, run->worst_energy, run->worst_turning, run->worst_momentum, run->steps,
      run->swing, run->stillest);
}

// All spins with all integrators; the curves are those of the last spin.
static int spin_cubes(experiment *e, curves *c, losses *worst) {
  spinning_cube runs[NSPIN * NKIND];
  int count = 0;
  for (int s = 0; s < NSPIN; s++)
    for (int k = 0; k < NKIND && (!e->quick || s % 3 == 2); k++)
      runs[count++] = (spinning_cube){.integrator = (mien_integrator)k,
                                      .projection = 1,
                                      .nstep = c->count,
                                      .spin = SPINS[s],
                                      .energy = s == NSPIN - 1 ? c->y[k] : NULL};
  int code = spinning_cubes_run(runs, count, e->args->threads);
  for (int r = 0; !code && r < count; r++) judge_cube(e, c->name[r % NKIND], runs + r, worst);
  return code;
}

typedef struct linear_cubes {
  curves *c;
  int code[2]; // without projection, with it
} linear_cubes;

static void run_linear(void *user, int begin, int end) {
  linear_cubes *l = user;
  for (int k = begin; k < end; k++)
    l->code[k] = linear_cube_run(k == 1, 12, 1.5, l->c->count, l->c->y[NKIND + k]);
}

static int run(experiment *e) {
  curves c = {.title = "D4: energy of a cube spinning at 40 rad/s, step 33 ms",
              .x_label = "s",
              .y_label = "times the start's",
              .name = {"backward Euler + FEPR", "BDF-2 + FEPR", "implicit midpoint + FEPR",
                       "linearised backward Euler", "linearised backward Euler + FEPR"},
              .ncurve = 5,
              .log_y = 1};
  // in full the 10,000 steps of D3: what a thousand hide shows then
  int nstep = e->quick ? 150 : 10000,
      code = curves_reserve(&c, nstep) ? 0 : cli_fail("out of memory");
  losses worst = {.swing = INFINITY, .way = INFINITY};
  double linear = 0, exploded = 0;
  c.count = nstep;
  for (int i = 0; !code && i < nstep; i++) c.x[i] = 0.033 * (i + 1);
  if (!code) code = spin_cubes(e, &c, &worst);
  linear_cubes cubes = {.c = &c};
  int threads = e->args->threads ? e->args->threads : mi_threads_available();
  if (!code) mi_parallel(threads, 2, 1, run_linear, &cubes);
  for (int k = 0; !code && k < 2; k++) code = cubes.code[k];
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
    e->holds = worst.energy < 1e-3 && worst.turning < 1e-3 && worst.momentum < 1e-4 &&
               worst.swing > LEAST_SWING && worst.way > LEAST_WAY && exploded > 10 &&
               linear < 1e-2 && (e->quick || more <= 0.1);
    snprintf(e->ours, sizeof e->ours,
             "%s rad/s, %d steps: energy kept to %.0e, angular momentum to %.0e; linearised Euler "
             "%.0e times without, "
             "%.4f with; a face's frame %+.0f %%",
             e->quick ? "12 and 40" : "4 to 40", nstep, worst.energy, worst.turning, exploded,
             1 + linear, 100 * more);
    experiment_note(e,
                    "the body swings on (%.1e of the energy a step at least) and turns in every "
                    "step (by %.2f of the mean way at least)",
                    worst.swing, worst.way);
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
    .limits = "at 40 rad/s BDF-2 ends most steps where it began, turned; the linearised one runs "
              "at 12 rad/s",
    .judges_times = true,
};
