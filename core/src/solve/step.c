// One step, in the order of the method:
//
//   read the input -> the artist's pose -> the head's new space -> outer forces, predict
//   -> minimise -> velocities -> back to the rig
#include "solve/forces.h"
#include "solve/frame.h"
#include "solve/solver.h"

#include "math/kernels.h"

#include <math.h>
#include <string.h>

// -- pieces
// -------------------------------------------------------------------------------------------

static bool is_zero(const float *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i] != 0) return false;
  return true;
}

static void add_forces(mien_state *state, const mien_step_opts *opts) {
  mi_moving *moving = &state->moving;
  mi_forces forces = {.flesh = state->flesh, .velocity = moving->velocity};
  mi_frame_from_world(&moving->head, opts->gravity, forces.gravity);
  mi_frame_from_world(&moving->head, opts->wind, forces.wind);
  mi_forces_add(state->face, &forces, opts->dt, moving->velocity);
}

// y = x + h v; the start is y, or the pose when y is so far from it that elements would be torn
static void set_targets(mien_state *state, double dt) {
  mi_solver *solver = state->solver;
  const mi_moving *moving = &state->moving;
  float torn = 0.3f * state->face->skin.size, farthest = 0;
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->order[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      float off = moving->offset[from] + (float)dt * moving->velocity[from];
      solver->posed[to] = solver->anchor[to] = moving->posed[from];
      solver->predicted[to] = moving->posed[from] + off;
      farthest = fmaxf(farthest, fabsf(off));
    }
  const float *start = farthest < torn ? solver->predicted : solver->posed;
  memcpy(solver->x, start, 4 * (size_t)solver->nvert * sizeof *start);
}

// offset and velocity from where the minimiser ended; false when that is not finite
static bool take_result(mien_state *state, double dt) {
  const mi_solver *solver = state->solver;
  mi_moving *moving = &state->moving;
  float sum = 0;
  for (int i = 0; i < 4 * solver->nvert; i++) sum += solver->x[i] - solver->x[i];
  if (sum != 0) return false; // only a finite number minus itself is zero
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t at = 3 * (size_t)solver->order[k] + (size_t)c, from = 4 * (size_t)k + (size_t)c;
      float off = solver->x[from] - solver->posed[from];
      moving->velocity[at] = (float)((off - moving->offset[at]) / dt);
      moving->offset[at] = off;
    }
  return true;
}

// Flesh that has come back to the pose to less than anyone can see, and moves no more than that in
// a step, is put there: the tail of a motion would otherwise be simulated for ever.
static bool is_back(const mien_state *state, double dt) {
  const mi_moving *moving = &state->moving;
  float near = 1e-6f * state->face->skin.size;
  for (int i = 0; i < 3 * state->face->info.nvert; i++)
    if (!(fabsf(moving->offset[i]) < near && fabsf((float)dt * moving->velocity[i]) < near))
      return false;
  return true;
}

static void forget_motion(mien_state *state) {
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof(float);
  memset(state->moving.offset, 0, size);
  memset(state->moving.velocity, 0, size);
}

// the simulated skin onto the rig
static void write_skin(mien_state *state) {
  const mien_face *face = state->face;
  double farthest2 = 0;
  for (int i = 0; i < face->skin.nvert; i++) {
    double d2 = 0;
    for (int c = 0; c < 3; c++) {
      float off = state->moving.offset[3 * (size_t)i + (size_t)c];
      state->moving.rig[3 * (size_t)face->skin.vert[i] + (size_t)c] =
          state->flesh[3 * (size_t)i + (size_t)c];
      d2 += (double)off * off;
    }
    farthest2 = fmax(farthest2, d2);
  }
  state->info.max_offset = sqrt(farthest2);
}

static void count_inverted(mien_state *state) {
  const mien_face_info *face = &state->face->info;
  mi_kernels_best()->measure_tets(state->flesh, state->face->tets, face->ntet, state->volume, NULL);
  state->info.ninverted = 0;
  for (int e = 0; e < face->ntet; e++) state->info.ninverted += !(state->volume[e] > 0);
}

// -- the step
// -----------------------------------------------------------------------------------------

static mien_result minimise(mien_state *state, const mien_step_opts *opts, double started,
                            mien_error *err) {
  mi_solver *solver = state->solver;
  mi_moving *moving = &state->moving;
  int count = 3 * state->face->info.nvert;
  // flesh that is where the artist wants it and does not move is at the minimum already
  if (is_zero(moving->offset, count) && is_zero(moving->velocity, count)) return MIEN_OK;
  double set_up = mi_clock();
  bool at_rest = !memcmp(moving->posed, state->face->rest, (size_t)count * sizeof(float));
  set_targets(state, opts->dt);
  mi_elastic_set_pose(solver->elastic, at_rest ? NULL : solver->posed, solver->host.threads);
  state->info.seconds_set_up += mi_clock() - set_up;
  double deadline = opts->time_budget > 0 ? started + opts->time_budget : 0;
  mien_result result = MIEN_OK;
  if (solver->kind == MIEN_SOLVER_NEWTON)
    result = mi_newton_descend(state, opts, err);
  else
    mi_solver_descend(solver, opts, deadline, &state->info);
  if (result >= 0 && !take_result(state, opts->dt)) {
    forget_motion(state);
    return MIEN_REMARK;
  }
  if (is_back(state, opts->dt)) forget_motion(state);
  return result;
}

mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err) {
  bool physics = opts->solver != MIEN_SOLVER_KINEMATIC;
  mien_result result = mi_input_check(state, input, opts, err);
  double started = mi_clock();
  if (result == MIEN_OK && physics) result = mi_solver_prepare(state, opts, err);
  if (result < 0) return result;

  mi_moving *moving = &state->moving;
  state->info = (mien_state_info){.solver = physics ? state->solver->kind : opts->solver,
                                  .seconds_set_up = mi_clock() - started};
  if (physics)
    mi_frame_change(&moving->head, &input->head, state->face->info.nvert, moving->posed,
                    moving->offset, moving->velocity);
  else
    forget_motion(state);
  mi_input_pose(state, input, moving->posed);
  moving->head = input->head;
  if (physics) add_forces(state, opts);
  if (physics) result = minimise(state, opts, started, err);
  moving->time += opts->dt;
  moving->nstep++;
  mi_state_publish(state);
  if (physics) write_skin(state);
  count_inverted(state);
  state->info.seconds = mi_clock() - started;
  return result;
}
