// Algorithm 1 of Li et al. 2023: local step, barrier, global step, step bound, line search.
#include "solve/barrier.h"

#include <math.h>
#include <string.h>

// LITTLE: of a way is as good as nothing.
static const double ARMIJO = 1e-4, SHARE = 0.8, LITTLE = 0.1;
// Candidates are looked for so many d_hat around: skin that hardly moves keeps them for a while,
// and who counts contacts after the step finds them all. The first steps of a descent go so far
// that nothing is kept.
static const double SPARE = 2.5, SPARE_LATER = 4;
enum { MOST_HALVINGS = 16, CHUNK = 8192 }; // CHUNK: floats of a vector to a task
enum { FAR_STEPS = 3 };

typedef mi_barrier_descent descent;

// -- Energy ---------------------------------------------------------------------------------------

static void find_push(descent *d, const float *position, float *push) {
  const mi_contacts *c = d->contacts;
  double *sum = d->side->gradient;
  memset(sum, 0, 3 * (size_t)c->nvert * sizeof *sum);
  mi_active_gradient(&c->active, &d->barrier, position, sum);
  for (int i = 0; i < 3 * c->nsoft; i++) push[i] = (float)sum[i];
}

// total = the solver's gradient and the push
static void find_total(descent *d) {
  const mi_contacts *c = d->contacts;
  float *total = d->side->total;
  memcpy(total, d->solver->gradient, 4 * (size_t)d->solver->nvert * sizeof *total);
  for (int i = 0; i < 3 * c->nsoft; i++)
    total[4 * (size_t)d->solver->place[c->flesh[i / 3]] + (size_t)(i % 3)] += d->side->push[i];
}

// All of it at x, whose vertices that can touch are at `position`; what is close there becomes the
// active set. INFINITY when a gap has closed.
static double evaluate(descent *d, const float *x, const float *position, float *gradient,
                       float *push, mi_energies *energies) {
  mi_contacts *c = d->contacts;
  double start = mi_clock();
  mi_active_find(&c->active, c->surface, &d->side->close, position, d->barrier.d_hat,
                 d->solver->host.threads);
  mi_active_merge(&c->active);
  double pushed = mi_active_energy(&c->active, &d->barrier);
  if (isfinite(pushed)) find_push(d, position, push);
  double found = mi_clock();
  d->info->seconds_contact += found - start;
  if (!isfinite(pushed)) return INFINITY;
  mi_solver_evaluate(d->solver, x, gradient, energies);
  d->info->seconds_local += mi_clock() - found;
  return energies->total + pushed;
}

// -- Line search ----------------------------------------------------------------------------------

static size_t rigid_size(const mi_contacts *c) {
  return 3 * (size_t)(c->nvert - c->nsoft) * sizeof(float);
}

static bool do_colliders_move(const mi_contacts *c) {
  size_t first = 3 * (size_t)c->nsoft;
  return memcmp(c->safe + first, c->wanted + first, rigid_size(c)) != 0;
}

static void read_wanted(descent *d) {
  mi_contacts *c = d->contacts;
  const mi_solver *s = d->solver;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 4 * (size_t)s->place[c->flesh[i / 3]] + (size_t)(i % 3);
    c->wanted[i] = s->x[at] + s->direction[at];
  }
}

// The direction leads to `wanted`.
static void follow_wanted(descent *d) {
  const mi_contacts *c = d->contacts;
  mi_solver *s = d->solver;
  for (int i = 0; i < 3 * c->nsoft; i++) {
    size_t at = 4 * (size_t)s->place[c->flesh[i / 3]] + (size_t)(i % 3);
    s->direction[at] = c->wanted[i] - s->x[at];
  }
}

// The way to `wanted`: what comes close on it, and how far it is free.
static double bound_close(descent *d) {
  const mi_contacts *c = d->contacts;
  int threads = d->solver->host.threads;
  d->side->close = mi_ccd_close(c->surface, &c->near, c->safe, c->wanted, d->barrier.d_hat, threads,
                                d->side->pair);
  return mi_ccd_bound(c->surface, &d->side->close, c->safe, c->wanted, SHARE, threads).time;
}

static double slope_of(const descent *d) {
  const mi_solver *s = d->solver;
  return mi_lbfgs_dot(d->side->total, s->direction, s->nvert, s->host.threads, s->sums);
}

// The direction as it was before anything was held back; returns how far it is free.
static double let_go(descent *d) {
  memcpy(d->contacts->wanted, d->side->unheld, 3 * (size_t)d->contacts->nsoft * sizeof(float));
  follow_wanted(d);
  d->unheld = 0;
  return bound_close(d);
}

// The direction with what would be hit held back; as it was when that is no way down.
static double hold_back(descent *d, double time) {
  mi_contacts *c = d->contacts;
  memcpy(d->side->unheld, c->wanted, 3 * (size_t)c->nsoft * sizeof(float));
  for (int together = 1; together >= 0; together--) {
    mi_contacts_shorten(c, &d->side->close, d->solver->host.threads, together);
    follow_wanted(d);
    double held = slope_of(d) < 0 ? bound_close(d) : 0;
    d->unheld = time;
    if (held > (together ? LITTLE : time)) return held;
    time = fmin(time, let_go(d));
  }
  return time;
}

static double spare_of(const descent *d) {
  return d->info->iterations < FAR_STEPS ? SPARE : SPARE_LATER;
}

// How far of the direction is free of crossings. Colliders go on to where they are wanted, unless
// what is in their way has no room: that has to get out of it first.
static double find_bound(descent *d) {
  mi_contacts *c = d->contacts;
  double start = mi_clock();
  d->unheld = 0;
  read_wanted(d);
  memcpy(c->wanted + 3 * (size_t)c->nsoft, d->side->aim, rigid_size(c));
  if (!mi_broad_covers(c->broad, c->safe, c->wanted, d->barrier.d_hat))
    mi_contacts_look(c, spare_of(d) * d->barrier.d_hat, d->solver->host.threads);
  follow_wanted(d);
  double time = bound_close(d);
  d->info->nlimited += time < 1;
  // one pair that hardly has room would stop everybody: then it alone is held back
  if (time < LITTLE) time = hold_back(d, time);
  if (time < LITTLE && do_colliders_move(c)) {
    memcpy(c->wanted + 3 * (size_t)c->nsoft, c->safe + 3 * (size_t)c->nsoft, rigid_size(c));
    time = bound_close(d);
    if (time < LITTLE) time = hold_back(d, time);
  }
  double spent = mi_clock() - start;
  d->info->seconds_contact += spent;
  d->info->seconds_ccd += spent;
  return time;
}

static void move_range(void *user, int begin, int end) {
  const descent *d = user;
  const float *x = d->solver->x, *direction = d->solver->direction;
  for (int i = begin; i < end; i++) d->solver->trial[i] = x[i] + d->step * direction[i];
}

static void move_to(descent *d, double step) {
  mi_solver *s = d->solver;
  mi_contacts *c = d->contacts;
  float *at = d->side->trial, t = d->step = (float)step;
  mi_parallel(s->host.threads, 4 * s->nvert, CHUNK, move_range, d);
  for (int i = 0; i < c->nsoft; i++)
    memcpy(at + 3 * (size_t)i, s->trial + 4 * (size_t)s->place[c->flesh[i]], 3 * sizeof *at);
  for (int i = 3 * c->nsoft; i < 3 * c->nvert; i++)
    at[i] = c->safe[i] + t * (c->wanted[i] - c->safe[i]);
}

static void accept(descent *d, double energy) {
  mi_solver *s = d->solver;
  mi_contacts *c = d->contacts;
  if (s->history)
    mi_lbfgs_add(s->history, s->x, s->trial, s->gradient, s->trial_gradient, s->host.threads);
  float *x = s->x, *gradient = s->gradient;
  s->x = s->trial, s->trial = x;
  s->gradient = s->trial_gradient, s->trial_gradient = gradient;
  float *push = d->side->push;
  d->side->push = d->side->trial_push, d->side->trial_push = push;
  find_total(d);
  memcpy(c->safe, d->side->trial, 3 * (size_t)c->nvert * sizeof *c->safe);
  d->energy = energy;
}

// False when nothing along the direction is lower. Colliders that still have a way to go are worth
// more energy than was there before.
static bool search_line(descent *d, mi_energies *energies) {
  double step = find_bound(d), slope = slope_of(d);
  bool moving = do_colliders_move(d->contacts);
  double slack = mi_energy_slack(d->energy);
  for (int halving = 0; halving <= MOST_HALVINGS && step > 0; halving++) {
    move_to(d, step);
    double energy = evaluate(d, d->solver->trial, d->side->trial, d->solver->trial_gradient,
                             d->side->trial_push, energies);
    d->info->line_search_steps++;
    bool lower = energy <= d->energy + ARMIJO * step * slope + slack;
    if (lower || (moving && isfinite(energy))) {
      accept(d, energy);
      return true;
    }
    step = mi_shorter_step(step, slope, energy - d->energy);
    // skin that is held back drags at flesh that is not: there may be more in the short way of all
    if (step < d->unheld) {
      step = let_go(d);
      slope = slope_of(d);
    }
  }
  return false;
}

// -- The descent ----------------------------------------------------------------------------------

// A barrier at half its reach is five times as stiff as the lips.
static double first_kappa(descent *d) {
  const mi_contacts *c = d->contacts;
  double stiffness = 0, area = 0;
  int count = 0;
  for (int i = 0; i < c->nsoft; i++) {
    if (!(c->surface->vert_area[i] > 0)) continue;
    stiffness += (double)d->solver->diagonal[d->solver->place[c->flesh[i]]];
    area += (double)c->surface->vert_area[i];
    count++;
  }
  if (!count) return 1;
  d->stiffness = stiffness / count;
  return d->opts->barrier_stiffness *
         mi_kappa_for_stiffness(5 * d->stiffness, area / count, d->barrier.d_hat, 0.5);
}

static double gradient_length(const descent *d) {
  const mi_solver *s = d->solver;
  return sqrt(mi_lbfgs_dot(d->side->total, d->side->total, s->nvert, s->host.threads, s->sums));
}

// A stiffer barrier where gaps keep sinking; the energy is another one then.
static void adapt(descent *d, double before, double most, const mi_energies *energies) {
  double kappa = mi_kappa_adapt(d->barrier.kappa, most, before, d->least, 0.05 * d->barrier.d_hat);
  if (kappa == d->barrier.kappa) return;
  d->barrier.kappa = kappa;
  d->energy = energies->total + mi_active_energy(&d->contacts->active, &d->barrier);
  find_push(d, d->contacts->safe, d->side->push);
  find_total(d);
}

bool mi_barrier_descend(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                        double deadline) {
  mi_solver *s = state->solver;
  mi_energies energies = {0};
  descent d = {.state = state,
               .solver = s,
               .contacts = state->contacts,
               .side = state->contacts->barrier,
               .opts = opts,
               .info = &state->info,
               .barrier = {.d_hat = mi_contact_lengths_of(state, opts).thickness / 2}};
  d.barrier.kappa = first_kappa(&d);
  double most = 1e4 * d.barrier.kappa;
  mi_contacts_find_springs(state, input, opts, &d.barrier);
  if (s->history) mi_lbfgs_reset(s->history);
  d.side->close = d.contacts->near;
  float *rigid = d.contacts->wanted + 3 * (size_t)d.contacts->nsoft;
  memcpy(d.side->aim, rigid, rigid_size(d.contacts));
  d.energy = evaluate(&d, s->x, d.contacts->safe, s->gradient, d.side->push, &energies);
  if (!isfinite(d.energy) || mi_contacts_is_folded(state)) {
    mi_contacts_is_pose_free(state); // planes want to know
    mi_contacts_find(state, input, opts);
    return false;
  }
  find_total(&d);
  d.least = mi_active_least_gap(&d.contacts->active);
  d.contacts->npushed = d.contacts->active.count;
  state->info.energy_start = d.energy;
  double first = gradient_length(&d), length = first;
  while (state->info.iterations < opts->iterations && length > opts->tolerance * first) {
    double slope = mi_barrier_find_direction(&d), before = d.least;
    double noise = s->noise + 10 * mi_energy_slack(d.energy);
    if (-slope <= noise || !search_line(&d, &energies)) break;
    state->info.iterations++;
    d.least = mi_active_least_gap(&d.contacts->active);
    adapt(&d, before, most, &energies);
    length = gradient_length(&d);
    if (deadline > 0 && mi_clock() > deadline) {
      state->info.budget_used_up = 1;
      break;
    }
  }
  memcpy(rigid, d.side->aim, rigid_size(d.contacts));
  state->info.residual = first > 0 ? length / first : 0;
  state->info.energy = d.energy;
  state->info.energy_inertia = energies.inertia;
  state->info.energy_elastic = energies.elastic;
  state->info.energy_attachment = energies.attachment;
  return true;
}
