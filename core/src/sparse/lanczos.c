#include "sparse/lanczos.h"

#include "math/small.h"
#include "sparse/lbfgs.h"

#include <math.h>
#include <string.h>

enum { STEPS = 44 };
static const double BROKEN = 1e-6; // of the first residual: the Krylov space is complete

typedef struct space {
  const mi_lanczos *def;
  float *q[STEPS];  // orthonormal in A                                               (nvert x 4)
  float *aq[STEPS]; // A q
  float *next;
  float *hq;               // H q
  double t[STEPS * STEPS]; // q' H q, tridiagonal
  int count;
} space;

static bool reserve(space *z, mi_arena *scratch) {
  size_t size = 4 * (size_t)z->def->nvert;
  bool done = (z->hq = MI_PUSH(scratch, float, size)) != NULL;
  for (int k = 0; done && k < STEPS; k++)
    done = (z->q[k] = MI_PUSH(scratch, float, size)) && (z->aq[k] = MI_PUSH(scratch, float, size));
  return done;
}

static double dot(const space *z, const float *a, const float *b) {
  return mi_lbfgs_dot(a, b, z->def->nvert, z->def->threads, z->def->sums);
}

static void add_scaled(const space *z, double share, const float *a, float *to) {
  for (int i = 0; i < 4 * z->def->nvert; i++) to[i] += (float)share * a[i];
}

static void scale(const space *z, double by, float *a) {
  for (int i = 0; i < 4 * z->def->nvert; i++) a[i] *= (float)by;
}

// The vector in `next`, A times the next direction, becomes that direction; returns its length
// in A, 0 when there is none.
static double take_next(space *z) {
  float *q = z->q[z->count], *aq = z->aq[z->count];
  memcpy(aq, z->next, 4 * (size_t)z->def->nvert * sizeof *aq);
  mi_factor_solve(z->def->factor, aq, z->def->threads, q);
  double square = dot(z, q, aq), length = sqrt(fmax(square, 0));
  if (!(length > 0) || !isfinite(length)) return 0;
  scale(z, 1 / length, q);
  scale(z, 1 / length, aq);
  z->count++;
  return length;
}

static void find_space(space *z) {
  if (take_next(z) == 0) return;
  double first = 0;
  while (z->count < STEPS) {
    int j = z->count - 1;
    z->def->multiply(z->def->user, z->q[j], z->hq);
    z->t[j * STEPS + j] = dot(z, z->q[j], z->hq);
    memcpy(z->next, z->hq, 4 * (size_t)z->def->nvert * sizeof *z->next);
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

static int combine_softest(const space *z, int wanted, float *const *mode) {
  double t[STEPS * STEPS], value[STEPS], vector[STEPS * STEPS];
  int n = z->count, found = 0;
  for (int i = 0; i < n * n; i++) t[i] = z->t[i / n * STEPS + i % n];
  mi_small_eigen(n, t, value, vector);
  for (; found < wanted && found < n; found++) {
    int softest = 0;
    for (int i = 1; i < n; i++)
      if (value[i] < value[softest]) softest = i;
    if (!(value[softest] < 1)) break; // A is right, or too soft
    value[softest] = INFINITY;
    memset(mode[found], 0, 4 * (size_t)z->def->nvert * sizeof *mode[found]);
    for (int k = 0; k < n; k++) add_scaled(z, vector[k * n + softest], z->q[k], mode[found]);
  }
  return found;
}

int mi_lanczos_softest(const mi_lanczos *def, float *load, int wanted, float *const *mode,
                       mi_arena *scratch) {
  space *z = MI_PUSH(scratch, space, 1);
  if (!z) return -1;
  z->def = def;
  z->next = load;
  if (!reserve(z, scratch)) return -1;
  find_space(z);
  return combine_softest(z, wanted, mode);
}
