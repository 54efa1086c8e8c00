// One step, in the order of the method. Each line is a stage with a file of its own.
#include "solve/step.h"

#include "drive/drive.h"
#include "drive/materials.h"
#include "drive/pose.h"
#include "drive/substep.h"
#include "math/frame.h"
#include "math/vec.h"
#include "solve/contacts.h"
#include "solve/embed.h"
#include "solve/energy.h"
#include "solve/fields.h"
#include "solve/plausible.h"
#include "solve/rebalance.h"
#include "solve/uninvert.h"

#include <string.h>

// Uninverting a pose may take this share of a substep's time. Iterations are worth more.
static const double UNINVERTING = 0.25;

// The next change of pose and material is measured against these.
static void remember_weights(mien_state *state, const float *weights, const float *activations) {
  memcpy(state->weights_before, weights, (size_t)state->face->rig->info.nshape * sizeof(float));
  memcpy(state->activations_before, activations,
         MI_ACTIVATION * (size_t)state->face->muscles.count * sizeof(float));
}

double mi_step_deadline(const mi_step_run *run, double share) {
  return run->deadline > 0 ? run->begun + share * (run->deadline - run->begun) : 0;
}

// The input at `share` of the step: the head's new space, the artist's pose in it.
static void drive(mi_step_run *run, double share) {
  mien_state *state = run->state;
  mi_dynamics *dynamics = &state->dynamics;
  int nvert = state->face->info.nvert, threads = state->host.threads;
  double begun = mi_clock();
  run->input = mi_substep_input(state, run->given, share);
  state->solver->is_posed = false;
  memcpy(state->transported, dynamics->offset, 3 * (size_t)nvert * sizeof(float));
  memcpy(state->posed_before, dynamics->posed, 3 * (size_t)nvert * sizeof(float));
  if (run->touches) mi_contacts_remember(state);
  mien_rigid from; // attenuated by the artist's options
  mi_frame_attenuate(&dynamics->head, &run->input->head, run->opts.head_translation,
                     run->opts.head_rotation, &from);
  mi_frame_change(&from, &run->input->head, nvert, threads, dynamics->posed,
                  dynamics->offset_before, dynamics->velocity_before);
  mi_frame_change(&from, &run->input->head, nvert, threads, dynamics->posed, dynamics->offset,
                  dynamics->velocity);
  mi_input_pose(state, run->input, mi_step_deadline(run, UNINVERTING), dynamics->posed);
  mi_input_activations(state, run->input, state->activations);
  mi_drive_pose(run);
  if (run->touches) mi_contacts_place(state, run->input);
  dynamics->head = run->input->head;
  state->info.seconds_pose += mi_clock() - begun;
  mi_rebalance(run);
  remember_weights(state, state->weights, state->activations);
}

// Rest state and materials of the flesh are those of this moment.
static void set_rest(const mi_step_run *run) {
  const mien_state *state = run->state;
  if (state->solver->is_posed) return; // by rebalancing
  mi_solver_set_materials(state->solver, state->face, state->weights);
  mi_solver_stiffen(state->solver, state->face, state->activations, run->opts.muscle_stiffening);
  mi_drive_rest(run);
}

// -- The stages of a substep ----------------------------------------------------------------------

static void begin_substep(mi_step_run *run) {
  mien_state *state = run->state;
  run->is_asleep = false;
  run->head_start = state->dynamics.head;
  // clear what is not serialised, so that a restore is bit-exact: contacts are found anew
  if (run->touches) mi_solver_forget_lowrank(state->solver);
  mi_energy_begin(run);
}

// Flesh that is on its pose and does not move is at the minimum already, unless something touches.
static void decide(mi_step_run *run) {
  run->is_still = mi_integrate_is_still(run->state);
  run->moves = !run->is_still || run->is_forced;
  mi_snap_watch(run, &run->head_start, run->is_still);
}

// The solver's start and targets, and a start that crosses nowhere.
static void set_out(mi_step_run *run) {
  if (!run->moves && !run->touches) return;
  mi_integrate_place(run->state, run->state->dynamics.posed);
  if (run->moves) set_rest(run);
  mi_integrate_predict(run, run->is_still);
  if (run->touches) mi_contacts_begin(run->state, run->moves);
  run->moves = run->moves || mi_minimise_is_pulled(run);
  if (run->moves && run->is_still) set_rest(run);
}

// To the minimum of the energy; offsets and velocities from there.
static mien_result solve(mi_step_run *run) {
  if (!run->moves) return MIEN_OK;
  mien_result result = mi_minimise(run);
  return result >= 0 && !mi_integrate_finish(run) ? MIEN_REMARK : result;
}

// Keeps the attenuated place of the head at the start of the substep; the head before that keeps
// its place relative to it.
static void remember_head(const mi_step_run *run) {
  mi_dynamics *dynamics = &run->state->dynamics;
  const mien_rigid *head = &run->head_start;
  mien_rigid before = dynamics->last_head;
  mi_frame_attenuate(head, &dynamics->head, run->opts.head_translation, run->opts.head_rotation,
                     &dynamics->last_head);
  mi_frame_follow(head, &before, &dynamics->last_head, &dynamics->older_head);
  dynamics->older_dt = dynamics->last_dt;
  dynamics->last_dt = run->opts.dt;
}

// Energy projection comes first: it moves flesh, and tetrahedra that it inverts are turned back
// after it. A free body has no pose to turn back to.
static void correct(mi_step_run *run) {
  mien_state *state = run->state;
  const mi_solver *solver = state->solver;
  if (!run->moves) return;
  bool is_sound = solver->is_evaluated && !solver->at_end.detail.nflat;
  is_sound = mi_energy_keep(run, is_sound);
  if (!mi_integrate_is_free(solver) && !mi_minimise_is_pressed(run))
    // flesh that forces hold far from its pose would be torn on the way there
    mi_uninvert_motion(state, !run->touches && !run->is_forced, is_sound);
  mi_damp(run);
  mi_snap(run);
}

// Motion that no snapshot would accept is forgotten.
static mien_result check(mien_state *state, mien_result result) {
  if (result < 0 || mi_fields_are_sound(state)) return result;
  mi_integrate_forget(state);
  return MIEN_REMARK;
}

// From `begin` to `end`, shares of the step. Implicit midpoint sees the pose of the middle and ends
// at that of the end.
static mien_result advance(mi_step_run *run, double begin, double end) {
  mien_state *state = run->state;
  double set_up = mi_clock(), moment = mi_integrate_moment(&run->opts);
  begin_substep(run);
  drive(run, moment < 1 ? begin + moment * (end - begin) : end);
  mi_energy_lag(run);
  mi_integrate_force(run);
  decide(run);
  set_out(run);
  if (run->moves) state->info.seconds_set_up += mi_clock() - set_up;
  mien_result result = solve(run);
  if (moment < 1) drive(run, end);
  remember_head(run);
  correct(run);
  if (run->touches) mi_contacts_end(state, &run->opts);
  return check(state, result);
}

static mien_result simulate(mi_step_run *run, int substeps) {
  mien_result result = MIEN_OK;
  double budget = run->opts.time_budget, started = mi_clock();
  if (run->state->substep) mi_substep_begin(run->state);
  remember_weights(run->state, run->state->dynamics.weights, run->state->dynamics.activations);
  for (int k = 0; k < substeps; k++) {
    run->moment = run->state->dynamics.time + k * run->opts.dt / run->opts.time_scale;
    run->deadline = budget > 0 ? started + budget * (k + 1) / substeps : 0;
    run->begun = budget > 0 ? mi_clock() : 0;
    double end = k + 1 < substeps ? (k + 1) / (double)substeps : 1;
    mien_result one = advance(run, k / (double)substeps, end);
    mi_state_publish(run->state);
    if (one < 0) return one;
    if (one > 0) result = one;
  }
  return result;
}

// Physics is off: the artist's pose.
static void follow(mi_step_run *run) {
  mien_state *state = run->state;
  mi_integrate_forget(state);
  mi_state_unstick(state);
  mi_input_pose(state, run->given, 0, state->dynamics.posed);
  state->dynamics.head = run->given->head;
}

// New or reset, and no snapshot has set its flesh in motion.
static bool is_new(const mien_state *state) {
  const mi_dynamics *dynamics = &state->dynamics;
  if (dynamics->nstep) return false;
  int count = 3 * state->face->info.nvert;
  return mi_is_zero(dynamics->offset, count) && mi_is_zero(dynamics->velocity, count);
}

// The first step after a reset has no head, pose or collider to come from: flesh rests where they
// are now.
static void begin(mi_step_run *run) {
  follow(run);
  mi_substep_end(run->state, run->given);
  mi_state_publish(run->state);
  mi_embed_show(run->state, run->render_skin);
}

mien_result mi_step(mien_state *state, const mien_input *given, const mien_step_opts *opts,
                    mien_error *err) {
  bool physics = opts->solver != MIEN_SOLVER_KINEMATIC;
  double started = mi_clock();
  mien_result result = MIEN_OK;
  mien_input coarse;
  const mien_input *input = mi_embed_input(state, given, &coarse);
  mi_step_run run = {.state = state,
                     .render_skin = given,
                     .given = input,
                     .input = input,
                     .opts = *opts,
                     .err = err};
  run.opts.dt = opts->time_scale * opts->dt / opts->substeps;
  run.frame = opts->dt;
  run.is_divided = opts->substeps > 1;
  if (physics) result = mi_minimise_prepare(&run);
  if (physics && result == MIEN_OK) result = mi_drive_prepare(&run);
  if (result < 0) return result;

  if (physics && is_new(state)) begin(&run);
  run.head_before = state->dynamics.head;
  state->info = (mien_state_info){.solver = physics ? state->solver->kind : opts->solver,
                                  .seconds_set_up = mi_clock() - started};
  if (physics)
    result = simulate(&run, opts->substeps);
  else
    follow(&run);
  mi_substep_end(state, input);
  double solved = mi_clock();
  state->dynamics.time += opts->dt;
  state->dynamics.nstep++;
  mi_state_publish(state);
  if (physics) mi_state_write_skin(state);
  mi_embed_show(state, given);
  mi_state_count_inverted(state);
  result = physics ? mi_plausible(&run, result) : result;
  state->info.seconds_output = mi_clock() - solved;
  state->info.seconds = mi_clock() - started;
  return result;
}
