// Blendforces and their control.
#include "drive/blendforce_parts.h"

#include "solve/materials.h"

#include <math.h>
#include <string.h>

void mi_blendforce_free(mi_blendforce *drive) {
  if (!drive) return;
  mi_factor_free(drive->factor);
  mi_arena arena = drive->arena; // it lies in its own arena
  mi_arena_free(&arena);
}

mien_result mi_blendforce_create(mi_solver *solver, const mien_face *face, mi_blendforce **out,
                                 mien_error *err) {
  mi_arena arena;
  mi_arena_init(&arena, &solver->host);
  mi_blendforce *d = MI_PUSH(&arena, mi_blendforce, 1);
  if (!d) return mi_fail_memory(err);
  d->arena = arena;
  d->host = solver->host;
  d->face = face;
  d->nvert = solver->nvert;
  mien_result result = mi_blendforce_build(d, solver, err);
  if (result < 0)
    mi_blendforce_free(d);
  else
    *out = d;
  return result;
}

void mi_blendforce_add(const mi_blendforce *d, int column, double u, float *force) {
  const mi_force *of = d->force_of + column;
  for (int n = 0; n < of->count; n++)
    for (size_t c = 0; c < 3; c++)
      force[4 * (size_t)of->at[n] + c] += (float)(u * (double)of->push[3 * (size_t)n + c]);
}

// three floats a vertex in flesh order to four in the solver's
void mi_blendforce_gather(const mi_solver *solver, const float *flesh, float *vector) {
  for (int k = 0; k < solver->nvert; k++)
    memcpy(vector + 4 * (size_t)k, flesh + 3 * (size_t)solver->order[k], 3 * sizeof *vector);
}

// -- control --------------------------------------------------------------------------------------

void mi_blendforce_gradient(mi_blendforce *d, mi_solver *solver) {
  mi_elastic_info info;
  for (int i = 0; i < d->nvert; i++)
    for (size_t c = 0; c < 4; c++) {
      size_t at = 4 * (size_t)i + c;
      d->gradient[at] = solver->hold[i] * (d->x[at] - d->anchor[at]);
    }
  mi_elastic_evaluate(solver->elastic, d->x, solver->local, d->host.threads, d->gradient, &info);
}

// What each shape alone needs at its weight w: w a + w^2 b through the forces at 0, 1/2 and 1,
// straight on beyond.
static void expect(mi_blendforce *d, const float *weights) {
  for (int k = 0; k < d->nforce; k += MI_PER_SHAPE) {
    double w = (double)weights[k / MI_PER_SHAPE], bent = fmin(1, fmax(0, w));
    d->expected[k] = w * (2 * bent - 1);
    d->expected[k + 1] = 2 * w * (1 - bent);
  }
}

// how far marker m, axis c, is from its goal at x - A^-1 g + A^-1 B u
static double find_off(const mi_blendforce *d, int m, size_t c, const double *u) {
  size_t at = 4 * (size_t)d->marker[m] + c, n = (size_t)d->nforce;
  const float *row = d->influence + (3 * (size_t)m + c) * n;
  double off = (double)d->goal[at] - (double)(d->x[at] - d->step[at]);
  for (size_t k = 0; k < n; k++) off -= (double)row[k] * u[k];
  return off;
}

// u* for x0 = x - A^-1 g, and what is left of the markers' distance
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

mi_control mi_blendforce_control(mi_blendforce *d, mi_solver *solver, const float *weights,
                                 int iterations) {
  mi_control control = {.nmarker = d->nmarker};
  size_t size = 4 * (size_t)d->nvert;
  mi_blendforce_gather(solver, d->artist, d->goal);
  mi_blendforce_gather(solver, d->bones, d->anchor);
  mi_elastic_set_volumes(solver->elastic, d->goal, d->host.threads);
  memcpy(d->x, d->goal, size * sizeof *d->x);
  expect(d, weights);
  for (int k = 0; k < iterations; k++) {
    mi_blendforce_gradient(d, solver);
    mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
    control.residual = solve_u(d);
    memset(d->force, 0, size * sizeof *d->force);
    for (int s = 0; s < d->nforce; s++) mi_blendforce_add(d, s, d->u[s], d->force);
    if (k + 1 == iterations) break;
    for (size_t i = 0; i < size; i++) d->gradient[i] -= d->force[i];
    mi_factor_solve(d->factor, d->gradient, d->host.threads, d->step);
    for (size_t i = 0; i < size; i++) d->x[i] -= d->step[i];
  }
  for (int s = 0; s < d->nforce; s++) control.is_forced |= fabs(d->u[s]) > 1e-6;
  return control;
}

// -- the stage of a step --------------------------------------------------------------------------

mien_result mi_blendforce_prepare(mi_step_run *run) {
  mi_solver *solver = run->state->solver;
  solver->force = NULL;
  if (run->opts.drive != MIEN_DRIVE_BLENDFORCE) return MIEN_OK;
  if (!solver->blendforce) {
    mien_result result =
        mi_blendforce_create(solver, run->state->face, &solver->blendforce, run->err);
    if (result < 0) return result;
  }
  solver->force = solver->blendforce->force;
  return MIEN_OK;
}

void mi_blendforce_drive(mi_step_run *run) {
  mien_state *state = run->state;
  mi_solver *solver = state->solver;
  mi_blendforce *d = solver->blendforce;
  size_t size = 3 * (size_t)d->nvert * sizeof(float);
  double started = mi_clock();
  memcpy(d->artist, state->moving.posed, size);
  mi_input_bones(state, run->input, d->is_flesh, d->bones);
  memcpy(state->moving.posed, d->bones, size);
  d->is_neutral = !memcmp(d->artist, d->face->rest, size);
  mi_control control = {.nmarker = d->nmarker};
  if (d->is_neutral) {
    memset(d->force, 0, 4 * (size_t)d->nvert * sizeof *d->force);
  } else {
    mi_solver_set_materials(solver, d->face, state->weights);
    control = mi_blendforce_control(d, solver, state->weights, run->opts.control_iterations);
  }
  run->is_forced = control.is_forced;
  state->info.marker_error = control.residual;
  state->info.seconds_drive += mi_clock() - started;
}

void mi_blendforce_set_rest(mi_blendforce *d, mi_solver *solver) {
  if (d->is_neutral)
    mi_elastic_set_pose(solver->elastic, NULL, d->host.threads);
  else
    mi_elastic_set_volumes(solver->elastic, d->goal, d->host.threads);
}
