// The barrier of Li et al. 2020 (IPC) as a contact law, with the global step of Li et al. 2023
// (barrier_global.c). Its iterates are free by the bound that planes have, too.
#include "solve/barrier.h"

#include <math.h>
#include <string.h>

// Adds the barrier's gradient where the surface is at `position`; what is close there becomes the
// active set. INFINITY when a gap has closed.
static double push(mi_descent *d, const float *x, const float *position, float *total) {
  (void)x; // the barrier is between points of the surface
  mi_contacts *c = d->state->contacts;
  double *sum = c->barrier->gradient, start = mi_clock();
  mi_contacts_find_active(c, position, d->barrier.d_hat, d->solver->host.threads);
  mi_active_merge(&c->active);
  double energy = mi_active_energy(&c->active, &d->barrier);
  if (isfinite(energy)) {
    memset(sum, 0, 3 * (size_t)c->nvert * sizeof *sum);
    mi_active_gradient(&c->active, &d->barrier, position, sum);
    for (int i = 0; i < 3 * c->nsoft; i++)
      total[4 * (size_t)d->solver->iperm[c->flesh[i / 3]] + (size_t)(i % 3)] += (float)sum[i];
  }
  d->info->seconds_contact += mi_clock() - start;
  return energy;
}

// A barrier at half its reach is five times as stiff as the lips.
static double first_kappa(mi_descent *d) {
  const mi_contacts *c = d->state->contacts;
  double stiffness = 0, area = 0;
  int count = 0;
  for (int i = 0; i < c->nsoft; i++) {
    if (!(c->surface->vert_area[i] > 0)) continue;
    stiffness += (double)d->solver->diagonal[d->solver->iperm[c->flesh[i]]];
    area += (double)c->surface->vert_area[i];
    count++;
  }
  if (!count) return 1;
  d->stiffness = stiffness / count;
  return d->opts->barrier_stiffness *
         mi_kappa_for_stiffness(5 * d->stiffness, area / count, d->barrier.d_hat, 0.5);
}

// A stiffer barrier where gaps keep sinking.
static void adapt(mi_descent *d) {
  double before = d->least_gap;
  d->least_gap = mi_active_least_gap(&d->state->contacts->active);
  if (d->iteration)
    d->barrier.kappa = mi_kappa_adapt(d->barrier.kappa, d->most_kappa, before, d->least_gap,
                                      0.05 * d->barrier.d_hat);
}

static bool prepare(mi_descent *d) {
  mi_contacts *c = d->state->contacts;
  double kappa = d->barrier.kappa;
  if (!d->nprepared) {
    mi_contacts_find_friction(d->state, d->input, d->opts, &d->barrier);
    c->npushed = c->active.count;
  }
  adapt(d);
  mi_barrier_find_rank1(d);
  d->rank1 = c->barrier->rank1, d->nrank1 = c->barrier->nrank1, d->stretch = c->barrier->stretch;
  return d->nprepared++ == 0 || d->barrier.kappa != kappa;
}

// The tolerance is a thousandth, as the direct ones do better than.
static void apply_inverse(mi_descent *d, const float *q, float *s) {
  const mi_solver *solver = d->solver;
  const struct mi_barrier_side *side = d->state->contacts->barrier;
  if (d->opts->barrier_step != MIEN_BARRIER_PCG) {
    mi_factor_solve(solver->factor, q, solver->host.threads, s);
    return;
  }
  mi_pcg_rows rows = {.matrix = &solver->matrix,
                      .factor = solver->factor,
                      .lowrank_rows = solver->lowrank_rows,
                      .rank1 = side->rank1,
                      .nrank1 = side->nrank1,
                      .threads = solver->host.threads,
                      .most = 200,
                      .tolerance = 1e-3,
                      .sums = solver->sums};
  d->info->sweeps += mi_pcg_rows_solve(&rows, &side->pcg, q, s);
}

mien_result mi_barrier_reserve(mien_state *state, mien_barrier_step kind, mien_error *err) {
  mi_contacts *c = state->contacts;
  mi_arena *arena = &state->arena;
  mi_factor *factor = state->solver->factor;
  size_t active = (size_t)c->active.capacity;
  if (!c->barrier) {
    struct mi_barrier_side *side = MI_PUSH(arena, struct mi_barrier_side, 1);
    if (!side) return mi_fail_memory(err);
    if (!MI_RESERVE(arena, MI_ROOM(side->gradient, 3 * (size_t)c->nvert),
                    MI_ROOM(side->hessian, active), MI_ROOM(side->rank1, 3 * active),
                    MI_ROOM(side->stretch, 3 * active * MI_LBFGS_MOST)))
      return mi_fail_memory(err);
    c->barrier = side;
  }
  if (kind == MIEN_BARRIER_PCG && !c->barrier->pcg.row &&
      !mi_pcg_work_reserve(state->face->info.nvert, arena, &c->barrier->pcg))
    return mi_fail_memory(err);
  if (kind == MIEN_BARRIER_SCHUR && !mi_factor_reserve_schur(factor)) return mi_fail_memory(err);
  return MIEN_OK;
}

void mi_barrier_begin(mi_descent *d) {
  mi_contacts *c = d->state->contacts;
  d->barrier.d_hat = mi_contact_lengths_of(d->state, d->opts).thickness / 2;
  d->barrier.kappa = first_kappa(d);
  d->most_kappa = 1e4 * d->barrier.kappa;
  c->nrow = 0;
}

const mi_contact_law mi_contact_barrier = {
    .prepare = prepare, .push = push, .apply_inverse = apply_inverse};
