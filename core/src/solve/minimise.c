// The middle of a step: what touches, and the minimum of the energy by the solver that was chosen.
#include "solve/barrier.h"
#include "solve/energy.h"
#include "solve/mend.h"
#include "solve/shown.h"
#include "solve/step.h"
#include "solve/substep.h"

#include <math.h>
#include <string.h>

// The contact side of a state is made by the first step that wants it.
static mien_result prepare_contact(mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  run->touches = run->opts.contact != MIEN_CONTACT_OFF && state->moving.nstick > 0;
  if (run->touches && !state->contacts) {
    mien_result result =
        mi_contacts_create(state->face, &state->host, &state->arena, &state->contacts, run->err);
    if (result < 0) {
      state->contacts = NULL;
      return result;
    }
  }
  if (run->touches) {
    mien_result result = mi_shown_prepare(state, run->err);
    if (result < 0) return result;
  }
  if (run->touches && solver->factor && !mi_factor_reserve_bars(solver->factor))
    return mi_fail_memory(run->err);
  if (run->touches && run->opts.contact == MIEN_CONTACT_BARRIER) {
    mien_result result = mi_barrier_reserve(state, run->opts.barrier_step, run->err);
    if (result < 0) return result;
  }
  if (run->touches) run->reach = 2 * mi_contact_lengths_of(state, &run->opts).thickness;
  if (!run->touches && state->contacts && solver->pulls.pull == state->contacts->pull)
    mi_solver_forget_pulls(solver);
  if (!run->touches) state->moving.is_doubtful = true; // nobody looks while contact is off
  return MIEN_OK;
}

mien_result mi_minimise_prepare(mi_step_run *run) {
  mien_result result = mi_solver_prepare(run->state, &run->opts, run->err);
  if (result < 0) return result;
  bool between = run->is_divided || mi_integrate_aim(&run->opts) < 1;
  if (between && !mi_substep_reserve(run->state, run->given)) return mi_fail_memory(run->err);
  if (mi_energy_is_kept(&run->opts) && !mi_energy_reserve(run->state))
    return mi_fail_memory(run->err);
  return prepare_contact(run);
}

static bool uses_barrier(const mi_step_run *run) {
  return run->opts.contact == MIEN_CONTACT_BARRIER &&
         run->state->solver->kind != MIEN_SOLVER_NEWTON;
}

void mi_minimise_touch(const mi_step_run *run) {
  if (!run->touches) return;
  mi_left_out_find(run->state, run->shown, &run->opts);
  run->state->contacts->is_hurried = run->is_hurried;
  mi_contacts_start(run->state, run->reach);
  if (mi_integrate_is_still(run->state) && !mi_minimise_is_pulled(run)) return;
  if (uses_barrier(run)) return;
  if (run->is_hurried)
    mi_contacts_guess_pose(run->state);
  else
    mi_contacts_look_at_pose(run->state);
  mi_contacts_find(run->state, run->input, &run->opts);
}

// Of the pose itself planes ask nothing that it does not have.
bool mi_minimise_is_pulled(const mi_step_run *run) {
  if (run->is_forced) return true;
  return run->touches && (!run->state->contacts->is_start_free ||
                          mi_contacts_has_springs(run->state, run->input, &run->opts));
}

bool mi_minimise_is_pressed(const mi_step_run *run) {
  return run->touches && run->state->contacts->npushed > 0;
}

// What is mended as shortly as can be. For that a hurried step has the time, too, whatever inverted
// its flesh; for a better shape it has none.
bool mi_minimise_is_pushed_out(const mi_step_run *run) {
  return mi_minimise_is_pressed(run) || (run->touches && run->is_hurried && !uses_barrier(run));
}

bool mi_minimise_is_let_go(const mi_step_run *run) {
  if (run->is_forced) return false;
  return !run->touches || (!mi_contacts_has_springs(run->state, run->input, &run->opts) &&
                           mi_contacts_take(run->state, 0, run->reach));
}

// So little in a frame is no motion.
static float near_of(const mien_state *state) {
  return 1e-4f * state->face->skin.size;
}

// Did head and pose leave the flesh where it was when the step began?
static bool is_left_alone(const mien_state *state) {
  for (int i = 0; i < 3 * state->face->info.nvert; i++)
    if (state->moving.posed[i] + state->carried[i] != state->flesh[i]) return false;
  return true;
}

// How far the minimiser went, in one coordinate.
static float way_of(const mien_state *state, int i) {
  const mi_solver *solver = state->solver;
  return fabsf(solver->x[4 * (size_t)solver->place[i / 3] + (size_t)(i % 3)] - state->flesh[i]);
}

bool mi_minimise_rests(const mi_step_run *run) {
  const mien_state *state = run->state;
  const mien_state_info *info = &state->info;
  // what planes held back has not gained what the minimiser says
  bool held = info->nlimited > 0 && !uses_barrier(run);
  bool gained = info->energy_start - info->energy >= 1e-3 * info->energy_start;
  // nor has what was mended after it
  if (!mi_minimise_is_pressed(run) || !(run->opts.friction > 0)) return false;
  if ((gained && !held && !info->nmended) || !is_left_alone(state)) return false;
  for (int i = 0; i < 3 * state->face->info.nvert; i++) {
    float way = way_of(state, i);
    if (way < near_of(state)) continue;
    // what the last step has mended this one undid and mended again
    if (!(way < 20 * near_of(state)) || !mi_mend_is_around(state, i / 3)) return false;
  }
  return true;
}

// The skin that is farthest from its pose, much farther than it goes in a frame, does not go at
// all. What lies around it may tremble.
bool mi_minimise_is_caught(const mi_step_run *run) {
  const mien_state *state = run->state;
  int farthest = 0;
  if (!run->touches || !state->info.nlimited || !is_left_alone(state)) return false;
  for (int i = 0; i < 3 * state->face->skin.nvert; i++)
    if (fabsf(state->carried[i]) > fabsf(state->carried[farthest])) farthest = i;
  if (!(fabsf(state->carried[farthest]) > 20 * near_of(state))) return false;
  for (int c = 0; c < 3; c++)
    if (!(way_of(state, farthest / 3 * 3 + c) < near_of(state))) return false;
  return true;
}

// Contacts are looked for at the start and once more halfway.
static void descend_twice(const mi_step_run *run) {
  mien_state *state = run->state;
  mien_step_opts first = run->opts;
  first.iterations = (first.iterations + 1) / 2;
  mi_solver_descend(state->solver, &first, run->deadline, &state->info);
  // where lips were pressed at the start they are
  if (run->is_hurried && !state->contacts->is_start_free)
    mi_contacts_advance_safely(state, run->reach);
  else
    mi_contacts_advance(state, run->reach);
  if (state->info.budget_used_up) return;
  double energy_start = state->info.energy_start;
  mi_contacts_find(state, run->input, &run->opts);
  mi_solver_descend(state->solver, &run->opts, run->deadline, &state->info);
  mi_contacts_advance(state, run->reach);
  state->info.energy_start = energy_start;
}

// Of where the head carried the flesh and the pose, the one with less energy.
static void choose_start(mi_solver *solver) {
  mi_energies carried, posed;
  mi_solver_evaluate(solver, solver->x, solver->gradient, &carried);
  mi_solver_evaluate(solver, solver->posed, solver->gradient, &posed);
  if (!(posed.total < carried.total)) return;
  memcpy(solver->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *solver->x);
  solver->is_started = false;
}

mien_result mi_minimise(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  if (solver->is_torn) choose_start(solver);
  if (solver->kind == MIEN_SOLVER_NEWTON) return mi_newton_descend(state, &run->opts, run->err);
  if (!run->touches)
    mi_solver_descend(solver, &run->opts, run->deadline, &state->info);
  else if (!uses_barrier(run) || !mi_barrier_descend(state, run->input, &run->opts, run->deadline))
    descend_twice(run); // a start without room between two sides is for planes to open
  // the barrier's next descent would undo it, and held lips, still without, tremble by 0.2 mm
  if (mi_minimise_is_pushed_out(run) && !uses_barrier(run))
    mi_mend_pressed(state);
  else
    mi_mend_remember(state, (mi_mend_list){NULL, 0});
  return MIEN_OK;
}
