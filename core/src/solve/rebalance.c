// Dynamic rebalancing: the rest state or the material changed, the forces in the flesh stay
// (Kozlov et al., 5.2 and 7).
//
// Flesh is kept as pose + offset, and when the artist changes the pose the offset goes along. Then
// the elastic force of the old rest state and material, f, is put back: a static problem (eq. 12),
//
//   u' = argmin  W(new pose, new pose + u', new material) - f . u'
//
// solved by a few steps over the constant matrix. The paper does the dynamic step first, with the
// old rest state, and rebalances at its end; here the change comes first and the dynamic step sees
// the new rest state, so that colliders, bones and pose of a frame belong together. What stays is
// the same: elastic and inertial forces are in balance before and after the change.
//
// Why the undisturbed animation comes out exactly (claim K1), however few the iterations: with no
// offset f is exactly 0, because each element's energy is 0 and least at its own target shape; so
// u' = 0 is exactly right and nothing is solved. With no velocity against the head and no outer
// force the prediction is the pose, too, so the step is not minimised either: the output is the
// artist's array, copied. Nothing has to converge, no number is rounded twice.
//
// Partial rebalancing: the flesh starts at alpha times the rebalanced place plus 1 - alpha times
// the place where it was. The paper blends inertial forces; for small offsets, where force is
// linear in the place, that is the same.
#include "solve/rebalance.h"

#include "solve/materials.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 2 };
static const double CLOSE = 1e-3; // of the force that is out of balance

static bool is_zero(const float *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i] != 0) return false;
  return true;
}

static bool is_changed(const mi_step_run *run) {
  const mien_state *state = run->state;
  size_t flesh = 3 * (size_t)state->face->info.nvert * sizeof(float);
  size_t shapes = (size_t)state->face->rig->info.nshape * sizeof(float);
  return memcmp(state->posed_before, state->moving.posed, flesh) ||
         (state->solver->materials && memcmp(state->weights_before, state->weights, shapes));
}

// rest state, material and bones of a moment; x is the flesh there, without inertia
static void set_moment(const mi_step_run *run, const float *posed, const float *weights) {
  const mien_state *state = run->state;
  mi_solver *solver = state->solver;
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t from = 3 * (size_t)solver->order[k] + (size_t)c, to = 4 * (size_t)k + (size_t)c;
      solver->posed[to] = solver->anchor[to] = posed[from];
      solver->x[to] = posed[from] + state->carried[from];
    }
  mi_solver_set_materials(solver, state->face, weights);
  mi_elastic_set_pose(solver->elastic, solver->posed, solver->host.threads);
}

static double evaluate(mi_solver *solver, float *gradient) {
  mi_energies energies;
  memcpy(solver->predicted, solver->x, 4 * (size_t)solver->nvert * sizeof(float));
  mi_solver_evaluate(solver, solver->x, gradient, &energies);
  return energies.total;
}

// solver->x to where the force is `kept` again
static void restore_force(mi_solver *solver, const float *kept) {
  int count = 4 * solver->nvert;
  double first = 0;
  for (int step = 0; step <= MOST_STEPS; step++) {
    double off = 0, before = step ? first : INFINITY;
    evaluate(solver, solver->gradient);
    for (int i = 0; i < count; i++) {
      solver->gradient[i] -= kept[i];
      off += (double)solver->gradient[i] * solver->gradient[i];
    }
    if (step == 0) first = off;
    if (step > 0 && !(off <= before)) { // it got worse: back to where it was
      for (int i = 0; i < count; i++) solver->x[i] += solver->direction[i];
      return;
    }
    if (step == MOST_STEPS || !(off > CLOSE * CLOSE * first)) return;
    first = step ? fmin(first, off) : off;
    mi_solver_approach(solver, solver->gradient, solver->direction);
    for (int i = 0; i < count; i++) solver->x[i] -= solver->direction[i];
  }
}

// What carrying the offset along leaves out, in flesh order into state->push (free until forces are
// found).
static void find_shift(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  int npull = solver->pulls.count, nmore = solver->nmore; // contacts of the step before
  solver->pulls.count = solver->nmore = 0;
  set_moment(run, state->posed_before, state->weights_before);
  evaluate(solver, solver->trial_gradient);
  memcpy(solver->forward, solver->trial_gradient, 4 * (size_t)solver->nvert * sizeof(float));
  set_moment(run, state->moving.posed, state->weights);
  restore_force(solver, solver->forward);
  for (int k = 0; k < solver->nvert; k++)
    for (int c = 0; c < 3; c++) {
      size_t to = 3 * (size_t)solver->order[k] + (size_t)c, from = 4 * (size_t)k + (size_t)c;
      state->push[to] = solver->x[from] - solver->posed[from] - state->carried[to];
    }
  solver->pulls.count = npull, solver->nmore = nmore;
}

void mi_rebalance(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_moving *moving = &state->moving;
  float alpha = (float)run->opts.rebalance;
  int count = 3 * state->face->info.nvert;
  // blendforces act on the neutral, which never changes
  if (run->opts.drive == MIEN_DRIVE_BLENDFORCE || !is_changed(run)) return;
  bool is_bent = alpha > 0 && !is_zero(state->carried, count);
  if (is_bent && state->solver->kind != MIEN_SOLVER_NEWTON)
    find_shift(run);
  else
    memset(state->push, 0, (size_t)count * sizeof(float));
  for (int i = 0; i < count; i++) {
    float back = alpha < 1 ? (1 - alpha) * (state->posed_before[i] - moving->posed[i]) : 0;
    float shift = alpha * state->push[i] + back;
    if (!isfinite(shift)) shift = 0;
    state->carried[i] += shift;
    moving->offset[i] += shift;
    moving->offset_before[i] += shift;
  }
}
