// Energy projection: finds the energy that a substep should end with; stabilise.c or fepr.c bring
// it there.
#include "solve/energy.h"

#include "drive/drive.h"
#include "math/rows.h"
#include "solve/contacts.h"

#include <math.h>
#include <string.h>

enum { CHUNK = MI_MOTION_CHUNK };

bool mi_energy_is_kept(const mien_step_opts *opts) {
  return opts->energy_projection || opts->integrator == MIEN_INTEGRATOR_STABILISED_MIDPOINT;
}

bool mi_energy_reserve(mien_state *state) {
  size_t nvert = (size_t)state->face->info.nvert;
  if (state->energy) return true;
  mi_energy *e = MI_PUSH(&state->arena, mi_energy, 1);
  if (!e) return false;
  mi_motion *m = &e->motion;
  if (!MI_RESERVE(&state->arena, MI_ROOM(m->start, 4 * nvert), MI_ROOM(m->first, 4 * nvert),
                  MI_ROOM(m->velocity, 4 * nvert), MI_ROOM(m->accel, 4 * nvert),
                  MI_ROOM(m->force, 4 * nvert), MI_ROOM(m->work[0], 4 * nvert),
                  MI_ROOM(m->work[1], 4 * nvert), MI_ROOM(m->work[2], 4 * nvert),
                  MI_ROOM(m->work[3], 4 * nvert)))
    return false;
  state->energy = e;
  return true;
}

// Flesh order to the solver's and back, a range of it at a time.
typedef struct task {
  const mi_step_run *run;
  mi_solver *solver;
  mi_energy *energy;
  mi_rows_order order; // the flesh's, and how fast the head goes, for velocities against it
  const float *pulled; // N, what contacts pull back, or NULL
} task;

static void for_all(const mi_step_run *run, mi_range_fn *fn, const float *pulled) {
  mien_state *state = run->state;
  task t = {run, state->solver, state->energy, {.perm = state->solver->perm}, pulled};
  mi_drift frame_velocity = mi_integrate_frame_velocity(run);
  for (int k = 0; k < 12; k++) t.order.frame[k % 4][k / 4] = (float)frame_velocity.m[k];
  mi_parallel(state->host.threads, state->face->info.nvert, CHUNK, fn, &t);
}

// -- the start ------------------------------------------------------------------------------------

static void begin_range(void *user, int begin, int end) {
  const task *t = user;
  const mien_state *state = t->run->state;
  mi_rows_see(&t->order, state->flesh, state->dynamics.velocity, begin, end,
              t->energy->motion.first);
}

// m phi for phi = x, y, z (of the neutral), or for the one, 1
static void fill_accel(const mi_solver *solver, const float *rest, bool is_even, float *accel) {
  float unit = (float)(solver->dt * solver->dt);
  memset(accel, 0, 4 * (size_t)solver->nvert * sizeof *accel);
  for (int k = 0; k < solver->nvert; k++)
    for (size_t c = 0; c < (is_even ? 1 : 3); c++)
      accel[4 * (size_t)k + c] =
          unit * solver->inertia[k] * (is_even ? 1 : rest[3 * (size_t)solver->perm[k] + c]);
}

// How far elements let flesh give way to pushes that grow along x, y and z and to an even one:
// yield[i][j] = u_i . h^2 K u_j with u = A^-1 m phi, A = m / h^2 + K and phi = x, y, z, 1.
static void find_compliance(mi_solver *solver, const float *rest, float *const work[4]) {
  float *even = work[0], *grows = work[1], *way = work[2], *even_way = work[3];
  double *compliance = solver->compliance;
  memset(compliance, 0, sizeof solver->compliance);
  fill_accel(solver, rest, true, even);
  fill_accel(solver, rest, false, grows);
  mi_solver_approach(solver, grows, way);
  mi_solver_approach(solver, even, even_way);
  for (size_t k = 0; k < (size_t)solver->nvert; k++)
    for (size_t at = 0; at < 16; at++) {
      size_t i = at / 4, j = at % 4;
      double accel = i < 3 ? (double)grows[4 * k + i] : (double)even[4 * k];
      double back = i < 3 ? (double)way[4 * k + i] : (double)even_way[4 * k];
      double far = j < 3 ? (double)way[4 * k + j] : (double)even_way[4 * k];
      compliance[at] += (accel - (double)solver->inertia[k] * back) * far;
    }
  solver->has_compliance = true;
}

void mi_energy_begin(const mi_step_run *run) {
  mi_energy_budget *budget = &run->state->dynamics.budget, before = *budget;
  *budget = (mi_energy_budget){
      .budget_due = before.budget_due}; // the budget is unknown after a substep without projection
  if (!mi_energy_is_kept(&run->opts)) return;
  run->state->energy->budget = before;
  run->state->energy->frame_velocity = mi_integrate_frame_velocity(run);
  if (!run->state->solver->has_compliance)
    find_compliance(run->state->solver, run->state->face->rest, run->state->energy->motion.work);
  for_all(run, begin_range, NULL);
}

// where bones and pose have carried the offset: the start, once the pose is added
static void lag_range(void *user, int begin, int end) {
  const task *t = user;
  for (int k = begin; k < end; k++)
    memcpy(t->energy->motion.start + 4 * (size_t)k,
           t->run->state->transported + 3 * (size_t)t->solver->perm[k], 3 * sizeof(float));
}

void mi_energy_lag(const mi_step_run *run) {
  if (mi_energy_is_kept(&run->opts)) for_all(run, lag_range, NULL);
}

// -- the end --------------------------------------------------------------------------------------

static void place_range(void *user, int begin, int end) {
  const task *t = user;
  mi_solver *solver = t->solver;
  for (int k = begin; k < end; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->perm[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      solver->x[to] = solver->posed[to] + t->run->state->dynamics.offset[from];
    }
}

// Velocities against the head at both ends, and the force that its motion was: what changed the one
// more than it changed those against the world.
static void gather_range(void *user, int begin, int end) {
  const task *t = user;
  const mi_solver *solver = t->solver;
  const mi_dynamics *dynamics = &t->run->state->dynamics;
  const mi_motion *m = &t->energy->motion;
  float *accel = m->accel;
  mi_rows_ends ends = {.now = dynamics->velocity,
                       .before = dynamics->velocity_before,
                       .outer = t->run->state->accel,
                       .x = solver->x,
                       .posed = solver->posed,
                       .first = m->first,
                       .start = m->start,
                       .velocity = m->velocity,
                       .accel = accel,
                       .rate = (float)(1 / t->run->opts.dt)};
  mi_rows_gather(&t->order, &ends, begin, end);
  float unit = (float)(solver->dt * solver->dt);
  for (int k = begin; t->pulled && k < end; k++) // what contacts do counts as a force that stays
    for (size_t c = 0; c < 3 && solver->inertia[k] > 0; c++)
      accel[4 * (size_t)k + c] -= t->pulled[4 * (size_t)k + c] / (solver->inertia[k] * unit);
  mi_motion_begin_chunk(solver, m, begin, end);
  if (m->has_force) mi_motion_force_chunk(solver, m, begin, end);
}

static void gather(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_motion *m = &state->energy->motion;
  float *pulled = run->touches ? m->work[0] : NULL;
  m->h = run->opts.dt;
  m->stays = run->touches; // the end crosses nowhere: keep it
  m->gradient = solver->gradient;
  m->has_force = solver->is_evaluated;
  mi_motion_prepare(solver, m);
  if (!solver->is_evaluated) for_all(run, place_range, NULL);
  if (pulled) {
    memset(pulled, 0, 4 * (size_t)solver->nvert * sizeof *pulled);
    mi_solver_add_lowrank(solver, solver->x, pulled);
    mi_contacts_add_rows(state->contacts, solver->x, pulled);
  }
  for_all(run, gather_range, pulled);
  mi_motion_begin(solver, m);
  m->is_free = mi_integrate_is_free(solver) && !run->touches;
}

// A change of pose adds no energy to flesh that follows it. (The transported offset has more or
// less energy in the new pose: speech alone would pump up the swing that a nod has left.) Flesh
// that does not follow is stretched by the change, and drives that leave the rest state do work.
static double elastic_at_start(const mi_step_run *run) {
  const mien_state *state = run->state;
  const mi_energy_budget *before = &state->energy->budget;
  const mi_energies *at_start = &state->solver->at_start;
  double transported = at_start->elastic + at_start->attachment;
  size_t flesh = 3 * (size_t)state->face->info.nvert * sizeof(float);
  bool is_changed = memcmp(state->posed_before, state->dynamics.posed, flesh) != 0;
  if (!before->is_known) return transported;
  if (!is_changed) return fmin(transported, before->elastic);
  if (!mi_drive_of(&run->opts)->is_rest_posed) return transported;
  return transported + run->opts.rebalance * (before->elastic - transported);
}

// of this substep, for the account
static void note_push(const mi_step_run *run) {
  mi_dynamics *dynamics = &run->state->dynamics;
  mi_drift before = run->state->energy->frame_velocity,
           frame_velocity = mi_integrate_frame_velocity(run);
  double gravity[3];
  mi_frame_from_world(&dynamics->head, run->opts.gravity, gravity);
  for (int k = 0; k < 12; k++)
    dynamics->budget.accel[k] =
        (frame_velocity.m[k] - before.m[k]) / run->opts.dt + (k % 4 == 3 ? gravity[k / 4] : 0);
}

// Gravity and the head's inertial force are constant in a substep and jump between two. Stiff flesh
// follows a jump dF at once, from F / k to F' / k; on that way F' does more work than the flesh
// stores, by dF^2 / 2k. That work must not enter the budget: added step after step it made a shaken
// head explode. (Flesh held by inertia does not follow, implicit midpoint reverses such swings in
// every step, and a free body moves as a whole: there the loss is 0.)
static double lost_to_jumps(const mi_step_run *run) {
  const mi_energy *e = run->state->energy;
  const mi_solver *solver = run->state->solver;
  double jump[12], lost = 0;
  for (int k = 0; k < 12; k++) jump[k] = run->state->dynamics.budget.accel[k] - e->budget.accel[k];
  if (!e->budget.is_known || mi_integrate_moment(&run->opts) != 1 || mi_integrate_is_free(solver))
    return 0;
  for (int c = 0; c < 3; c++)
    for (int at = 0; at < 16; at++)
      lost += 0.5 * jump[4 * c + at / 4] * solver->compliance[at] * jump[4 * c + at % 4];
  return fmin(fmax(0, lost), fmax(0, -mi_motion_error(&e->motion)));
}

static void find_wanted(const mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  mi_motion *m = &run->state->energy->motion;
  if (!solver->is_transported) // the minimiser began elsewhere
    mi_solver_measure(solver, m->start, &solver->at_start);
  m->wanted = m->kinetic + elastic_at_start(run) + run->state->dynamics.budget.budget_due;
  if (!solver->is_evaluated) {
    mi_motion_measure(solver, m);
    return;
  }
  m->elastic = solver->at_end.elastic + solver->at_end.attachment;
  m->nflat = solver->at_end.detail.nflat;
}

static void hand_back_range(void *user, int begin, int end) {
  const task *t = user;
  const mi_solver *solver = t->solver;
  const mi_motion *m = &t->energy->motion;
  mi_dynamics *dynamics = &t->run->state->dynamics;
  mi_rows_hand_back(&t->order, solver->x, m->velocity, solver->posed, begin, end,
                    dynamics->velocity, m->stays ? NULL : dynamics->offset);
}

bool mi_energy_keep(const mi_step_run *run, bool is_sound) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  if (!mi_energy_is_kept(&run->opts)) return is_sound;
  mi_motion *m = &state->energy->motion;
  if (run->touches) solver->is_evaluated = false; // the bound has moved x since
  gather(run);
  int nlowrank = solver->lowrank_rows.count, nmore = solver->nmore; // they are in `push` now
  solver->lowrank_rows.count = solver->nmore = 0;
  find_wanted(run);
  note_push(run);
  m->wanted -= lost_to_jumps(run);
  mi_projection done = {0};
  if (run->opts.integrator == MIEN_INTEGRATOR_STABILISED_MIDPOINT) {
    done = mi_stabilise(solver, m);
    state->info.blend = done.blend;
  }
  if (run->opts.energy_projection) done = mi_fepr(solver, m);
  solver->lowrank_rows.count = nlowrank, solver->nmore = nmore;
  state->dynamics.budget.budget_due = run->opts.energy_projection ? 0 : -done.error;
  state->dynamics.budget.elastic = m->elastic;
  state->dynamics.budget.is_known = 1;
  state->info.projections += done.steps;
  state->info.energy_wanted = m->wanted;
  state->info.energy_error = done.error;
  if (done.steps > 0 || m->is_free) for_all(run, hand_back_range, NULL);
  return m->nflat == 0;
}
