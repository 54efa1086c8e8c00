// The work space of a state: vectors, elements with targets of its own, a history. Steps after the
// first allocate nothing while kind and drive stay.
#include "solve/motion.h"
#include "solve/step.h"

#include "drive/drive.h"
#include "drive/materials.h"

#include <string.h>

// Pairs that L-BFGS remembers (Barrielle & Stoiber 5.2: m = 5), beside the soft modes.
enum { HISTORY = 5 };

// In every race that was measured (mien reproduce B3, mien bench) the factor reached the lower
// energy in the same time.
static mien_solver choose(mien_solver wanted) {
  return wanted == MIEN_SOLVER_AUTO ? MIEN_SOLVER_DIRECT : wanted;
}

static bool reserve(mi_solver *solver) {
  size_t nvert = (size_t)solver->nvert, vector = 4 * nvert;
  size_t nsum = MI_MOTION_SUMS * (nvert / 1024 + 1) + (size_t)mi_lbfgs_dot_sums(solver->nvert);
  return MI_RESERVE(&solver->arena, MI_ROOM(solver->inertia, nvert),
                    MI_ROOM(solver->attach_stiffness, nvert), MI_ROOM(solver->diagonal, nvert),
                    MI_ROOM(solver->sums, nsum), MI_ROOM(solver->x, vector),
                    MI_ROOM(solver->gradient, vector), MI_ROOM(solver->trial, vector),
                    MI_ROOM(solver->predicted, vector), MI_ROOM(solver->trial_gradient, vector),
                    MI_ROOM(solver->direction, vector), MI_ROOM(solver->forward, vector),
                    MI_ROOM(solver->anchor, vector), MI_ROOM(solver->posed, vector));
}

// Inertia of this span; the operator's own may be another one. Materials are those of the neutral.
static void set_span(mi_solver *solver, const mi_operator *op, double span) {
  solver->dt = span;
  solver->op = op;
  solver->matrix = op->matrix;
  solver->has_compliance = false;
  memcpy(solver->attach_stiffness, op->attach_stiffness,
         (size_t)solver->nvert * sizeof *solver->attach_stiffness);
  for (int k = 0; k < solver->nvert; k++) {
    solver->inertia[k] = mi_operator_inertia(solver->face, solver->perm[k], span);
    solver->diagonal[k] = op->diagonal[k] + (solver->inertia[k] - op->inertia[k]);
  }
  mi_solver_forget_materials(solver);
}

mien_result mi_solver_create(const mien_face *face, const mien_host *host, const mi_system *system,
                             const mi_operator *op, mi_solver **out, mien_error *err) {
  mi_solver *solver = MI_CREATE(mi_solver, host);
  if (!solver) return mi_fail_memory(err);
  solver->host = *host;
  solver->face = face;
  solver->kind = op->key.kind;
  solver->nvert = system->nvert;
  solver->nfront = system->nfront;
  solver->perm = system->perm;
  solver->iperm = system->iperm;
  solver->noise = system->noise;
  bool done = reserve(solver);
  if (done) {
    set_span(solver, op, op->key.span);
    // muscles that contract stiffen their tetrahedra, too
    bool owns_weights = face->materials.is_varying || face->muscles.count > 0;
    solver->elastic = mi_elastic_share(system->elastic, owns_weights, &solver->arena);
  }
  mien_result result =
      done && solver->elastic ? mi_solver_materials_create(solver, face, err) : mi_fail_memory(err);
  if (result < 0) {
    mi_solver_free(solver);
    return result;
  }
  *out = solver;
  return MIEN_OK;
}

// Builds the part that inverts the matrix.
static mien_result build_global(mi_solver *solver, mien_error *err) {
  const mi_operator *op = solver->op;
  mien_solver kind = solver->kind;
  bool sweeps = kind == MIEN_SOLVER_GAUSS_SEIDEL || kind == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE;
  if (kind == MIEN_SOLVER_DIRECT)
    solver->history = mi_lbfgs_create_over(op->soft_modes, MI_SOFT_MODES + HISTORY, &solver->arena);
  if (sweeps) {
    solver->history = mi_lbfgs_create(solver->nvert, HISTORY, &solver->arena);
    solver->sweeper = mi_gauss_seidel_create(&op->matrix, &solver->arena);
  }
  if ((sweeps && !solver->sweeper) || ((sweeps || kind == MIEN_SOLVER_DIRECT) && !solver->history))
    return mi_fail_memory(err);
  if (op->factor) return mi_factor_share(op->factor, &solver->host, &solver->factor, err);
  if (kind == MIEN_SOLVER_NEWTON) {
    mi_flesh flesh = mi_solver_flesh(solver);
    return mi_newton_create(&flesh, &solver->host, &solver->newton, err);
  }
  if (kind == MIEN_SOLVER_GAUSS_SEIDEL_OFFLINE)
    // the solver's own view of the matrix is set anew while the other thread reads
    return mi_background_start(&solver->op->matrix, solver->nfront, &solver->host, &solver->arena,
                               &solver->background, err);
  return MIEN_OK;
}

// A solver with a factor keeps its work space; drives and sweeps are made of the matrix.
static bool can_switch(const mi_solver *solver, const mi_operator *op) {
  return solver->factor && op->factor && solver->kind == op->key.kind && !op->key.held_by &&
         !solver->op->key.held_by;
}

static mien_result switch_operator(mi_solver *solver, const mi_operator *op, mien_error *err) {
  if (solver->history && !mi_lbfgs_borrow(solver->history, op->soft_modes, &solver->arena))
    return mi_fail_memory(err);
  mi_factor_switch(solver->factor, op->factor);
  mi_operator_release(solver->face, solver->op);
  solver->op = op;
  return MIEN_OK;
}

// Takes over `op`, also where it fails.
static mien_result use_operator(mien_state *state, const mi_system *system, const mi_operator *op,
                                const mi_drive *drive, mien_error *err) {
  mi_solver *solver = state->solver, *fresh = NULL;
  mien_result result = MIEN_OK;
  if (solver && solver->drive == drive && can_switch(solver, op)) {
    result = switch_operator(solver, op, err);
  } else {
    result = mi_solver_create(state->face, &state->host, system, op, &fresh, err);
    if (result >= 0) fresh->drive = drive;
    if (result >= 0) result = build_global(fresh, err);
    if (result >= 0) {
      mi_solver_release(solver);
      state->solver = fresh;
    } else {
      mi_solver_free(fresh);
    }
  }
  if (result < 0) mi_operator_release(state->face, op);
  return result;
}

// The factor replaces the sweeps when it is ready, or after exactly `after` steps. Where it failed,
// the sweeps go on.
static void take_background_factor(mi_solver *solver, int after, int64_t nstep) {
  if (!solver->background || solver->factor) return;
  bool is_due = after > 0 ? nstep >= after : mi_background_is_done(solver->background);
  if (!is_due) return;
  solver->has_compliance = false;
  solver->factor = mi_background_wait(solver->background);
}

mien_result mi_solver_prepare(mien_state *state, const mien_step_opts *opts, double frame,
                              mien_error *err) {
  const mi_drive *drive = mi_drive_of(opts);
  mi_operator_key key = {choose(opts->solver), mi_operator_span(opts, frame),
                         drive->stiffness ? drive : NULL, drive->holds_neutral};
  mi_solver *solver = state->solver;
  double span = mi_integrate_span(opts);
  if (!solver || solver->drive != drive || !mi_operator_has_key(solver->op, &key)) {
    const mi_system *system;
    const mi_operator *op;
    mien_result result =
        mi_operator_acquire(state->face, &key, state->host.threads, &system, &op, err);
    if (result >= 0) result = use_operator(state, system, op, drive, err);
    if (result < 0) return result;
    set_span(state->solver, op, span);
    return MIEN_OK;
  }
  if (solver->dt != span) set_span(solver, solver->op, span);
  take_background_factor(solver, opts->offline_after, state->dynamics.nstep);
  return MIEN_OK;
}

void mi_solver_forget_lowrank(mi_solver *solver) {
  solver->lowrank_rows = (mi_lowrank_rows){NULL, 0};
  solver->nmore = 0;
  solver->sweep_lowrank = (mi_lowrank_rows){NULL, 0};
  if (solver->factor) mi_factor_set_lowrank(solver->factor, NULL, solver->host.threads);
}

void mi_solver_free(mi_solver *solver) {
  if (!solver) return;
  mi_background_free(solver->background);
  mi_newton_free(solver->newton);
  mi_drive_free(solver);
  mi_factor_free(solver->factor);
  mi_arena_delete(solver->arena);
}

void mi_solver_release(mi_solver *solver) {
  if (!solver) return;
  const mien_face *face = solver->face;
  const mi_operator *op = solver->op;
  mi_solver_free(solver);
  mi_operator_release(face, op);
}
