#include "math/kernels.h"
#include "math/vec.h"
#include "mesh/untangle_kernels.h"

#include <string.h>

enum { HISTORY = 8, MOST_HALVINGS = 24, NPART = 16 };

const mi_untangle_kernels *mi_untangle_kernels_best(void) {
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2) return &mi_untangle_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (mi_kernels_best() == &mi_kernels_body_neon) return &mi_untangle_body_neon;
#endif
  return &mi_untangle_body_scalar;
}

bool mi_untangle_inverse(const float *rest, const int32_t tet[4], double inverse[9]) {
  mi_vec3 p[4];
  for (int c = 0; c < 4; c++) p[c] = mi_vec3_load(rest + 3 * (size_t)tet[c]);
  mi_vec3 u = mi_sub(p[1], p[0]), v = mi_sub(p[2], p[0]), w = mi_sub(p[3], p[0]);
  mi_vec3 row[3] = {mi_cross(v, w), mi_cross(w, u), mi_cross(u, v)};
  double det = mi_dot(u, row[0]);
  for (int e = 0; e < 3 && det != 0; e++) {
    inverse[3 * e] = row[e].x / det;
    inverse[3 * e + 1] = row[e].y / det;
    inverse[3 * e + 2] = row[e].z / det;
  }
  return det != 0;
}

typedef struct descent {
  const mi_untangle_kernels *kernels;
  const mi_untangle *u;
  int count; // unknowns
  double e, energy;
  int nevaluation;
  double *gradient, *direction, *trial, *trial_gradient;
  double *pieces; // of the gradient
  double *step[HISTORY], *change[HISTORY], rho[HISTORY];
  int npair, next;
} descent;

// A fixed number of chunks, each with its own gradient, added in order.
typedef struct sum_ctx {
  const mi_untangle_kernels *kernels;
  const mi_untangle *u;
  const double *x;
  double e, energy[NPART];
  double *gradient; // (NPART x nfree x 3)
} sum_ctx;

static int part_begin(const mi_untangle *u, int piece) {
  return (int)((int64_t)u->ntet * piece / NPART);
}

static void sum_parts(void *user, int begin, int end) {
  sum_ctx *s = user;
  size_t count = 3 * (size_t)s->u->nfree;
  for (int p = begin; p < end; p++) {
    double *own = s->gradient + count * (size_t)p;
    memset(own, 0, count * sizeof *own);
    s->energy[p] =
        s->kernels->energy(s->u, s->x, s->e, part_begin(s->u, p), part_begin(s->u, p + 1), own);
  }
}

static double energy_at(const descent *d, const double *x, double *gradient) {
  const mi_untangle *u = d->u;
  sum_ctx s = {.kernels = d->kernels, .u = u, .x = x, .e = d->e, .gradient = d->pieces};
  size_t count = 3 * (size_t)u->nfree;
  double energy = 0;
  mi_parallel(u->threads, NPART, 1, sum_parts, &s);
  memset(gradient, 0, count * sizeof *gradient);
  for (size_t p = 0; p < NPART; p++) {
    for (size_t i = 0; i < count; i++) gradient[i] += d->pieces[count * p + i];
    energy += s.energy[p];
  }
  return energy;
}

double mi_untangle_energy(const mi_untangle *u, double e, double *gradient) {
  if (gradient) memset(gradient, 0, 3 * (size_t)u->nfree * sizeof *gradient);
  return mi_untangle_kernels_best()->energy(u, u->x, e, 0, u->ntet, gradient);
}

// -- L-BFGS, small and in double ------------------------------------------------------------------

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

static void add_scaled(double *to, double scale, const double *from, int count) {
  for (int i = 0; i < count; i++) to[i] += scale * from[i];
}

// the two-loop recursion
static void find_direction(descent *d) {
  double alpha[HISTORY];
  for (int i = 0; i < d->count; i++) d->direction[i] = -d->gradient[i];
  for (int k = 1; k <= d->npair; k++) {
    int p = (d->next - k + HISTORY) % HISTORY;
    alpha[p] = d->rho[p] * dot(d->step[p], d->direction, d->count);
    add_scaled(d->direction, -alpha[p], d->change[p], d->count);
  }
  int last = (d->next - 1 + HISTORY) % HISTORY;
  double scale =
      d->npair ? 1 / (d->rho[last] * dot(d->change[last], d->change[last], d->count)) : 0;
  for (int i = 0; d->npair && i < d->count; i++) d->direction[i] *= scale;
  for (int k = d->npair; k >= 1; k--) {
    int p = (d->next - k + HISTORY) % HISTORY;
    double beta = d->rho[p] * dot(d->change[p], d->direction, d->count);
    add_scaled(d->direction, alpha[p] - beta, d->step[p], d->count);
  }
}

static void remember(descent *d, const double *from) {
  double *step = d->step[d->next], *change = d->change[d->next];
  for (int i = 0; i < d->count; i++) {
    step[i] = d->trial[i] - from[i];
    change[i] = d->trial_gradient[i] - d->gradient[i];
  }
  double curved = dot(step, change, d->count);
  if (!(curved > 1e-12 * dot(change, change, d->count) * 1e-12)) return;
  d->rho[d->next] = 1 / curved;
  d->next = (d->next + 1) % HISTORY;
  if (d->npair < HISTORY) d->npair++;
}

// False when no step decreases the energy.
static bool advance(descent *d, double longest) {
  double *x = d->u->x, slope = dot(d->gradient, d->direction, d->count), far = 0, length = 1;
  if (!(slope < 0)) return false;
  for (int i = 0; i < d->count; i++) far = fmax(far, fabs(d->direction[i]));
  if (far > longest) length = longest / far;
  for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
    for (int i = 0; i < d->count; i++) d->trial[i] = x[i] + length * d->direction[i];
    double energy = energy_at(d, d->trial, d->trial_gradient);
    d->nevaluation += d->u->ntet;
    if (!(energy <= d->energy + 1e-4 * length * slope)) continue;
    remember(d, x);
    memcpy(x, d->trial, (size_t)d->count * sizeof *x);
    double *swapped = d->gradient;
    d->gradient = d->trial_gradient;
    d->trial_gradient = swapped;
    d->energy = energy;
    return true;
  }
  return false;
}

static double mean_edge(const mi_untangle *u) {
  double sum = 0;
  for (int t = 0; t < u->ntet; t++)
    for (int c = 1; c < 4; c++) {
      const double *a = u->x + 3 * (size_t)u->tets[4 * (size_t)t];
      const double *b = u->x + 3 * (size_t)u->tets[4 * (size_t)t + (size_t)c];
      sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                  (a[2] - b[2]) * (a[2] - b[2]));
    }
  return u->ntet ? sum / (3 * u->ntet) : 0;
}

size_t mi_untangle_memory(int nfree, int nvert) {
  return (3 + 2 * HISTORY + NPART) * 3 * (size_t)nfree + 3 * (size_t)nvert;
}

// Held vertices come after the free ones; every trial has a copy of them.
static descent set_up(const mi_untangle *u, int nvert, double *memory) {
  descent d = {
      .kernels = mi_untangle_kernels_best(), .u = u, .count = 3 * u->nfree, .trial = memory};
  memcpy(d.trial, u->x, 3 * (size_t)nvert * sizeof *d.trial);
  memory += 3 * (size_t)nvert;
  double **vectors[] = {&d.gradient, &d.direction, &d.trial_gradient};
  for (int k = 0; k < 3; k++, memory += d.count) *vectors[k] = memory;
  for (int p = 0; p < HISTORY; p++, memory += 2 * (size_t)d.count) {
    d.step[p] = memory;
    d.change[p] = memory + d.count;
  }
  d.pieces = memory;
  return d;
}

void mi_untangle_measure(const mi_untangle *u, double *least, int *nbad) {
  mi_untangle_kernels_best()->measure(u, least, nbad);
}

static bool is_over(const descent *d) {
  if (d->u->effort <= 0 || d->nevaluation < d->u->effort) return false;
  return !(d->u->deadline > 0) || mi_clock() >= d->u->deadline;
}

void mi_untangle_solve(const mi_untangle *u, int nvert, double *memory, mi_untangle_info *info) {
  descent d = set_up(u, nvert, memory);
  *info = (mi_untangle_info){0};
  double longest = mean_edge(u);
  d.kernels->measure(u, &info->least, &info->nbad);
  for (int round = 0, stuck = 0;
       round < u->rounds && info->least < u->enough && !(info->is_cut = is_over(&d)); round++) {
    double below = fmin(0, info->least), least = info->least;
    int nbad = info->nbad;
    d.e = sqrt(1e-6 + 0.04 * below * below);
    d.energy = energy_at(&d, u->x, d.gradient);
    d.npair = d.next = 0;
    d.nevaluation += u->ntet;
    double before = d.energy;
    for (int step = 0; step < u->steps && !is_over(&d); step++) {
      find_direction(&d);
      if (!advance(&d, longest)) {
        if (!d.npair) break;
        d.npair = d.next = 0; // restart with steepest descent
        continue;
      }
      info->nstep++;
      if (step % 5 == 4) {
        d.kernels->measure(u, &info->least, &info->nbad);
        if (info->least >= u->enough || d.energy > (1 - u->slow) * before) break;
        before = d.energy;
      }
    }
    d.kernels->measure(u, &info->least, &info->nbad);
    // no progress: the held vertices themselves fold over, so these cannot be untangled
    stuck = info->nbad < nbad || info->least > least + 0.1 * fabs(least) ? 0 : stuck + 1;
    if (stuck == 2) break;
  }
  info->nevaluation = d.nevaluation;
}
