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

static int spin_cubes(const experiment *e, curves *c, spinning_cube runs[5]) {
  static const mien_integrator kinds[] = {
      MIEN_INTEGRATOR_BACKWARD_EULER, MIEN_INTEGRATOR_BDF2, MIEN_INTEGRATOR_IMPLICIT_MIDPOINT,
      MIEN_INTEGRATOR_STABILISED_MIDPOINT, MIEN_INTEGRATOR_BACKWARD_EULER};
  int code = CLI_DONE;
  for (int k = 0; !code && k < 5; k++) {
    runs[k] = (spinning_cube){.integrator = kinds[k],
                              .projection = k == 4,
                              .nstep = e->quick ? 300 : 3000,
                              .threads = e->args->threads,
                              .spin = 12,
                              .energy = c->y[k]};
    code = spinning_cube_run(runs + k);
    c->count = runs[k].nstep;
  }
  for (int i = 0; i < c->count; i++) c->x[i] = 0.033 * (i + 1);
  return code;
}

static int run(experiment *e) {
  double order[NKIND];
  spinning_cube runs[5];
  curves c = {.title = "D2: energy of a spinning cube, step 33 ms",
              .x_label = "s",
              .y_label = "energy, times the start's",
              .name = {"backward Euler", "BDF-2", "implicit midpoint", "stabilised midpoint",
                       "backward Euler with FEPR"},
              .ncurve = 5,
              .log_y = 1};
  int code = curves_reserve(&c, 3000) ? find_orders(order) : cli_fail("out of memory");
  if (!code) code = spin_cubes(e, &c, runs);
  if (!code && experiment_is_finite(e, "orders", order, NKIND)) {
    int last = c.count - 1;
    e->holds = c.y[0][last] < 0.5 && c.y[1][last] < 0.9 && runs[2].worst_energy > 1 &&
               runs[3].worst_energy <= 0.01 && runs[4].worst_energy < 1e-3;
    for (int k = 0; k < NKIND; k++) e->holds = e->holds && fabs(order[k] - ORDER[k]) < 0.3;
    snprintf(e->ours, sizeof e->ours,
             "orders %.2f, %.2f, %.2f, %.2f, %.2f; cube: Euler keeps %.2f, BDF-2 %.2f, midpoint "
             "grows %.0f times, stabilised within %.1f %%",
             order[0], order[1], order[2], order[3], order[4], c.y[0][last], c.y[1][last],
             1 + runs[2].worst_energy, 100 * runs[3].worst_energy);
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
};
