// Minimising E: quasi-Newton directions over the constant matrix, a line search on the true energy.
//
// Barrielle & Stoiber, algorithms 1 and 2, with three changes that limit.md's prototypes asked for:
// the line search evaluates the energy with the projections redone (with fixed ones it rejects good
// steps), sweeps start from zero instead of q (whose size depends on the unit), and the factor,
// when there is one, replaces the sweeps.
#include "solve/solver.h"

#include <math.h>
#include <string.h>

static const double ARMIJO = 0.1;
enum { MOST_HALVINGS = 12, FIRST_SWEEPS = 2, MOST_SWEEPS = 64, APPROACH_SWEEPS = 16 };

typedef struct descent {
  mi_solver *solver;
  const mien_step_opts *opts;
  mien_state_info *info;
  mi_energies energies; // at solver->x
  int sweeps;           // per direction
  double deadline;      // 0 = none
} descent;

static void evaluate(descent *d, const float *x, float *gradient, mi_energies *energies) {
  double start = mi_clock();
  mi_solver_evaluate(d->solver, x, gradient, energies);
  d->info->nsvd_kept += energies->detail.nkept;
  d->info->nsvd_taylor += energies->detail.ntaylor;
  d->info->nsvd_full += energies->detail.nfull;
  d->info->seconds_local += mi_clock() - start;
}

// s = A^-1 q, or a few sweeps towards it
static void apply_inverse(descent *d, const float *q, float *s) {
  mi_solver *solver = d->solver;
  double start = mi_clock();
  if (solver->factor) {
    mi_factor_solve(solver->factor, q, solver->host.threads, s);
  } else {
    memset(s, 0, 4 * (size_t)solver->nvert * sizeof *s);
    mi_gauss_seidel_sweep(solver->sweeper, &solver->pulls, q, d->sweeps, solver->host.threads, s);
    d->info->sweeps += d->sweeps;
  }
  d->info->seconds_global += mi_clock() - start;
}

void mi_solver_approach(mi_solver *solver, const float *q, float *s) {
  if (solver->factor) {
    mi_factor_solve(solver->factor, q, solver->host.threads, s);
    return;
  }
  if (solver->sweeper) {
    memset(s, 0, 4 * (size_t)solver->nvert * sizeof *s);
    mi_gauss_seidel_sweep(solver->sweeper, &solver->pulls, q, APPROACH_SWEEPS, solver->host.threads,
                          s);
    return;
  }
  for (int i = 0; i < 4 * solver->nvert; i++) s[i] = q[i] / solver->diagonal[i / 4];
}

// direction = H g with H from the history around A^-1 (algorithm 1): uphill, steps go against it.
// Returns the slope along such a step.
static double find_direction(descent *d) {
  mi_solver *solver = d->solver;
  const float *gradient = solver->gradient;
  float *direction = solver->direction;
  int threads = solver->host.threads;
  if (!solver->history) {
    apply_inverse(d, gradient, direction);
    return -mi_lbfgs_dot(gradient, direction, solver->nvert, threads, solver->sums);
  }
  mi_lbfgs_forward(solver->history, gradient, threads, solver->forward);
  apply_inverse(d, solver->forward, direction);
  return -mi_lbfgs_backward(solver->history, direction, gradient, threads);
}

// Until it points downhill: more sweeps, then without history. Zero when nothing helps.
static double find_descent(descent *d) {
  double slope = find_direction(d);
  while (!(slope < 0) && !d->solver->factor && d->sweeps < MOST_SWEEPS) {
    d->sweeps *= 2;
    slope = find_direction(d);
  }
  if (!(slope < 0) && d->solver->history) {
    mi_lbfgs_reset(d->solver->history);
    slope = find_direction(d);
  }
  return slope < 0 ? slope : 0;
}

double mi_energy_slack(double energy) {
  return 1e-7 * fabs(energy); // energies are sums of floats
}

double mi_shorter_step(double step, double slope, double rise) {
  // the minimum of the parabola through both energies with the slope between
  double best = -slope * step * step / (2 * (rise - slope * step));
  return isfinite(best) ? fmin(0.5 * step, fmax(0.1 * step, best)) : 0.25 * step;
}

typedef struct moving {
  const mi_solver *solver;
  float step;
} moving;

static void move_range(void *user, int begin, int end) {
  const moving *m = user;
  const float *x = m->solver->x, *direction = m->solver->direction;
  float *trial = m->solver->trial, step = m->step;
  for (int i = begin; i < end; i++) trial[i] = x[i] - step * direction[i];
}

static void move_to_trial(const mi_solver *solver, double step) {
  enum { CHUNK = 8192 };
  moving m = {solver, (float)step};
  mi_parallel(solver->host.threads, 4 * solver->nvert, CHUNK, move_range, &m);
}

static bool is_late(const descent *d) {
  return d->deadline > 0 && mi_clock() > d->deadline;
}

// True when x moved; the new iterate and its gradient take the place of the old.
static bool search_line(descent *d, double slope) {
  mi_solver *solver = d->solver;
  bool plain = solver->kind == MIEN_SOLVER_PREFACTORED; // classic PD takes every step whole
  double step = 1, slack = mi_energy_slack(d->energies.total);
  for (int halving = 0; halving <= MOST_HALVINGS; halving++) {
    mi_energies energies;
    move_to_trial(solver, step);
    evaluate(d, solver->trial, solver->trial_gradient, &energies);
    d->info->line_search_steps++;
    bool accepted = plain ? isfinite(energies.total)
                          : energies.total <= d->energies.total + ARMIJO * step * slope + slack;
    if (accepted) {
      if (solver->history)
        mi_lbfgs_add(solver->history, solver->x, solver->trial, solver->gradient,
                     solver->trial_gradient, solver->host.threads);
      float *x = solver->x, *gradient = solver->gradient;
      solver->x = solver->trial, solver->trial = x;
      solver->gradient = solver->trial_gradient, solver->trial_gradient = gradient;
      d->energies = energies;
      return true;
    }
    // no shorter step would be told from rounding, either
    if (fabs(energies.total - d->energies.total) <= solver->noise) return false;
    if (halving == 0) d->sweeps = d->sweeps < MOST_SWEEPS ? 2 * d->sweeps : d->sweeps;
    // flesh in violent motion is not soft where it is at rest, and the step was too long
    if (halving == 0 && solver->history) mi_lbfgs_distrust(solver->history);
    // late or not, flesh goes on: one iteration is always made
    if (d->info->iterations > 0 && is_late(d)) {
      d->info->budget_used_up = 1;
      return false;
    }
    step = mi_shorter_step(step, slope, energies.total - d->energies.total);
  }
  return false;
}

static double gradient_length(descent *d) {
  mi_solver *solver = d->solver;
  return sqrt(mi_lbfgs_dot(solver->gradient, solver->gradient, solver->nvert, solver->host.threads,
                           solver->sums));
}

// What is soft at rest is not where something pulls at it.
static void start_history(mi_solver *solver) {
  if (solver->pulls.count + solver->nmore > 0)
    mi_lbfgs_reset(solver->history);
  else
    mi_lbfgs_restart(solver->history);
}

void mi_solver_descend(mi_solver *solver, const mien_step_opts *opts, double deadline,
                       mien_state_info *info) {
  descent d = {
      .solver = solver, .opts = opts, .info = info, .sweeps = FIRST_SWEEPS, .deadline = deadline};
  if (solver->history) start_history(solver);
  evaluate(&d, solver->x, solver->gradient, &d.energies);
  info->energy_start = d.energies.total;
  solver->at_start = d.energies;
  double first = gradient_length(&d), length = first;
  while (info->iterations < opts->iterations && length > opts->tolerance * first) {
    double slope = find_descent(&d);
    // below the noise a line search only measures rounding
    double noise = solver->noise + mi_energy_slack(d.energies.total);
    if (-slope <= noise || !search_line(&d, slope)) break;
    info->iterations++;
    if (opts->tolerance > 0) length = gradient_length(&d);
    if (is_late(&d)) {
      info->budget_used_up = 1;
      break;
    }
  }
  solver->at_end = d.energies;
  solver->is_evaluated = true;
  info->residual = first > 0 ? gradient_length(&d) / first : 0;
  info->energy = d.energies.total;
  info->energy_inertia = d.energies.inertia;
  info->energy_elastic = d.energies.elastic;
  info->energy_attachment = d.energies.attachment;
}
