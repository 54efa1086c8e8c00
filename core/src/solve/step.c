// One step, in the order of the method:
//
//   read the input -> the head's new space -> the artist's pose -> outer forces, predict
//   -> what touches -> minimise -> velocities -> what sticks -> back to the rig
#include "solve/barrier.h"
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

// y = x + h v. The start is where the head carries the flesh, not y: flesh hangs on bone, and a
// head that is shaken throws y far away. Flesh torn off its pose starts from the pose.
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
      solver->x[to] = moving->posed[from] + state->carried[from];
      farthest = fmaxf(farthest, fabsf(state->carried[from]));
    }
  if (farthest > torn)
    memcpy(solver->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *solver->x);
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
  float near = 5e-5f * state->face->skin.size;
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

typedef struct step {
  mien_state *state;
  const mien_input *input;
  const mien_step_opts *opts;
  mien_error *err;
  double started;
  bool touches; // contact is on and something of the face can touch
  double reach; // m: what is closer may push
} step;

// Contacts are looked for at the start and once more halfway.
static mien_result descend(const step *s) {
  mien_state *state = s->state;
  mi_solver *solver = state->solver;
  double deadline = s->opts->time_budget > 0 ? s->started + s->opts->time_budget : 0;
  if (solver->kind == MIEN_SOLVER_NEWTON) return mi_newton_descend(state, s->opts, s->err);
  // a start without any room between two sides is for planes to open
  if (s->touches && s->opts->contact == MIEN_CONTACT_BARRIER &&
      mi_barrier_descend(state, s->input, s->opts, deadline))
    return MIEN_OK;
  mien_step_opts first = *s->opts;
  if (s->touches) first.iterations = (first.iterations + 1) / 2;
  mi_solver_descend(solver, &first, deadline, &state->info);
  if (!s->touches) return MIEN_OK;
  mi_contacts_advance(state, s->reach);
  if (state->info.budget_used_up) return MIEN_OK;
  double energy_start = state->info.energy_start;
  mi_contacts_find(state, s->input, s->opts);
  mi_solver_descend(solver, s->opts, deadline, &state->info);
  mi_contacts_advance(state, s->reach);
  state->info.energy_start = energy_start;
  return MIEN_OK;
}

static bool is_pulled(const step *s) {
  const mi_contacts *c = s->state->contacts;
  return s->touches && (c->nspring + c->npushed > 0 || c->is_reset || s->state->info.nlimited > 0);
}

static mien_result minimise(const step *s) {
  mien_state *state = s->state;
  mi_solver *solver = state->solver;
  mi_moving *moving = &state->moving;
  int count = 3 * state->face->info.nvert;
  // flesh that is where the artist wants it and does not move is at the minimum already
  bool is_still = is_zero(moving->offset, count) && is_zero(moving->velocity, count);
  if (is_still && !s->touches) return MIEN_OK;
  double set_up = mi_clock();
  bool at_rest = !memcmp(moving->posed, state->face->rest, (size_t)count * sizeof(float));
  set_targets(state, s->opts->dt);
  if (s->touches) {
    mi_contacts_start(state, s->reach);
    mi_contacts_find(state, s->input, s->opts);
  }
  if (is_still && !is_pulled(s)) return MIEN_OK;
  mi_elastic_set_pose(solver->elastic, at_rest ? NULL : solver->posed, solver->host.threads);
  state->info.seconds_set_up += mi_clock() - set_up;
  mien_result result = descend(s);
  if (result >= 0 && !take_result(state, s->opts->dt)) {
    forget_motion(state);
    return MIEN_REMARK;
  }
  if (!is_pulled(s) && is_back(state, s->opts->dt)) forget_motion(state);
  return result;
}

// The contact side of a state is made by the first step that wants it.
static mien_result prepare_contact(step *s) {
  mien_state *state = s->state;
  mi_solver *solver = state->solver;
  s->touches = s->opts->contact != MIEN_CONTACT_OFF && state->moving.nstick > 0;
  if (s->touches && !state->contacts) {
    mien_result result =
        mi_contacts_create(state->face, &state->host, &state->arena, &state->contacts, s->err);
    if (result < 0) {
      state->contacts = NULL;
      return result;
    }
  }
  if (s->touches && solver->factor && !mi_factor_reserve_bars(solver->factor))
    return mi_fail_memory(s->err);
  if (s->touches && s->opts->contact == MIEN_CONTACT_BARRIER) {
    mien_result result = mi_barrier_reserve(state, s->opts->barrier_step, s->err);
    if (result < 0) return result;
  }
  if (s->touches) s->reach = 2 * mi_contact_lengths_of(state, s->opts).thickness;
  if (!s->touches && state->contacts && solver->pulls.pull == state->contacts->pull) {
    mi_solver_forget_pulls(solver);
    state->contacts->is_fresh = true; // nobody looks while contact is off
  }
  return MIEN_OK;
}

static mien_result prepare(step *s) {
  mien_result result = mi_solver_prepare(s->state, s->opts, s->err);
  return result == MIEN_OK ? prepare_contact(s) : result;
}

static mien_result simulate(const step *s) {
  mien_state *state = s->state;
  mi_moving *moving = &state->moving;
  memcpy(state->carried, moving->offset, 3 * (size_t)state->face->info.nvert * sizeof(float));
  if (s->touches) mi_contacts_remember(state);
  mi_frame_change(&moving->head, &s->input->head, state->face->info.nvert, moving->posed,
                  moving->offset, moving->velocity);
  mi_input_pose(state, s->input, moving->posed);
  if (s->touches) mi_contacts_place(state, s->input);
  moving->head = s->input->head;
  add_forces(state, s->opts);
  mien_result result = minimise(s);
  if (s->touches) mi_contacts_finish(state, s->opts);
  return result;
}

mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err) {
  bool physics = opts->solver != MIEN_SOLVER_KINEMATIC;
  step s = {.state = state, .input = input, .opts = opts, .err = err, .started = mi_clock()};
  mien_result result = mi_input_check(state, input, opts, err);
  if (result == MIEN_OK && physics) result = prepare(&s);
  if (result < 0) return result;

  mi_moving *moving = &state->moving;
  state->info = (mien_state_info){.solver = physics ? state->solver->kind : opts->solver,
                                  .seconds_set_up = mi_clock() - s.started};
  if (physics) {
    result = simulate(&s);
  } else {
    forget_motion(state);
    mi_state_unstick(state);
    if (state->contacts) state->contacts->is_fresh = true; // nobody looks while physics is off
    mi_input_pose(state, input, moving->posed);
    moving->head = input->head;
  }
  moving->time += opts->dt;
  moving->nstep++;
  mi_state_publish(state);
  if (physics) write_skin(state);
  count_inverted(state);
  state->info.seconds = mi_clock() - s.started;
  return result;
}
