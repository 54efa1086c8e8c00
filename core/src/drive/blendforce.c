// Blendforces and their control.
#include "drive/blendforce.h"

#include "drive/pose.h"

#include "drive/materials.h"

#include <math.h>
#include <string.h>

void mi_blendforce_add(const mi_blendforce *d, int column, double u, float *force) {
  const mi_force *of = d->force_of + column;
  for (int n = 0; n < of->count; n++)
    for (size_t c = 0; c < 3; c++)
      force[4 * (size_t)of->at[n] + c] += (float)(u * (double)of->push[3 * (size_t)n + c]);
}

// Copies three floats a vertex in the flesh's order to four in the solver's.
void mi_blendforce_gather(const mi_solver *solver, const float *flesh, float *vector) {
  for (int k = 0; k < solver->nvert; k++)
    memcpy(vector + 4 * (size_t)k, flesh + 3 * (size_t)solver->perm[k], 3 * sizeof *vector);
}

// -- control --------------------------------------------------------------------------------------

void mi_blendforce_gradient(mi_blendforce *d, mi_solver *solver) {
  mi_elastic_info info;
  for (int i = 0; i < d->nvert; i++)
    for (size_t c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + c;
      d->gradient[at] = solver->attach_stiffness[i] * (d->x[at] - d->anchor[at]);
    }
  mi_elastic_evaluate(solver->elastic, d->x, solver->local, d->host.threads, d->gradient, &info);
}

// Forces of each single shape at its weight w: w a + w^2 b through the forces at 0, 1/2 and 1,
// linear beyond.
static void expect(mi_blendforce *d, const float *weights) {
  for (int k = 0; k < d->nforce; k += MI_PER_SHAPE) {
    double w = (double)weights[k / MI_PER_SHAPE], bent = fmin(1, fmax(0, w));
    d->expected[k] = w * (2 * bent - 1);
    d->expected[k + 1] = 2 * w * (1 - bent);
  }
}

// Distance of marker m along axis c from its goal at x - A^-1 g + A^-1 B u.
static double find_off(const mi_blendforce *d, int m, size_t c, const double *u) {
  size_t at = 4 * (size_t)d->marker[m] + c, n = (size_t)d->nforce;
  const float *row = d->influence + (3 * (size_t)m + c) * n;
  double off = (double)d->goal[at] - (double)(d->x[at] - d->step[at]);
  for (size_t k = 0; k < n; k++) off -= (double)row[k] * u[k];
  return off;
}

// Solves for u* at x0 = x - A^-1 g; returns the distance of the markers that remains.
static double solve_u(mi_blendforce *d) {
  size_t n = (size_t)d->nforce;
  double left2 = 0;
  memset(d->u, 0, n * sizeof *d->u);
  for (int m = 0; m < d->nmarker; m++)
    for (size_t c = 0; c < 3; c++) {
      double off = find_off(d, m, c, d->expected);
      const float *row = d->influence + (3 * (size_t)m + c) * n;
      for (size_t k = 0; k < n; k++) d->u[k] += (double)row[k] * off;
    }
  mi_dense_solve(d->left, d->nforce, d->u);
  for (size_t k = 0; k < n; k++) d->u[k] += d->expected[k];
  for (int m = 0; m < d->nmarker; m++)
    for (size_t c = 0; c < 3; c++) left2 += pow(find_off(d, m, c, d->u), 2);
  return sqrt(left2 / d->nmarker);
}

double mi_blendforce_round(mi_blendforce *d, mi_solver *solver) {
  mi_blendforce_gradient(d, solver);
  mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
  double residual = solve_u(d);
  memset(d->force, 0, 4 * (size_t)d->nvert * sizeof *d->force);
  for (int s = 0; s < d->nforce; s++) mi_blendforce_add(d, s, d->u[s], d->force);
  return residual;
}

void mi_blendforce_follow(mi_blendforce *d) {
  size_t size = 4 * (size_t)d->nvert;
  for (size_t i = 0; i < size; i++) d->gradient[i] -= d->force[i];
  mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
  for (size_t i = 0; i < size; i++) d->x[i] -= d->step[i];
}

// Finds u* in `iterations` rounds from the artist's pose, with bone where `bones` has it, and
// leaves B u* in `force`. Returns how far markers still are, m, rms.
static double control(mi_blendforce *d, mi_solver *solver, const float *weights, int iterations) {
  double residual = 0;
  size_t size = 4 * (size_t)d->nvert;
  mi_blendforce_gather(solver, d->artist, d->goal);
  mi_blendforce_gather(solver, d->bones, d->anchor);
  mi_elastic_set_volumes(solver->elastic, d->goal, d->host.threads);
  memcpy(d->x, d->goal, size * sizeof *d->x);
  expect(d, weights);
  for (int k = 0; k < iterations; k++) {
    residual = mi_blendforce_round(d, solver);
    if (k + 1 < iterations) mi_blendforce_follow(d);
  }
  return residual;
}

// -- the stages of a step -------------------------------------------------------------------------

static void free_driven(void *driven) {
  mi_blendforce *d = driven;
  mi_factor_free(d->factor);
  mi_arena_delete(d->arena);
}

static mien_result prepare(mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  if (solver->driven) return MIEN_OK;
  mi_blendforce *d = MI_CREATE(mi_blendforce, &solver->host);
  if (!d) return mi_fail_memory(run->err);
  d->host = solver->host;
  d->face = run->state->face;
  d->nvert = solver->nvert;
  mien_result result = mi_blendforce_build(d, solver, run->err);
  if (result < 0) {
    free_driven(d);
    return result;
  }
  solver->driven = d;
  solver->force = d->force;
  return result;
}

static void pose(mi_step_run *run) {
  mien_state *state = run->state;
  mi_blendforce *d = state->solver->driven;
  size_t size = 3 * (size_t)d->nvert * sizeof(float);
  memcpy(d->artist, state->dynamics.posed, size);
  mi_input_bones(state, run->input, d->is_flesh, d->bones);
  memcpy(state->dynamics.posed, d->bones, size);
  d->is_neutral = !memcmp(d->artist, d->face->rest, size);
}

static bool forces(mi_step_run *run) {
  mien_state *state = run->state;
  mi_blendforce *d = state->solver->driven;
  bool is_forced = false;
  state->info.marker_error = 0;
  if (d->is_neutral) {
    memset(d->force, 0, 4 * (size_t)d->nvert * sizeof *d->force);
    return false;
  }
  mi_solver_set_materials(state->solver, d->face, state->weights);
  mi_solver_stiffen(state->solver, d->face, state->activations, run->opts.muscle_stiffening);
  state->info.marker_error =
      control(d, state->solver, state->weights, run->opts.control_iterations);
  for (int s = 0; s < d->nforce; s++) is_forced |= fabs(d->u[s]) > 1e-6;
  return is_forced;
}

static void rest(const mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  const mi_blendforce *d = solver->driven;
  if (d->is_neutral)
    mi_elastic_set_pose(solver->elastic, NULL, d->host.threads);
  else
    mi_elastic_set_volumes(solver->elastic, d->goal, d->host.threads);
}

const mi_drive mi_drive_blendforce = {.name = "blendforce",
                                      .needs_direct = true,
                                      .stiffness = mi_stabiliser_find,
                                      .prepare = prepare,
                                      .pose = pose,
                                      .forces = forces,
                                      .rest = rest,
                                      .free = free_driven};
