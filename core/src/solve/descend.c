// Minimising E: quasi-Newton directions over the constant matrix, a line search on the true energy.
//
// Barrielle & Stoiber, algorithms 1 and 2, with three changes that prototypes asked for: the line
// search evaluates the energy with the projections redone (with fixed ones it rejects good steps),
// sweeps start from zero instead of q (whose size depends on the unit), and the factor, when there
// is one, replaces the sweeps. With contact, the bound changes every trial before it is evaluated,
// and the Armijo test takes the displacement that is left.
#include "solve/descend.h"

#include <math.h>
#include <string.h>

static const double ARMIJO = 0.1, ARMIJO_BOUNDED = 1e-4;
enum { MOST_HALVINGS = 12, FIRST_SWEEPS = 2, MOST_SWEEPS = 64, APPROACH_SWEEPS = 16, CHUNK = 8192 };

// -- Energy ---------------------------------------------------------------------------------------

// Energy and gradients at x; with contact, the surface is at `position`. `gradient` is of all that
// the matrix does not hold exactly, which is what the history has to learn: rows of contact outside
// the matrix, too. Together they can be much stiffer than the flesh that they push.
static double evaluate(mi_descent *d, const float *x, const float *position, float *gradient,
                       float *total, mi_energies *energies) {
  double start = mi_clock();
  mi_solver_evaluate(d->solver, x, gradient, energies);
  d->info->nsvd_kept += energies->detail.nkept;
  d->info->nsvd_taylor += energies->detail.ntaylor;
  d->info->nsvd_full += energies->detail.nfull;
  d->info->seconds_local += mi_clock() - start;
  if (!d->law) return energies->total;
  double loose = mi_contacts_add_loose(d->state->contacts, x, 1, gradient);
  memcpy(total, gradient, 4 * (size_t)d->solver->nvert * sizeof *total);
  return energies->total + loose + d->law->push(d, x, position, total);
}

// Rows of now. The energy is another one then.
static void prepare(mi_descent *d) {
  mi_solver *s = d->solver;
  if (!d->law) return;
  bool is_new = d->law->prepare(d);
  if (s->history) mi_lbfgs_set_rank1(s->history, d->rank1, d->nrank1, d->stretch);
  if (!is_new) return;
  const mi_contacts *c = d->state->contacts;
  d->energy = d->energies.total + mi_contacts_add_loose(c, s->x, 1, s->gradient);
  memcpy(d->total, s->gradient, 4 * (size_t)s->nvert * sizeof *d->total);
  d->energy += d->law->push(d, s->x, c->x_free, d->total);
}

// -- Direction ------------------------------------------------------------------------------------

static const mi_lowrank_rows *swept_lowrank(const mi_solver *s) {
  return s->sweep_lowrank.count ? &s->sweep_lowrank : &s->lowrank_rows;
}

// s = A^-1 q, or some sweeps towards it
static void invert(mi_solver *solver, const float *q, int sweeps, float *s) {
  if (solver->factor) {
    mi_factor_solve(solver->factor, q, solver->host.threads, s);
    return;
  }
  memset(s, 0, 4 * (size_t)solver->nvert * sizeof *s);
  mi_gauss_seidel_sweep(solver->sweeper, swept_lowrank(solver), q, sweeps, solver->host.threads, s);
}

static void apply_inverse(mi_descent *d, const float *q, float *s) {
  mi_solver *solver = d->solver;
  double start = mi_clock();
  if (d->law && d->law->apply_inverse) {
    d->law->apply_inverse(d, q, s);
  } else {
    invert(solver, q, d->sweeps, s);
    d->info->sweeps += solver->factor ? 0 : d->sweeps;
  }
  d->info->seconds_global += mi_clock() - start;
}

void mi_solver_approach(mi_solver *solver, const float *q, float *s) {
  if (solver->factor || solver->sweeper)
    invert(solver, q, APPROACH_SWEEPS, s);
  else
    for (int i = 0; i < 4 * solver->nvert; i++) s[i] = q[i] / solver->diagonal[i / 4];
}

static void negate_range(void *user, int begin, int end) {
  const mi_solver *s = user;
  float farthest = 0;
  for (int i = begin; i < end; i++) {
    float way = -s->direction[i], size = fabsf(way);
    s->direction[i] = way;
    farthest = size > farthest ? size : farthest;
  }
  s->sums[begin / CHUNK] = (double)farthest;
}

// Turns the direction round, and finds the longest way that it takes a vertex along an axis.
static void turn_round(mi_descent *d) {
  mi_solver *s = d->solver;
  mi_parallel(s->host.threads, 4 * s->nvert, CHUNK, negate_range, s);
  d->farthest = 0;
  for (int i = 0; i * CHUNK < 4 * s->nvert; i++) d->farthest = fmax(d->farthest, s->sums[i]);
}

// direction = -H g with H from the history around A^-1 (algorithm 1). Returns its slope.
static double find_direction(mi_descent *d) {
  mi_solver *solver = d->solver;
  float *direction = solver->direction;
  int threads = solver->host.threads;
  double along;
  if (solver->history) {
    mi_lbfgs_forward(solver->history, d->total, threads, solver->forward);
    apply_inverse(d, solver->forward, direction);
    along = mi_lbfgs_backward(solver->history, direction, d->total, threads);
  } else {
    apply_inverse(d, d->total, direction);
    along = mi_lbfgs_dot(d->total, direction, solver->nvert, threads, solver->sums);
  }
  turn_round(d);
  return -along;
}

// Until it points downhill: more sweeps, then without history. Zero when nothing helps.
static double find_descent(mi_descent *d) {
  double slope = find_direction(d);
  while (!(slope < 0) && !d->solver->factor && d->sweeps < MOST_SWEEPS) {
    d->sweeps *= 2;
    slope = find_direction(d);
  }
  if (!(slope < 0) && d->solver->history) {
    mi_lbfgs_reset(d->solver->history);
    if (d->law) mi_lbfgs_set_rank1(d->solver->history, d->rank1, d->nrank1, d->stretch);
    slope = find_direction(d);
  }
  return slope < 0 ? slope : 0;
}

// -- Line search ----------------------------------------------------------------------------------

double mi_energy_slack(double energy) {
  return 1e-7 * fabs(energy); // energies are sums of floats
}

double mi_shorter_step(double step, double slope, double rise) {
  // the minimum of the parabola through both energies with the slope between
  double best = -slope * step * step / (2 * (rise - slope * step));
  return isfinite(best) ? fmin(0.5 * step, fmax(0.1 * step, best)) : 0.25 * step;
}

typedef struct motion {
  const float *x, *y;
  float share, *out;
} motion;

static void add_range(void *user, int begin, int end) {
  const motion *m = user;
  for (int i = begin; i < end; i++) m->out[i] = m->x[i] + m->share * m->y[i];
}

// trial = x + step direction, as far as contact lets it. Returns the slope along that.
static double move_to_trial(mi_descent *d, double step, double slope) {
  mi_solver *s = d->solver;
  motion move = {s->x, s->direction, (float)step, s->trial};
  mi_parallel(s->host.threads, 4 * s->nvert, CHUNK, add_range, &move);
  d->nmoved = d->law ? mi_contacts_bound(d->state, s->x, s->trial) : 0;
  if (!d->nmoved) return step * slope;
  motion back = {s->trial, s->x, -1, s->forward};
  mi_parallel(s->host.threads, 4 * s->nvert, CHUNK, add_range, &back);
  return mi_lbfgs_dot(d->total, s->forward, s->nvert, s->host.threads, s->sums);
}

static bool is_over_budget(const mi_descent *d) {
  return d->deadline > 0 && mi_clock() > d->deadline;
}

static void accept(mi_descent *d, const mi_energies *energies, double energy) {
  mi_solver *s = d->solver;
  if (s->history)
    mi_lbfgs_add(s->history, s->x, s->trial, s->gradient, s->trial_gradient, s->host.threads);
  float *x = s->x, *gradient = s->gradient;
  s->x = s->trial, s->trial = x;
  s->gradient = s->trial_gradient, s->trial_gradient = gradient;
  d->energies = *energies;
  d->energy = energy;
  if (!d->law) {
    d->total = s->gradient;
    return;
  }
  float *total = d->total;
  d->total = d->trial_total, d->trial_total = total;
  mi_contacts_accept(d->state->contacts);
}

static bool is_accepted(const mi_descent *d, double energy, double slope) {
  // classic PD takes every step whole
  if (d->solver->kind == MIEN_SOLVER_PREFACTORED) return isfinite(energy);
  double share = d->law ? ARMIJO_BOUNDED : ARMIJO;
  return slope < 0 && energy <= d->energy + share * slope + mi_energy_slack(d->energy);
}

// True when x moved; the new iterate and its gradient take the place of the old.
static bool search_line(mi_descent *d, double slope) {
  mi_solver *solver = d->solver;
  double step = 1;
  for (int halving = 0; halving <= MOST_HALVINGS; halving++) {
    mi_energies energies;
    double along = move_to_trial(d, step, slope);
    const float *position = d->law ? d->state->contacts->x_trial : NULL;
    double energy =
        evaluate(d, solver->trial, position, solver->trial_gradient, d->trial_total, &energies);
    d->info->line_search_steps++;
    if (is_accepted(d, energy, along)) {
      accept(d, &energies, energy);
      return true;
    }
    // no shorter step would be told from rounding, either
    if (fabs(energy - d->energy) <= solver->noise) return false;
    if (halving == 0) d->sweeps = d->sweeps < MOST_SWEEPS ? 2 * d->sweeps : d->sweeps;
    // flesh in violent motion is not soft where it is at rest, and the step was too long
    if (halving == 0 && solver->history) mi_lbfgs_distrust(solver->history);
    // one iteration is always made
    if (d->iteration > 0 && is_over_budget(d)) {
      d->info->budget_used_up = 1;
      return false;
    }
    step = mi_shorter_step(step, slope, energy - d->energy);
  }
  return false;
}

// -- The descent ----------------------------------------------------------------------------------

// The rest of the way is too short to be seen. At least one iteration is made, so that flesh that
// creeps gets there.
static bool is_settled(const mi_descent *d) {
  double least = d->opts->least_step;
  return least > 0 && d->iteration > 0 && d->farthest < least * (double)d->solver->face->skin.size;
}

static double length_of(const mi_descent *d, const float *gradient) {
  const mi_solver *s = d->solver;
  return sqrt(mi_lbfgs_dot(gradient, gradient, s->nvert, s->host.threads, s->sums));
}

// The soft modes are those of rest: they do not hold where something pulls at the flesh.
static void start_history(mi_descent *d) {
  mi_solver *s = d->solver;
  if (d->law || s->lowrank_rows.count + s->nmore > 0)
    mi_lbfgs_reset(s->history);
  else
    mi_lbfgs_restart(s->history);
}

static void report(mi_descent *d, double first) {
  mien_state_info *info = d->info;
  d->solver->at_end = d->energies;
  d->solver->is_evaluated = !d->law;
  info->residual = first > 0 ? length_of(d, d->total) / first : 0;
  info->energy = d->energy;
  info->energy_inertia = d->energies.inertia;
  info->energy_elastic = d->energies.elastic;
  info->energy_attachment = d->energies.attachment;
}

void mi_descend(mi_descent *d) {
  mi_solver *s = d->solver;
  const mien_step_opts *opts = d->opts;
  d->sweeps = FIRST_SWEEPS;
  if (s->history) start_history(d);
  if (!d->law) d->total = s->gradient;
  const float *position = d->law ? d->state->contacts->x_free : NULL;
  d->energy = evaluate(d, s->x, position, s->gradient, d->total, &d->energies);
  prepare(d);
  s->at_start = d->energies;
  d->info->energy_start = d->energy;
  double first = length_of(d, d->total), length = first;
  while (d->iteration < opts->iterations && length > opts->tolerance * first) {
    if (d->iteration) prepare(d);
    double slope = find_descent(d);
    // below the noise a line search only measures rounding
    double noise = s->noise + mi_energy_slack(d->energy);
    if (-slope <= noise || is_settled(d) || !search_line(d, slope)) break;
    d->info->iterations++;
    d->iteration++;
    if (opts->tolerance > 0) length = length_of(d, d->total);
    if (is_over_budget(d)) {
      d->info->budget_used_up = 1;
      break;
    }
  }
  report(d, first);
}

void mi_solver_descend(mi_solver *solver, const mien_step_opts *opts, double deadline,
                       mien_state_info *info) {
  mi_descent d = {.solver = solver, .opts = opts, .info = info, .deadline = deadline};
  mi_descend(&d);
}
