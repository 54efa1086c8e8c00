// Keeping the energy: what a substep should end with, and stabilise.c or fepr.c to get it there.
#include "solve/energy.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 1024 };

bool mi_energy_is_kept(const mien_step_opts *opts) {
  return opts->energy_projection || opts->integrator == MIEN_INTEGRATOR_STABILISED_MIDPOINT;
}

bool mi_energy_reserve(mien_state *state) {
  size_t nvert = (size_t)state->face->info.nvert;
  if (state->energy) return true;
  mi_energy *e = MI_PUSH(&state->arena, mi_energy, 1);
  if (!e) return false;
  mi_motion *m = &e->motion;
  float **vectors[] = {&m->start, &m->first, &m->velocity, &m->push, &m->force};
  e->lag = MI_PUSH(&state->arena, float, 3 * nvert);
  e->speed = MI_PUSH(&state->arena, float, 3 * nvert);
  bool done = e->lag && e->speed;
  for (size_t k = 0; done && k < sizeof vectors / sizeof *vectors; k++)
    done = (*vectors[k] = MI_PUSH(&state->arena, float, 4 * nvert)) != NULL;
  if (done) state->energy = e;
  return done;
}

// -- sums and evaluations -------------------------------------------------------------------------

typedef struct summing {
  const mi_solver *solver;
  const mi_motion *motion;
} summing;

static void sum_range(void *task, int begin, int end) {
  const summing *s = task;
  double sum = 0;
  for (int i = begin; i < end; i++) {
    double one = 0;
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      double v = s->motion->velocity[at], gone = s->solver->x[at] - s->motion->start[at];
      one += 0.5 * v * v - s->motion->push[at] * gone;
    }
    sum += mi_motion_mass(s->solver, i) * one;
  }
  s->solver->sums[begin / CHUNK] = sum;
}

double mi_motion_error(const mi_solver *solver, const mi_motion *motion) {
  summing s = {solver, motion};
  double sum = motion->elastic - motion->wanted;
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, sum_range, &s);
  for (int chunk = 0; chunk * CHUNK < solver->nvert; chunk++) sum += solver->sums[chunk];
  return sum;
}

// -dH/dx from the gradient of everything the minimiser sees at solver->x
static void take_force(const mi_solver *solver, mi_motion *motion, const float *gradient) {
  for (int i = 0; i < solver->nvert; i++) {
    float m = (float)mi_motion_mass(solver, i);
    for (int c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      float inertia = solver->inertia[i] * (solver->x[at] - solver->predicted[at]);
      motion->force[at] = inertia - gradient[at] + m * motion->push[at];
    }
  }
}

void mi_motion_evaluate(mi_solver *solver, mi_motion *motion) {
  mi_energies energies;
  mi_solver_evaluate(solver, solver->x, solver->trial_gradient, &energies);
  motion->elastic = energies.elastic + energies.attachment;
  take_force(solver, motion, solver->trial_gradient);
}

// -- the start ------------------------------------------------------------------------------------

void mi_energy_begin(const mi_step_run *run) {
  mien_state *state = run->state;
  const mi_moving *moving = &state->moving;
  int nvert = state->face->info.nvert;
  size_t size = 3 * (size_t)nvert * sizeof(float);
  if (!mi_energy_is_kept(&run->opts)) return;
  memcpy(state->energy->speed, moving->velocity, size);
  mi_integrate_against_head(run, state->flesh, state->energy->speed);
}

void mi_energy_lag(const mi_step_run *run) {
  const mien_state *state = run->state;
  if (mi_energy_is_kept(&run->opts))
    memcpy(state->energy->lag, state->carried, 3 * (size_t)state->face->info.nvert * sizeof(float));
}

// -- the end --------------------------------------------------------------------------------------

// Velocities against the head at both ends, and the force that its motion was: what changed the one
// more than it changed those against the world.
static void gather(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_energy *e = state->energy;
  const mi_moving *moving = &state->moving;
  float *now = state->carried; // m / s, against the head
  int nvert = state->face->info.nvert;
  e->motion.h = run->opts.dt;
  memcpy(now, moving->velocity, 3 * (size_t)nvert * sizeof(float));
  for (int i = 0; i < 3 * nvert; i++) state->flesh[i] = moving->posed[i] + moving->offset[i];
  mi_integrate_against_head(run, state->flesh, now);
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->order[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      double gained = (double)now[from] - moving->velocity[from];
      double had = (double)e->speed[from] - moving->velocity_before[from];
      e->motion.start[to] = solver->posed[to] + e->lag[from];
      e->motion.first[to] = e->speed[from];
      e->motion.velocity[to] = now[from];
      e->motion.push[to] = (float)(state->push[from] + (gained - had) / run->opts.dt);
      if (!solver->is_evaluated) solver->x[to] = solver->posed[to] + moving->offset[from];
    }
  memcpy(e->speed, now, 3 * (size_t)nvert * sizeof(float));
}

// What contacts do is counted as a force that stays.
static void count_contacts(const mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  mi_energy *e = run->state->energy;
  e->motion.stays = run->touches; // where it is, nothing crosses
  if (!run->touches) return;
  float *pulled = solver->trial_gradient;
  memset(pulled, 0, 4 * (size_t)solver->nvert * sizeof *pulled);
  mi_solver_add_pulls(solver, solver->x, 1, pulled);
  for (int i = 0; i < 4 * solver->nvert; i++)
    if (solver->inertia[i / 4] > 0)
      e->motion.push[i] -= pulled[i] / (float)mi_motion_mass(solver, i / 4);
}

static void find_wanted(const mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  mi_motion *m = &run->state->energy->motion;
  double kinetic = 0;
  m->is_free = !run->touches;
  for (int i = 0; i < solver->nvert; i++) {
    const float *v = m->first + 4 * (size_t)i;
    kinetic += 0.5 * mi_motion_mass(solver, i) *
               ((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
    m->is_free = m->is_free && (solver->hold[i] == 0 || solver->inertia[i] == 0);
  }
  if (!solver->is_started) // the minimiser began elsewhere
    mi_solver_evaluate(solver, m->start, solver->trial_gradient, &solver->at_start);
  m->wanted =
      kinetic + solver->at_start.elastic + solver->at_start.attachment + run->state->moving.owed;
  if (!solver->is_evaluated) {
    mi_motion_evaluate(solver, m);
    return;
  }
  m->elastic = solver->at_end.elastic + solver->at_end.attachment;
  take_force(solver, m, solver->gradient);
}

static void hand_back(const mi_step_run *run) {
  mien_state *state = run->state;
  const mi_solver *solver = state->solver;
  const mi_energy *e = state->energy;
  mi_moving *moving = &state->moving;
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t to = 3 * (size_t)solver->order[k] + (size_t)c, from = 4 * (size_t)k + (size_t)c;
      if (!e->motion.stays) moving->offset[to] = solver->x[from] - solver->posed[from];
      moving->velocity[to] += e->motion.velocity[from] - e->speed[to];
    }
}

void mi_energy_keep(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  if (!mi_energy_is_kept(&run->opts)) return;
  mi_motion *m = &state->energy->motion;
  if (run->touches) solver->is_evaluated = false; // what would be hit was held back since
  gather(run);
  count_contacts(run);
  int npull = solver->pulls.count, nmore = solver->nmore; // they are in `push` now
  solver->pulls.count = solver->nmore = 0;
  find_wanted(run);
  mi_projection done = {0};
  if (run->opts.integrator == MIEN_INTEGRATOR_STABILISED_MIDPOINT) {
    done = mi_stabilise(solver, m);
    state->info.blend = done.blend;
  }
  if (run->opts.energy_projection) done = mi_fepr(solver, m);
  solver->pulls.count = npull, solver->nmore = nmore;
  state->moving.owed = run->opts.energy_projection ? 0 : -done.error;
  state->info.projections += done.steps;
  state->info.energy_wanted = m->wanted;
  state->info.energy_error = done.error;
  if (done.steps > 0 || m->is_free) hand_back(run);
}
