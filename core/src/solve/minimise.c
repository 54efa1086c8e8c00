// The middle of a step: what it needs, what touches, and the minimum of the energy.
#include "drive/substep.h"
#include "solve/barrier.h"
#include "solve/energy.h"
#include "solve/step.h"
#include "solve/uninvert.h"

#include <math.h>
#include <string.h>

// The contact side of a state is made by the first step that wants it.
static mien_result prepare_contact(mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  run->touches = run->opts.contact != MIEN_CONTACT_OFF && state->face->contact.nsoft > 0;
  if (!run->touches) {
    mi_solver_forget_lowrank(solver);
    return MIEN_OK;
  }
  if (!state->contacts) {
    mien_result result = mi_contacts_create(state->face, &state->arena, &state->contacts, run->err);
    if (result < 0) {
      state->contacts = NULL;
      return result;
    }
  }
  state->contacts->reach = 2 * mi_contact_lengths_of(state, &run->opts).thickness;
  state->contacts->separator.open = 0.1 * state->contacts->reach;
  if (solver->factor && !mi_factor_reserve_rank1(solver->factor)) return mi_fail_memory(run->err);
  if (run->opts.contact == MIEN_CONTACT_BARRIER)
    return mi_barrier_reserve(state, run->opts.barrier_step, run->err);
  return MIEN_OK;
}

mien_result mi_minimise_prepare(mi_step_run *run) {
  mien_result result = mi_solver_prepare(run->state, &run->opts, run->frame, run->err);
  if (result < 0) return result;
  bool between = run->is_divided || mi_integrate_moment(&run->opts) < 1;
  if (between && !mi_substep_reserve(run->state, run->given)) return mi_fail_memory(run->err);
  if (mi_energy_is_kept(&run->opts) && !mi_energy_reserve(run->state))
    return mi_fail_memory(run->err);
  return prepare_contact(run);
}

bool mi_minimise_is_pulled(const mi_step_run *run) {
  if (run->is_forced) return true;
  return run->touches && (!run->state->contacts->is_start_free ||
                          mi_contacts_has_springs(run->state, run->input, &run->opts));
}

bool mi_minimise_is_pressed(const mi_step_run *run) {
  const mi_contacts *c = run->state->contacts;
  return run->touches && (c->npushed > 0 || !c->is_start_free);
}

// Starts where the head carried the flesh or from the pose, whichever has less energy.
static void choose_start(mi_solver *solver) {
  mi_energies transported, posed;
  mi_solver_evaluate(solver, solver->x, solver->gradient, &transported);
  mi_solver_evaluate(solver, solver->posed, solver->gradient, &posed);
  if (!(posed.total < transported.total)) return;
  memcpy(solver->x, solver->posed, 4 * (size_t)solver->nvert * sizeof *solver->x);
  solver->is_transported = false;
}

static void descend(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_descent d = {.solver = state->solver,
                  .state = state,
                  .input = run->input,
                  .opts = &run->opts,
                  .info = &state->info,
                  .deadline = run->deadline};
  if (run->touches) {
    d.law = run->opts.contact == MIEN_CONTACT_BARRIER ? &mi_contact_barrier : &mi_contact_planes;
    d.total = state->contacts->total;
    d.trial_total = state->contacts->trial_total;
    mi_contacts_find_springs(state, run->input, &run->opts);
    if (d.law == &mi_contact_barrier) mi_barrier_begin(&d);
  }
  mi_descend(&d);
}

mien_result mi_minimise(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  if (solver->has_diverged) choose_start(solver);
  if (solver->kind == MIEN_SOLVER_NEWTON) {
    mi_flesh flesh = mi_solver_flesh(solver);
    mi_newton_descend(solver->newton, &flesh, &run->opts, solver->x, &state->info);
    if (!run->touches) return MIEN_OK;
    mi_contacts_bound(state, state->contacts->x_from, solver->x);
    mi_contacts_accept(state->contacts);
    return MIEN_OK;
  }
  descend(run);
  if (run->touches) mi_uninvert_pressed(state);
  return MIEN_OK;
}
