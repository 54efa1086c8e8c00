// One step, in the order of the method. Each line is a stage with a file of its own.
#include "solve/step.h"

#include "solve/contacts.h"
#include "solve/frame.h"
#include "solve/materials.h"

#include <string.h>

// read the input: the head's new space, the artist's pose in it
static void drive(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_moving *moving = &state->moving;
  int nvert = state->face->info.nvert;
  memcpy(state->carried, moving->offset, 3 * (size_t)nvert * sizeof(float));
  if (run->touches) mi_contacts_remember(state);
  mi_frame_change(&moving->head, &run->input->head, nvert, moving->posed, moving->offset,
                  moving->velocity);
  mi_input_pose(state, run->input, moving->posed);
  if (run->touches) mi_contacts_place(state, run->input);
  moving->head = run->input->head;
}

// the rest state and the materials of the flesh are those of this frame
static void set_rest(const mi_step_run *run) {
  const mien_face *face = run->state->face;
  mi_solver *solver = run->state->solver;
  size_t size = 3 * (size_t)face->info.nvert * sizeof(float);
  bool at_rest = !memcmp(run->state->moving.posed, face->rest, size);
  mi_solver_set_materials(solver, face, run->state->weights);
  mi_elastic_set_pose(solver->elastic, at_rest ? NULL : solver->posed, solver->host.threads);
}

static mien_result simulate(const mi_step_run *run) {
  mien_state *state = run->state;
  mien_result result = MIEN_OK;
  drive(run);
  mi_integrate_force(run);
  // flesh that is where the artist wants it and does not move is at the minimum already
  bool is_still = mi_integrate_is_still(state);
  if (is_still && !run->touches) return MIEN_OK;
  double set_up = mi_clock();
  mi_integrate_predict(run);
  mi_minimise_touch(run);
  if (!is_still || mi_minimise_is_pulled(run)) {
    set_rest(run);
    state->info.seconds_set_up += mi_clock() - set_up;
    result = mi_minimise(run);
    if (result >= 0 && !mi_integrate_finish(run)) result = MIEN_REMARK;
  }
  if (run->touches) mi_contacts_finish(state, run->opts);
  return result;
}

// physics off: the artist's pose
static void follow(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_integrate_forget(state);
  mi_state_unstick(state);
  if (state->contacts) state->contacts->is_fresh = true; // nobody looks while physics is off
  mi_input_pose(state, run->input, state->moving.posed);
  state->moving.head = run->input->head;
}

mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err) {
  bool physics = opts->solver != MIEN_SOLVER_KINEMATIC;
  mi_step_run run = {.state = state, .input = input, .opts = opts, .err = err};
  run.started = mi_clock();
  mien_result result = mi_input_check(state, input, opts, err);
  if (result == MIEN_OK && physics) result = mi_minimise_prepare(&run);
  if (result < 0) return result;

  state->info = (mien_state_info){.solver = physics ? state->solver->kind : opts->solver,
                                  .seconds_set_up = mi_clock() - run.started};
  if (physics)
    result = simulate(&run);
  else
    follow(&run);
  state->moving.time += opts->dt;
  state->moving.nstep++;
  mi_state_publish(state);
  if (physics) mi_state_write_skin(state);
  mi_state_count_inverted(state);
  state->info.seconds = mi_clock() - run.started;
  return result;
}
