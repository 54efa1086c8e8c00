// The motions that the constant matrix gets most wrong are found once and kept as pairs of L-BFGS.
//
// The matrix counts a rotation of flesh as if it were a stretch. So lips and cheeks, which turn and
// bend like flaps, are up to thirty times softer than it says, and a minimisation spends most of
// its iterations on them. The softest motions against the matrix A are the lowest modes of
//
//   H s = value A s        H = the true Hessian at rest
//
// and a pair (s, H s) in the history replaces the matrix along s by the truth. They are found by
// Lanczos' method from the flesh's own weight: the loads that a face lives with are inertia and
// gravity. Measured on a jaw stepped by 4 mm: error after 10 iterations 2.0 % without modes, 1.2 %
// with three; more add nothing. Flesh in motion is strained and stiffer than at rest: with H as it
// is, eight iterations of a shaken head take 9.1 line-search steps, with twice that 8.3 as without.
#include "solve/solver.h"
#include "solve/system.h"

#include "face/face.h"
#include "math/vec.h"
#include "sparse/lanczos.h"

#include <math.h>

static const float SHIFT = 5e-4f; // of the face's size: how far flesh is moved to measure H s
static const double STRAINED = 2; // times the H of rest

// The flesh is at rest: no force, no motion.
static void place_at_rest(mi_solver *s, const mien_face *face) {
  for (int k = 0; k < s->nvert; k++)
    for (int c = 0; c < 3; c++)
      s->predicted[4 * (size_t)k + (size_t)c] = s->anchor[4 * (size_t)k + (size_t)c] =
          face->rest[3 * (size_t)s->perm[k] + (size_t)c];
  mi_elastic_set_pose(s->elastic, NULL, s->host.threads);
}

// The gradient changes by H s on the way from one side of rest to the other.
static void multiply_hessian(void *user, const float *along, float *out) {
  mi_solver *s = user;
  mi_energies energies;
  int size = 4 * s->nvert;
  float most = mi_largest_size(along, size);
  float shift = most > 0 ? SHIFT * s->face->skin.size / most : 0,
        per = shift > 0 ? 0.5f / shift : 0;
  for (int i = 0; i < size; i++) s->trial[i] = s->predicted[i] + shift * along[i];
  mi_solver_evaluate(s, s->trial, s->gradient, &energies);
  for (int i = 0; i < size; i++) s->trial[i] = s->predicted[i] - shift * along[i];
  mi_solver_evaluate(s, s->trial, s->trial_gradient, &energies);
  for (int i = 0; i < size; i++) out[i] = per * (s->gradient[i] - s->trial_gradient[i]);
}

static bool find(mi_solver *s, const mien_face *face, mi_arena *scratch) {
  static const float slant[4] = {0.6f, 1, 0.8f, 0}; // not along a plane of symmetry
  size_t size = 4 * (size_t)s->nvert;
  float *load = MI_PUSH(scratch, float, size), *zero = MI_PUSH(scratch, float, size);
  float *product = MI_PUSH(scratch, float, size), *mode[MI_SOFT_MODES];
  bool done = load && zero && product;
  for (int k = 0; done && k < MI_SOFT_MODES; k++)
    done = (mode[k] = MI_PUSH(scratch, float, size)) != NULL;
  if (!done) return false;
  for (size_t i = 0; i < size; i++) load[i] = slant[i % 4] * s->inertia[i / 4];
  place_at_rest(s, face);
  mi_lanczos def = {s->nvert, s->host.threads, s->factor, multiply_hessian, s, s->sums};
  int found = mi_lanczos_softest(&def, load, MI_SOFT_MODES, mode, scratch);
  for (int k = 0; k < found; k++) {
    multiply_hessian(s, mode[k], product);
    for (size_t i = 0; i < size; i++) product[i] *= (float)STRAINED;
    mi_lbfgs_add(s->history, zero, mode[k], zero, product, s->host.threads);
  }
  mi_lbfgs_keep(s->history);
  return found >= 0;
}

mien_result mi_operator_find_soft_modes(mi_operator *op, const mi_system *system,
                                        const mien_face *face, int threads, mien_error *err) {
  mi_solver *solver = NULL;
  mien_host host = system->host;
  host.threads = threads;
  op->soft_modes = mi_lbfgs_create(system->nvert, MI_SOFT_MODES, &op->arena);
  if (!op->soft_modes) return mi_fail_memory(err);
  mien_result result = mi_solver_create(face, &host, system, op, &solver, err);
  if (result < 0) return result;
  solver->history = op->soft_modes;
  solver->factor = op->factor;
  mi_arena scratch;
  mi_arena_init(&scratch, &host);
  if (!find(solver, face, &scratch)) result = mi_fail_memory(err);
  mi_arena_free(&scratch);
  solver->factor = NULL; // the operator keeps it
  mi_solver_free(solver);
  return result;
}
