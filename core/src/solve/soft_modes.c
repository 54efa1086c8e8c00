// What the constant matrix gets most wrong, found once and kept as pairs of L-BFGS.
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
#include "math/small.h"

#include <math.h>
#include <string.h>

enum { STEPS = 44 };               // of Lanczos
static const float SHIFT = 5e-4f;  // of the face's size: how far flesh is moved to measure H s
static const double STRAINED = 2;  // times the H of rest
static const double BROKEN = 1e-6; // of the first residual: the space is used up

typedef struct lanczos {
  mi_solver *solver;
  float shift;      // m
  float *q[STEPS];  // orthonormal in A                                               (nvert x 4)
  float *aq[STEPS]; // A q
  float *next, *hq; // H q
  float *mode;
  double t[STEPS * STEPS]; // q' H q, tridiagonal
  int count;
} lanczos;

static bool reserve(lanczos *z, mi_arena *scratch) {
  size_t size = 4 * (size_t)z->solver->nvert;
  bool done = (z->next = MI_PUSH(scratch, float, size)) &&
              (z->hq = MI_PUSH(scratch, float, size)) && (z->mode = MI_PUSH(scratch, float, size));
  for (int k = 0; done && k < STEPS; k++)
    done = (z->q[k] = MI_PUSH(scratch, float, size)) && (z->aq[k] = MI_PUSH(scratch, float, size));
  return done;
}

static double dot(const lanczos *z, const float *a, const float *b) {
  const mi_solver *s = z->solver;
  return mi_lbfgs_dot(a, b, s->nvert, s->host.threads, s->sums);
}

static void add_scaled(const lanczos *z, double share, const float *a, float *to) {
  for (int i = 0; i < 4 * z->solver->nvert; i++) to[i] += (float)share * a[i];
}

static void scale(const lanczos *z, double by, float *a) {
  for (int i = 0; i < 4 * z->solver->nvert; i++) a[i] *= (float)by;
}

// Rest everywhere: nothing pulls, nothing moves.
static void place_at_rest(mi_solver *s, const mien_face *face) {
  for (int k = 0; k < s->nvert; k++)
    for (int c = 0; c < 3; c++)
      s->predicted[4 * (size_t)k + (size_t)c] = s->anchor[4 * (size_t)k + (size_t)c] =
          face->rest[3 * (size_t)s->perm[k] + (size_t)c];
  mi_elastic_set_pose(s->elastic, NULL, s->host.threads);
}

// The gradient changes by H s on the way from one side of rest to the other.
static void multiply_hessian(const lanczos *z, const float *along, float *out) {
  mi_solver *s = z->solver;
  mi_energies energies;
  float most = 0;
  int size = 4 * s->nvert;
  for (int i = 0; i < size; i++) most = fmaxf(most, fabsf(along[i]));
  float shift = most > 0 ? z->shift / most : 0, per = shift > 0 ? 0.5f / shift : 0;
  for (int i = 0; i < size; i++) s->trial[i] = s->predicted[i] + shift * along[i];
  mi_solver_evaluate(s, s->trial, s->gradient, &energies);
  for (int i = 0; i < size; i++) s->trial[i] = s->predicted[i] - shift * along[i];
  mi_solver_evaluate(s, s->trial, s->trial_gradient, &energies);
  for (int i = 0; i < size; i++) out[i] = per * (s->gradient[i] - s->trial_gradient[i]);
}

// The vector in `next`, A times the next direction, becomes that direction; returns its length
// in A, 0 when there is none.
static double take_next(lanczos *z) {
  mi_solver *s = z->solver;
  float *q = z->q[z->count], *aq = z->aq[z->count];
  memcpy(aq, z->next, 4 * (size_t)s->nvert * sizeof *aq);
  mi_factor_solve(s->factor, aq, s->host.threads, q);
  double square = dot(z, q, aq), length = sqrt(fmax(square, 0));
  if (!(length > 0) || !isfinite(length)) return 0;
  scale(z, 1 / length, q);
  scale(z, 1 / length, aq);
  z->count++;
  return length;
}

static void find_space(lanczos *z) {
  static const float slant[4] = {0.6f, 1, 0.8f, 0}; // not along a plane of symmetry
  const mi_solver *s = z->solver;
  for (int i = 0; i < 4 * s->nvert; i++) z->next[i] = slant[i % 4] * s->inertia[i / 4];
  if (take_next(z) == 0) return;
  double first = 0;
  while (z->count < STEPS) {
    int j = z->count - 1;
    multiply_hessian(z, z->q[j], z->hq);
    z->t[j * STEPS + j] = dot(z, z->q[j], z->hq);
    memcpy(z->next, z->hq, 4 * (size_t)s->nvert * sizeof *z->next);
    for (int round = 0; round < 2; round++) // once is not enough in float
      for (int k = 0; k <= j; k++) add_scaled(z, -dot(z, z->q[k], z->next), z->aq[k], z->next);
    double length = take_next(z);
    if (j == 0) first = length;
    if (length > BROKEN * first) {
      z->t[j * STEPS + j + 1] = z->t[(j + 1) * STEPS + j] = length;
      continue;
    }
    z->count = j + 1;
    return;
  }
  z->count--; // the last has no row of its own in t
}

// the mode of a vector of the small problem
static void combine(lanczos *z, const double *vector, int column) {
  memset(z->mode, 0, 4 * (size_t)z->solver->nvert * sizeof *z->mode);
  for (int k = 0; k < z->count; k++) add_scaled(z, vector[k * z->count + column], z->q[k], z->mode);
}

static void keep_softest(lanczos *z, int wanted) {
  double t[STEPS * STEPS], value[STEPS], vector[STEPS * STEPS];
  mi_solver *s = z->solver;
  int n = z->count;
  for (int i = 0; i < n * n; i++) t[i] = z->t[i / n * STEPS + i % n];
  mi_small_eigen(n, t, value, vector);
  memset(z->next, 0, 4 * (size_t)s->nvert * sizeof *z->next); // a pair is a difference from here
  for (int k = 0; k < wanted && k < n; k++) {
    int softest = 0;
    for (int i = 1; i < n; i++)
      if (value[i] < value[softest]) softest = i;
    if (!(value[softest] < 1)) return; // the matrix is right, or too soft
    value[softest] = INFINITY;
    combine(z, vector, softest);
    multiply_hessian(z, z->mode, z->hq);
    scale(z, STRAINED, z->hq);
    mi_lbfgs_add(s->history, z->next, z->mode, z->next, z->hq, s->host.threads);
  }
}

static bool find(mi_solver *solver, const mien_face *face) {
  mi_arena scratch;
  mi_arena_init(&scratch, &solver->host);
  lanczos *z = MI_PUSH(&scratch, lanczos, 1);
  if (z) z->solver = solver;
  bool done = z && reserve(z, &scratch);
  if (done) {
    z->shift = SHIFT * face->skin.size;
    place_at_rest(solver, face);
    find_space(z);
    keep_softest(z, MI_SOFT_MODES);
    mi_lbfgs_keep(solver->history);
  }
  mi_arena_free(&scratch);
  return done;
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
  if (!find(solver, face)) result = mi_fail_memory(err);
  solver->factor = NULL; // the operator keeps it
  mi_solver_free(solver);
  return result;
}
