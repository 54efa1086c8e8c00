#include "lip_force.h"

#include "drive/materials.h"
#include "solve/solver.h"
#include "solve/state.h"

#include <math.h>
#include <stdlib.h>

// dE/dx of strain, volume and attachment where the flesh is, in the solver's order. (A state at
// which nothing acts has not told its pose to the solver.)
static void find_gradient(mien_state *state, float *x, float *gradient) {
  mi_solver *solver = state->solver;
  const mi_dynamics *dynamics = &state->dynamics;
  mi_elastic_info info;
  for (int i = 0; i < 3 * solver->nvert; i++)
    x[4 * (i / 3) + i % 3] = dynamics->posed[3 * solver->perm[i / 3] + i % 3];
  mi_solver_set_materials(solver, state->face, state->weights);
  mi_elastic_set_pose(solver->elastic, x, state->host.threads);
  for (int i = 0; i < 3 * solver->nvert; i++) {
    float offset = dynamics->offset[3 * solver->perm[i / 3] + i % 3];
    x[4 * (i / 3) + i % 3] += offset;
    gradient[4 * (i / 3) + i % 3] = solver->attach_stiffness[i / 3] * offset;
  }
  mi_elastic_evaluate(solver->elastic, x, solver->local, state->host.threads, gradient, &info);
}

bool lip_force_measure(mien_state *state, lip_force *out) {
  const mi_solver *solver = state->solver;
  const mien_face *face = state->face;
  size_t size = 4 * (size_t)solver->nvert;
  float *x = calloc(size, sizeof *x), *gradient = calloc(size, sizeof *gradient);
  *out = (lip_force){0};
  if (x && gradient) find_gradient(state, x, gradient);
  for (int k = 0; x && gradient && k < solver->nvert; k++) {
    int i = solver->perm[k];
    const float *g = gradient + 4 * (size_t)k;
    double length = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    *(i < face->skin.nvert ? &out->skin : &out->inside) += length;
    if (i >= face->skin.nvert) continue;
    int32_t bits = face->regions.bits[i];
    double *sum = bits & MIEN_REGION_LIP_UPPER   ? out->upper
                  : bits & MIEN_REGION_LIP_LOWER ? out->lower
                                                 : NULL;
    for (size_t c = 0; sum && c < 3; c++) sum[c] += (double)g[c];
  }
  double up = out->upper[1], down = -out->lower[1];
  out->push = fmax(0, fmin(up, down));
  bool done = x && gradient;
  free(x);
  free(gradient);
  return done;
}
