// From one moment to the next: the target of the minimiser, and the velocities that follow from its
// result.
//
// Every integrator is the same minimisation with constants of its own (Dinev, eq. 3.38):
//
//   z = argmin  m / (2 s^2) |z - y|^2 + E(z)
//
// clang-format off
//                      span s   y                                         then
//   backward Euler     h        x + s v + s^2 a                           x' = z,      v' = (z - x) / h
//   BDF-2              2h/3     (4x - x_) / 3 + h (8v - 2v_) / 9 + s^2 a  x' = z,      v' = (z - (4x - x_) / 3) / s
//   implicit midpoint  h/2      x + s v + s^2 a                           x' = 2z - x, v' = 2 (z - x) / s - v
//   quasi-static       1/2 s    x_ + s^2 a                                x' = z,      v' = (z - x) / h
// clang-format on
//
// x, v = now, x_, v_ = a substep ago (quasi-static: where the head has carried x), a = gravity and
// wind. Implicit midpoint is half a step of backward Euler, to the pose and bones of that moment,
// and as far again. Quasi-static moves to where forces balance, against so little inertia that
// flesh (20 Hz and more) is there at once; what is as soft as a hanging rope takes some frames.
#include "solve/step.h"

#include "math/frame.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static const double STATIC_SPAN = 0.5; // s

static bool is_midpoint(const mien_step_opts *opts) {
  return opts->integrator == MIEN_INTEGRATOR_IMPLICIT_MIDPOINT ||
         opts->integrator == MIEN_INTEGRATOR_STABILISED_MIDPOINT;
}

double mi_integrate_span(const mien_step_opts *opts) {
  if (is_midpoint(opts)) return opts->dt / 2;
  if (opts->integrator == MIEN_INTEGRATOR_BDF2) return 2 * opts->dt / 3;
  return opts->integrator == MIEN_INTEGRATOR_QUASI_STATIC ? STATIC_SPAN : opts->dt;
}

double mi_integrate_moment(const mien_step_opts *opts) {
  return is_midpoint(opts) ? 0.5 : 1;
}

// -- before the minimum ---------------------------------------------------------------------------

void mi_integrate_force(const mi_step_run *run) {
  mien_state *state = run->state;
  const mi_dynamics *dynamics = &state->dynamics;
  mi_forces forces = {.flesh = state->flesh,
                      .velocity = dynamics->velocity,
                      .gust = run->opts.gust,
                      .time = run->moment};
  mi_frame_from_world(&dynamics->head, run->opts.gravity, forces.gravity);
  mi_frame_from_world(&dynamics->head, run->opts.wind, forces.wind);
  memset(state->accel, 0, 3 * (size_t)state->face->info.nvert * sizeof(float));
  mi_laws_accelerate(state->face, &forces, 1, state->accel);
}

bool mi_integrate_is_still(const mien_state *state) {
  int count = 3 * state->face->info.nvert;
  return mi_is_zero(state->dynamics.offset, count) && mi_is_zero(state->dynamics.velocity, count) &&
         mi_is_zero(state->accel, count);
}

// The first acceleration, external minus elastic and attachment forces, as far as the step can
// follow it: A^-1 removes the stiff part. Into solver->direction.
static void find_acceleration(const mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  mi_energies energies;
  memcpy(solver->predicted, solver->x, 4 * (size_t)solver->nvert * sizeof(float));
  mi_solver_evaluate(solver, solver->x, solver->gradient, &energies);
  for (int i = 0; i < 4 * solver->nvert; i++) {
    float accel =
        i % 4 < 3 ? run->state->accel[3 * (size_t)solver->perm[i / 4] + (size_t)(i % 4)] : 0;
    solver->gradient[i] =
        solver->inertia[i / 4] * accel - solver->gradient[i] / (float)(solver->dt * solver->dt);
  }
  mi_solver_approach(solver, solver->gradient, solver->direction);
}

// BDF-2 needs a substep before this one, of the same length. Where there was none it is made up
// from velocity and acceleration.
static void require_before(const mi_step_run *run) {
  mi_dynamics *dynamics = &run->state->dynamics;
  const mi_solver *solver = run->state->solver;
  float h = (float)run->opts.dt;
  if (dynamics->last_dt == run->opts.dt) return;
  find_acceleration(run);
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)solver->perm[k] + (size_t)c;
      float v = dynamics->velocity[at], a = solver->direction[4 * (size_t)k + (size_t)c];
      dynamics->offset_before[at] = dynamics->offset[at] - h * v + h * h * a / 2;
      dynamics->velocity_before[at] = v - h * a;
    }
}

// y minus the pose
static float predict(const mi_step_run *run, size_t at) {
  const mi_dynamics *dynamics = &run->state->dynamics;
  float u = dynamics->offset[at], v = dynamics->velocity[at];
  float span = (float)run->state->solver->dt, accel = span * span * run->state->accel[at];
  if (run->opts.integrator == MIEN_INTEGRATOR_QUASI_STATIC)
    return run->state->transported[at] + accel;
  if (run->opts.integrator != MIEN_INTEGRATOR_BDF2) return u + span * v + accel;
  float h = (float)run->opts.dt;
  return (4 * u - dynamics->offset_before[at]) / 3 +
         h * (8 * v - 2 * dynamics->velocity_before[at]) / 9 + accel;
}

enum { CHUNK = 2048 }; // vertices

static void predict_range(void *user, int begin, int end) {
  const mi_step_run *run = user;
  const mien_state *state = run->state;
  const mi_solver *solver = state->solver;
  const float *posed = state->dynamics.posed;
  for (int k = begin; k < end; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->perm[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      solver->predicted[to] = posed[from] + predict(run, from);
    }
}

typedef struct placing {
  const mien_state *state;
  const float *posed;
} placing;

static void place_range(void *user, int begin, int end) {
  const placing *p = user;
  const mi_solver *solver = p->state->solver;
  for (int k = begin; k < end; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->perm[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      solver->posed[to] = solver->anchor[to] = p->posed[from];
      solver->x[to] = p->posed[from] + p->state->transported[from];
    }
}

// The start is where the head carries the flesh, not y: flesh hangs on bone, and a head that is
// shaken throws y far away.
void mi_integrate_place(const mien_state *state, const float *posed) {
  placing p = {state, posed};
  mi_parallel(state->host.threads, state->solver->nvert, CHUNK, place_range, &p);
}

// Diverged flesh starts from the pose if that has less energy.
void mi_integrate_predict(const mi_step_run *run, bool is_still) {
  const mien_state *state = run->state;
  mi_solver *solver = state->solver;
  float diverged = 0.3f * state->face->skin.size;
  float farthest = mi_largest_size(state->transported, 3 * solver->nvert);
  if (run->opts.integrator == MIEN_INTEGRATOR_BDF2 && !is_still) require_before(run);
  mi_step_run shared = *run;
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, predict_range, &shared);
  solver->has_diverged = farthest > diverged && !run->touches;
  solver->is_transported = !run->touches && solver->kind != MIEN_SOLVER_NEWTON;
  solver->is_evaluated = false;
  if (!run->touches && mi_integrate_is_free(solver)) { // y has its momenta already
    memcpy(solver->x, solver->predicted, 4 * (size_t)solver->nvert * sizeof *solver->x);
    solver->is_transported = solver->has_diverged = false;
  }
  if (farthest > diverged && run->touches)
    memcpy(solver->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *solver->x);
}

// -- after it -------------------------------------------------------------------------------------

static void take_one(const mi_step_run *run, size_t at, float z) {
  mi_dynamics *dynamics = &run->state->dynamics;
  float u = dynamics->offset[at], v = dynamics->velocity[at], from = u;
  double h = run->opts.dt, span = h;
  if (run->opts.integrator == MIEN_INTEGRATOR_BDF2) {
    from = (4 * u - dynamics->offset_before[at]) / 3;
    span = 2 * h / 3;
  }
  bool is_half = is_midpoint(&run->opts);
  dynamics->offset[at] = is_half ? 2 * z - u : z;
  dynamics->velocity[at] =
      is_half ? (float)(4 * (double)(z - u) / h) - v : (float)((double)(z - from) / span);
  dynamics->offset_before[at] = u;
  dynamics->velocity_before[at] = v;
}

static void take_range(void *user, int begin, int end) {
  const mi_step_run *run = user;
  const mi_solver *solver = run->state->solver;
  for (int k = begin; k < end; k++)
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)k + (size_t)c;
      take_one(run, 3 * (size_t)solver->perm[k] + (size_t)c, solver->x[at] - solver->posed[at]);
    }
}

bool mi_integrate_is_free(const mi_solver *solver) {
  for (int i = 0; i < solver->nvert; i++)
    if (solver->attach_stiffness[i] != 0 && solver->inertia[i] != 0) return false;
  return true;
}

// Inner forces move no centre of mass, so at the minimum a free body's centre is that of y. A few
// iterations leave it a percent off, which BDF-2 would amplify step by step.
static void centre(mi_solver *solver) {
  double off[3] = {0}, all = 0;
  for (int i = 0; i < solver->nvert; i++) {
    all += (double)solver->inertia[i];
    for (int c = 0; c < 3; c++) {
      size_t at = 4 * (size_t)i + (size_t)c;
      off[c] += (double)solver->inertia[i] * ((double)solver->predicted[at] - solver->x[at]);
    }
  }
  for (int i = 0; all > 0 && i < 4 * solver->nvert; i++) {
    float by = i % 4 < 3 ? (float)(off[i % 4] / all) : 0;
    solver->x[i] += by;
    solver->gradient[i] += solver->inertia[i / 4] * by; // where the end is evaluated it stays so
  }
}

static void stay(mien_state *state) {
  mi_dynamics *dynamics = &state->dynamics;
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof(float);
  memcpy(dynamics->offset, state->transported, size);
  memcpy(dynamics->offset_before, state->transported, size);
  memset(dynamics->velocity, 0, size);
  memset(dynamics->velocity_before, 0, size);
}

bool mi_integrate_finish(mi_step_run *run) {
  const mi_solver *solver = run->state->solver;
  if (!mi_are_finite(solver->x, 4 * solver->nvert)) {
    mi_integrate_forget(run->state);
    return false;
  }
  mi_snap_fall_asleep(run);
  if (run->is_asleep) {
    stay(run->state);
    run->state->solver->is_evaluated = false;
    return true;
  }
  if (is_midpoint(&run->opts) || run->touches) run->state->solver->is_evaluated = false;
  if (!run->touches && !run->is_forced && mi_integrate_is_free(solver)) centre(run->state->solver);
  mi_step_run shared = *run;
  mi_parallel(solver->host.threads, solver->nvert, CHUNK, take_range, &shared);
  return true;
}

mi_drift mi_integrate_frame_velocity(const mi_step_run *run) {
  const mi_dynamics *dynamics = &run->state->dynamics;
  double h = dynamics->last_dt;
  mi_drift frame_velocity = {{0}};
  if (!(h > 0)) return frame_velocity;
  if (run->opts.integrator == MIEN_INTEGRATOR_BACKWARD_EULER || dynamics->older_dt != h) {
    mi_frame_add_velocity(&dynamics->last_head, &dynamics->head, h, &frame_velocity);
    return frame_velocity;
  } // (3 x - 4 x_ + x__) / 2h = 2 (x - x_) / h - (x - x__) / 2h
  mi_frame_add_velocity(&dynamics->last_head, &dynamics->head, h / 2, &frame_velocity);
  mi_frame_add_velocity(&dynamics->older_head, &dynamics->head, -2 * h, &frame_velocity);
  return frame_velocity;
}

void mi_integrate_forget(mien_state *state) {
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof(float);
  memset(state->dynamics.offset, 0, size);
  memset(state->dynamics.velocity, 0, size);
  memset(state->dynamics.offset_before, 0, size);
  memset(state->dynamics.velocity_before, 0, size);
  state->dynamics.last_dt = state->dynamics.older_dt = 0;
  state->dynamics.budget = (mi_energy_budget){0};
}
