// D2: the integrators, each with its own constants: their order on a spring, and the energy of a
// spinning cube (Dinev, 3.2.3.1 and figure 3.10).
#include "claim_motion.h"
#include "curves.h"

#include <math.h>
#include <string.h>

enum { NKIND = 5 };
static const char *const KINDS[NKIND] = {"forward Euler", "symplectic Euler", "backward Euler",
                                         "BDF-2", "implicit midpoint"};
static const double ORDER[NKIND] = {1, 1, 1, 2, 2};

// -- a spring by hand, for the two explicit ones --------------------------------------------------

static double fall_by_hand(bool symplectic, int nstep) {
  double x = 0, v = 0, h = 0.15 / nstep, rate2 = 177; // 1 / s^2: the cube's own
  for (int k = 0; k < nstep; k++) {
    double a = -9.81 - rate2 * x;
    if (!symplectic) x += h * v;
    v += h * a;
    if (symplectic) x += h * v;
  }
  return x;
}

// -- the library's, on a cube of flesh that hangs on springs --------------------------------------

static int fall(mien_integrator integrator, int nstep, double *y) {
  block_scene_def def = {.size = {0.1, 0.1, 0.1}, .cells = {3, 3, 3}, .stiffness = 8000};
  block_scene scene;
  mien_step_opts opts;
  mien_input input;
  def.attach_stiffness = 1.5;
  def.threads = 1;
  mien_step_opts_init(&opts);
  mien_input_init(&input);
  opts.integrator = integrator;
  opts.dt = 0.15 / nstep;
  opts.iterations = 20;
  opts.gravity[1] = -9.81;
  mien_result result = block_scene_create(&scene, &def);
  for (int k = 0; result >= 0 && k < nstep; k++)
    result = mien_step(scene.state, &input, &opts, &scene.err);
  if (result >= 0) *y = block_scene_measure(&scene).centre[1];
  block_scene_free(&scene);
  return result < 0 ? cli_report(&scene.err, "cube") : CLI_DONE;
}

static int find_orders(double order[NKIND]) {
  // past each one's start, above the noise of floats
  static const int coarse[NKIND] = {160, 160, 40, 10, 4};
  double exact = -9.81 / 177 * (1 - cos(sqrt(177.0) * 0.15)), truth = 0;
  int code = fall(MIEN_INTEGRATOR_IMPLICIT_MIDPOINT, 80, &truth);
  for (int k = 0; !code && k < NKIND; k++) {
    double error[2];
    for (int fine = 0; !code && fine < 2; fine++) {
      int nstep = coarse[k] << fine;
      double y = k < 2 ? fall_by_hand(k == 1, nstep) : 0;
      if (k >= 2) code = fall((mien_integrator)(k - 2), nstep, &y);
      error[fine] = fabs(y - (k < 2 ? exact : truth));
    }
    order[k] = log2(error[0] / error[1]);
  }
  return code;
}

// -- the cube -------------------------------------------------------------------------------------

enum { NWAY = 5, NSPIN = 4 };
static const double SPINS[NSPIN] = {4, 12, 25, 40}; // rad / s

static int spin_cubes(const experiment *e, double spin, curves *c, spinning_cube runs[NWAY]) {
  static const mien_integrator kinds[NWAY] = {
      MIEN_INTEGRATOR_BACKWARD_EULER, MIEN_INTEGRATOR_BDF2, MIEN_INTEGRATOR_IMPLICIT_MIDPOINT,
      MIEN_INTEGRATOR_STABILISED_MIDPOINT, MIEN_INTEGRATOR_BACKWARD_EULER};
  c->count = e->quick ? 200 : 2000;
  for (int i = 0; i < c->count; i++) c->x[i] = 0.033 * (i + 1);
  for (int k = 0; k < NWAY; k++)
    runs[k] = (spinning_cube){.integrator = kinds[k],
                              .projection = k == 4,
                              .nstep = c->count,
                              .spin = spin,
                              .energy = c->y[k]};
  return spinning_cubes_run(runs, NWAY, e->args->threads);
}

// Euler and BDF-2 damp, midpoint leaves its energy, and what keeps it keeps it: at every spin.
static bool judge_spin(experiment *e, double spin, const curves *c, const spinning_cube *runs) {
  int last = c->count - 1;
  experiment_note(e,
                  "%2.0f rad/s: Euler keeps %.3f, BDF-2 %.3f, midpoint is off by up to %.3g times, "
                  "stabilised by %.2f %%, Euler with FEPR by %.0e",
                  spin, c->y[0][last], c->y[1][last], runs[2].worst_energy,
                  100 * runs[3].worst_energy, runs[4].worst_energy);
  return c->y[0][last] < 0.5 && c->y[1][last] < 0.9 && runs[2].worst_energy > 0.1 &&
         runs[3].worst_energy <= 0.01 && runs[4].worst_energy < 1e-3;
}

static int run(experiment *e) {
  double order[NKIND], worst = 0, exploded = 0;
  curves c = {.title = "D2: energy of a cube spinning at 40 rad/s, step 33 ms",
              .x_label = "s",
              .y_label = "energy, times the start's",
              .name = {"backward Euler", "BDF-2", "implicit midpoint", "stabilised midpoint",
                       "backward Euler with FEPR"},
              .ncurve = NWAY,
              .log_y = 1};
  bool all = true;
  int code = curves_reserve(&c, 2000) ? find_orders(order) : cli_fail("out of memory");
  for (int k = 0; !code && k < NSPIN; k++) {
    spinning_cube runs[NWAY];
    code = spin_cubes(e, SPINS[k], &c, runs);
    if (code) break;
    all = judge_spin(e, SPINS[k], &c, runs) && all;
    worst = fmax(worst, runs[3].worst_energy), exploded = fmax(exploded, runs[2].worst_energy);
  }
  if (!code && experiment_is_finite(e, "orders", order, NKIND)) {
    e->holds = all;
    for (int k = 0; k < NKIND; k++) e->holds = e->holds && fabs(order[k] - ORDER[k]) < 0.3;
    snprintf(e->ours, sizeof e->ours,
             "orders %.2f, %.2f, %.2f, %.2f, %.2f; cubes at 4 to 40 rad/s: Euler and BDF-2 damp, "
             "midpoint grows %.0f times, stabilised within %.1f %%",
             order[0], order[1], order[2], order[3], order[4], 1 + exploded, 100 * worst);
    for (int k = 0; k < NKIND; k++)
      experiment_note(e, "%-18s order %.2f%s", KINDS[k], order[k],
                      k < 2 ? " (on a spring by hand; the library has no explicit one)" : "");
  }
  if (!code) code = curves_save(e, "D2", &c);
  curves_free(&c);
  return code;
}

const claim claim_d2 = {
    "D2",
    "Integrators in their optimisation form, each with its own constants: measured order on a "
    "spring; the energy of a spinning cube",
    "orders 1, 1, 1, 2, 2; figure 3.10: Euler and BDF-2 damp, midpoint explodes",
    run,
    .limits = "the explicit two are not the library's; one cube of one stiffness",
};
