// From one moment to the next: what the minimiser aims at, and the velocities that follow from
// where it ended. Backward Euler.
#include "solve/step.h"

#include "solve/forces.h"
#include "solve/frame.h"

#include <math.h>
#include <string.h>

static bool is_zero(const float *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i] != 0) return false;
  return true;
}

void mi_integrate_force(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_moving *moving = &state->moving;
  mi_forces forces = {.flesh = state->flesh, .velocity = moving->velocity};
  mi_frame_from_world(&moving->head, run->opts->gravity, forces.gravity);
  mi_frame_from_world(&moving->head, run->opts->wind, forces.wind);
  mi_forces_add(state->face, &forces, run->opts->dt, moving->velocity);
}

bool mi_integrate_is_still(const mien_state *state) {
  int count = 3 * state->face->info.nvert;
  return is_zero(state->moving.offset, count) && is_zero(state->moving.velocity, count);
}

// y = x + h v. The start is where the head carries the flesh, not y: flesh hangs on bone, and a
// head that is shaken throws y far away. Flesh torn off its pose starts from the pose.
void mi_integrate_predict(const mi_step_run *run) {
  const mien_state *state = run->state;
  mi_solver *solver = state->solver;
  const mi_moving *moving = &state->moving;
  float torn = 0.3f * state->face->skin.size, farthest = 0, dt = (float)run->opts->dt;
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->order[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      float off = moving->offset[from] + dt * moving->velocity[from];
      solver->posed[to] = solver->anchor[to] = moving->posed[from];
      solver->predicted[to] = moving->posed[from] + off;
      solver->x[to] = moving->posed[from] + state->carried[from];
      farthest = fmaxf(farthest, fabsf(state->carried[from]));
    }
  if (farthest > torn)
    memcpy(solver->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *solver->x);
}

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
  float near = 5e-5f * state->face->skin.size;
  for (int i = 0; i < 3 * state->face->info.nvert; i++)
    if (!(fabsf(moving->offset[i]) < near && fabsf((float)dt * moving->velocity[i]) < near))
      return false;
  return true;
}

bool mi_integrate_finish(const mi_step_run *run) {
  bool is_finite = take_result(run->state, run->opts->dt);
  if (!is_finite || (!mi_minimise_is_pulled(run) && is_back(run->state, run->opts->dt)))
    mi_integrate_forget(run->state);
  return is_finite;
}

void mi_integrate_forget(mien_state *state) {
  size_t size = 3 * (size_t)state->face->info.nvert * sizeof(float);
  memset(state->moving.offset, 0, size);
  memset(state->moving.velocity, 0, size);
}
