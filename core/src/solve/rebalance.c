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

#include "drive/drive.h"
#include "drive/materials.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// Tolerance: share of the kept force, or (in the energy norm) of the first imbalance, that may
// remain. A pose that changes by a frame takes one step; a jump or a new material takes more.
static const double SMALL = 0.2, CLOSE = 0.01;
static const double SHARE = 0.5; // of a substep's time, where it has a limit

static bool is_other_material(const mi_step_run *run) {
  const mien_state *state = run->state;
  const mien_face *face = state->face;
  size_t shapes = (size_t)face->rig->info.nshape * sizeof(float);
  size_t muscles = MI_ACTIVATION * (size_t)face->muscles.count * sizeof(float);
  bool is_tensed = run->opts.muscle_stiffening > 0 &&
                   memcmp(state->activations_before, state->activations, muscles);
  return is_tensed ||
         (face->materials.is_varying && memcmp(state->weights_before, state->weights, shapes));
}

static bool is_changed(const mi_step_run *run) {
  const mien_state *state = run->state;
  size_t flesh = 3 * (size_t)state->face->info.nvert * sizeof(float);
  return memcmp(state->posed_before, state->dynamics.posed, flesh) || is_other_material(run);
}

// -- Loops, by all threads ------------------------------------------------------------------------

enum { CHUNK = 8192 }; // floats

typedef struct loop {
  const mien_state *state;
  mi_solver *solver;
  const float *kept;
  float *to;
  float scale;
} loop;

static void for_floats(mi_solver *solver, mi_range_fn *fn, loop *l) {
  l->solver = solver;
  mi_parallel(solver->host.threads, 4 * solver->nvert, CHUNK, fn, l);
}

static void read_shift(void *user, int begin, int end) {
  const loop *l = user;
  const mi_solver *solver = l->solver;
  for (int k = begin / 4; k < end / 4; k++)
    for (int c = 0; c < 3; c++) {
      size_t to = 3 * (size_t)solver->perm[k] + (size_t)c, from = 4 * (size_t)k + (size_t)c;
      l->state->work[0][to] = solver->x[from] - solver->posed[from] - l->state->transported[to];
    }
}

// to -= kept
static void subtract(void *user, int begin, int end) {
  const loop *l = user;
  for (int i = begin; i < end; i++) l->to[i] -= l->kept[i];
}

// direction = trial + scale * direction, and x - direction to trial
static void turn(void *user, int begin, int end) {
  const loop *l = user;
  float *p = l->solver->direction, *z = l->solver->trial;
  const float *x = l->solver->x;
  for (int i = begin; i < end; i++) {
    p[i] = z[i] + (l->scale != 0 ? l->scale * p[i] : 0);
    z[i] = x[i] - p[i];
  }
}

// Moves by `scale` along the direction and updates the imbalance.
static void go(void *user, int begin, int end) {
  const loop *l = user;
  mi_solver *solver = l->solver;
  for (int i = begin; i < end; i++) {
    solver->x[i] -= l->scale * solver->direction[i];
    solver->gradient[i] -= l->scale * (solver->gradient[i] - solver->trial_gradient[i]);
  }
}

// -- Forces ---------------------------------------------------------------------------------------

// rest state, material and bones of a moment; x is the flesh there, without inertia
static void set_moment(const mi_step_run *run, const float *posed, const float *weights,
                       const float *activations) {
  const mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_integrate_place(state, posed);
  mi_solver_set_materials(solver, state->face, weights);
  mi_solver_stiffen(solver, state->face, activations, run->opts.muscle_stiffening);
  mi_elastic_set_pose(solver->elastic, solver->posed, solver->host.threads);
}

// gradient = force at x minus `kept`, without inertia
static void find_imbalance(mi_solver *solver, const float *x, const float *kept, float *gradient) {
  mi_energies energies;
  memcpy(solver->predicted, x, 4 * (size_t)solver->nvert * sizeof(float));
  mi_solver_evaluate(solver, x, gradient, &energies);
  if (kept) for_floats(solver, subtract, &(loop){.to = gradient, .kept = kept});
}

static double dot(const mi_solver *solver, const float *a, const float *b) {
  return mi_lbfgs_dot(a, b, solver->nvert, solver->host.threads, solver->sums);
}

// solver->x to where the force is `kept` again: conjugate gradients with the constant matrix before
// them. The stiffness along a direction is the difference of two forces, so a material that became
// much stiffer or softer than the matrix is no matter.
static void restore_force(mi_solver *solver, const float *kept, int most, double deadline) {
  float *r = solver->gradient, *p = solver->direction, *z = solver->trial;
  double first = 0, before = 0, small = SMALL * SMALL * dot(solver, kept, kept);
  find_imbalance(solver, solver->x, kept, r);
  for (int step = 0; step < most; step++) {
    // One step is always made, over budget or not: it removes most of the imbalance.
    if (step > 0 && deadline > 0 && mi_clock() >= deadline) return;
    if (step > 0 && !(dot(solver, r, r) > small)) return;
    mi_solver_approach(solver, r, z);
    double rz = dot(solver, r, z);
    if (step == 0) first = rz;
    if (!(rz > CLOSE * CLOSE * first) || !isfinite(rz)) return;
    for_floats(solver, turn, &(loop){.scale = step ? (float)(rz / before) : 0});
    find_imbalance(solver, z, kept, solver->trial_gradient);
    double pr = dot(solver, p, r), stiffness = pr - dot(solver, p, solver->trial_gradient);
    if (!(stiffness > 1e-4 * pr)) return; // not convex there: the transported offset is good enough
    for_floats(solver, go, &(loop){.scale = (float)(pr / stiffness)});
    before = rz;
  }
}

// Finds the part that transporting the offset leaves out, in flesh order, into the first work
// array.
static void find_shift(const mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  set_moment(run, state->posed_before, state->weights_before, state->activations_before);
  find_imbalance(solver, solver->x, NULL, solver->forward);
  set_moment(run, state->dynamics.posed, state->weights, state->activations);
  restore_force(solver, solver->forward, run->opts.iterations, mi_step_deadline(run, SHARE));
  for_floats(solver, read_shift, &(loop){.state = state});
  solver->is_posed = true;
}

static void shift(void *user, int begin, int end) {
  const mi_step_run *run = user;
  mien_state *state = run->state;
  mi_dynamics *dynamics = &state->dynamics;
  float alpha = (float)run->opts.rebalance;
  for (int i = begin; i < end; i++) {
    float back = alpha < 1 ? (1 - alpha) * (state->posed_before[i] - dynamics->posed[i]) : 0;
    float by = alpha * state->work[0][i] + back;
    if (!isfinite(by)) by = 0;
    state->transported[i] += by;
    dynamics->offset[i] += by;
    dynamics->offset_before[i] += by;
  }
}

void mi_rebalance(mi_step_run *run) {
  mien_state *state = run->state;
  int count = 3 * state->face->info.nvert;
  double begun = mi_clock();
  if (!mi_drive_of(&run->opts)->is_rest_posed || !is_changed(run)) return;
  bool is_bent = run->opts.rebalance > 0 && !mi_is_zero(state->transported, count);
  if (is_bent && state->solver->kind != MIEN_SOLVER_NEWTON)
    find_shift(run);
  else
    memset(state->work[0], 0, (size_t)count * sizeof(float));
  mi_parallel(state->host.threads, count, CHUNK, shift, run);
  state->info.seconds_rebalance += mi_clock() - begun;
}
