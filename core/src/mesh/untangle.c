#include "mesh/untangle.h"

#include "math/vec.h"

#include <limits.h>
#include <string.h>

enum { HISTORY = 8, MOST_HALVINGS = 24, PIECES = 16 };

// c^(-1/3) for c > 0: minus a third of the exponent, good to 3.5 %, then steps without a division,
// each of which triples the digits that are right. The C library's root was a third of an energy.
static double inverse_cube_root(double c) {
  uint64_t bits;
  double y;
  memcpy(&bits, &c, sizeof bits);
  bits = UINT64_C(0x553ef1a9fbe76c8c) - bits / 3;
  memcpy(&y, &bits, sizeof y);
  for (int step = 0; step < 3; step++) {
    double off = 1 - c * (y * y * y);
    y *= 1 + off * (1.0 / 3 + off * (2.0 / 9));
  }
  return y;
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

// J, its cofactors and determinant
static inline double deform(const mi_untangle *u, const double *x, int t, double j[9],
                            double cof[9]) {
  const int32_t *tet = u->tets + 4 * (size_t)t;
  const double *inverse = u->inverse + 9 * (size_t)t, *o = x + 3 * (size_t)tet[0];
  double edge[9]; // columns
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) edge[3 * k + c] = x[3 * (size_t)tet[c + 1] + k] - o[k];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      j[3 * r + c] = edge[3 * r] * inverse[c] + edge[3 * r + 1] * inverse[3 + c] +
                     edge[3 * r + 2] * inverse[6 + c];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      cof[3 * r + c] = j[3 * r1 + c1] * j[3 * r2 + c2] - j[3 * r1 + c2] * j[3 * r2 + c1];
    }
  return j[0] * cof[0] + j[1] * cof[1] + j[2] * cof[2];
}

// the gradient by corners from that by J
static inline void spread(const mi_untangle *u, int t, const double by_j[9], double *gradient) {
  const int32_t *tet = u->tets + 4 * (size_t)t;
  const double *inverse = u->inverse + 9 * (size_t)t;
  double origin[3] = {0, 0, 0};
  for (int c = 0; c < 3; c++) {
    double g[3];
    for (int k = 0; k < 3; k++) {
      g[k] = by_j[3 * k] * inverse[3 * c] + by_j[3 * k + 1] * inverse[3 * c + 1] +
             by_j[3 * k + 2] * inverse[3 * c + 2];
      origin[k] -= g[k];
    }
    double *at = gradient + 3 * (size_t)tet[c + 1];
    for (int k = 0; k < 3 && tet[c + 1] < u->nfree; k++) at[k] += g[k];
  }
  for (int k = 0; k < 3 && tet[0] < u->nfree; k++) gradient[3 * (size_t)tet[0] + k] += origin[k];
}

// Tetrahedra [begin, end): their energy, and their gradient added.
static double energy_of(const mi_untangle *u, const double *x, double e, int begin, int end,
                        double *gradient) {
  double energy = 0;
  for (int t = begin; t < end; t++) {
    double j[9], cof[9], d = deform(u, x, t, j, cof), square = 0, root = sqrt(e * e + d * d);
    // for d far below 0 the plain sum would cancel
    double c = d > 0 ? 0.5 * (d + root) : 0.5 * e * e / (root - d);
    for (int k = 0; k < 9; k++) square += j[k] * j[k];
    double per = inverse_cube_root(c), per2 = per * per, per3 = per * per2;
    double shape = square * per2, volume = (d * d + 1) * per3;
    energy += shape + volume;
    if (!gradient) continue;
    double on_j = 2 * per2;
    // dc/dd = c / root
    double on_cof = 2 * d * per3 - (2.0 / 3 * shape + volume) / root;
    double by_j[9];
    for (int k = 0; k < 9; k++) by_j[k] = on_j * j[k] + on_cof * cof[k];
    spread(u, t, by_j, gradient);
  }
  return energy;
}

// A fixed number of pieces, each with a gradient of its own, added in order.
typedef struct summing {
  const mi_untangle *u;
  const double *x;
  double e, energy[PIECES];
  double *gradient; // (PIECES x nfree x 3)
} summing;

static int piece_begin(const mi_untangle *u, int piece) {
  return (int)((int64_t)u->ntet * piece / PIECES);
}

static void sum_pieces(void *user, int begin, int end) {
  summing *s = user;
  size_t count = 3 * (size_t)s->u->nfree;
  for (int p = begin; p < end; p++) {
    double *own = s->gradient + count * (size_t)p;
    memset(own, 0, count * sizeof *own);
    s->energy[p] = energy_of(s->u, s->x, s->e, piece_begin(s->u, p), piece_begin(s->u, p + 1), own);
  }
}

static double energy_at(const mi_untangle *u, const double *x, double e, double *pieces,
                        double *gradient) {
  summing s = {.u = u, .x = x, .e = e, .gradient = pieces};
  size_t count = 3 * (size_t)u->nfree;
  double energy = 0;
  mi_parallel(u->threads, PIECES, 1, sum_pieces, &s);
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    for (size_t p = 0; p < PIECES; p++) sum += pieces[count * p + i];
    gradient[i] = sum;
  }
  for (int p = 0; p < PIECES; p++) energy += s.energy[p];
  return energy;
}

double mi_untangle_energy(const mi_untangle *u, double e, double *gradient) {
  if (gradient) memset(gradient, 0, 3 * (size_t)u->nfree * sizeof *gradient);
  return energy_of(u, u->x, e, 0, u->ntet, gradient);
}

static void measure(const mi_untangle *u, mi_untangle_info *info) {
  info->least = INFINITY;
  info->nbad = 0;
  for (int t = 0; t < u->ntet; t++) {
    double j[9], cof[9], d = deform(u, u->x, t, j, cof);
    info->least = fmin(info->least, d);
    info->nbad += !(d > 0);
  }
}

// -- L-BFGS, small and in double
// ------------------------------------------------------------------------

typedef struct descent {
  const mi_untangle *u;
  int count; // unknowns
  double e, energy;
  int nlook;
  double *gradient, *direction, *trial, *trial_gradient;
  double *pieces; // of the gradient
  double *step[HISTORY], *change[HISTORY], rho[HISTORY];
  int npair, next;
} descent;

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

// False when no step goes down.
static bool advance(descent *d, double longest) {
  double *x = d->u->x, slope = dot(d->gradient, d->direction, d->count), far = 0, length = 1;
  if (!(slope < 0)) return false;
  for (int i = 0; i < d->count; i++) far = fmax(far, fabs(d->direction[i]));
  if (far > longest) length = longest / far;
  for (int halving = 0; halving < MOST_HALVINGS; halving++, length /= 2) {
    for (int i = 0; i < d->count; i++) d->trial[i] = x[i] + length * d->direction[i];
    double energy = energy_at(d->u, d->trial, d->e, d->pieces, d->trial_gradient);
    d->nlook += d->u->ntet;
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
  return (3 + 2 * HISTORY + PIECES) * 3 * (size_t)nfree + 3 * (size_t)nvert;
}

// Held vertices come after the free ones; a trial has a copy of them.
static descent set_up(const mi_untangle *u, int nvert, double *memory) {
  descent d = {.u = u, .count = 3 * u->nfree, .trial = memory};
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

void mi_untangle_solve(const mi_untangle *u, int nvert, double *memory, mi_untangle_info *info) {
  descent d = set_up(u, nvert, memory);
  *info = (mi_untangle_info){0};
  double longest = mean_edge(u);
  measure(u, info);
  int most = u->effort > 0 ? u->effort : INT_MAX;
  for (int round = 0, stuck = 0; round < u->rounds && info->least < u->enough && d.nlook < most;
       round++) {
    double below = fmin(0, info->least), least = info->least;
    int nbad = info->nbad;
    d.e = sqrt(1e-6 + 0.04 * below * below);
    d.energy = energy_at(u, u->x, d.e, d.pieces, d.gradient);
    d.npair = d.next = 0;
    d.nlook += u->ntet;
    for (int step = 0; step < u->steps && d.nlook < most; step++) {
      find_direction(&d);
      if (!advance(&d, longest)) {
        if (!d.npair) break;
        d.npair = d.next = 0; // once more, straight down
        continue;
      }
      info->nstep++;
      if (step % 5 == 4) {
        measure(u, info);
        if (info->least >= u->enough) break;
      }
    }
    measure(u, info);
    // what does not get better cannot be untangled: the held vertices themselves fold over
    stuck = info->nbad < nbad || info->least > least + 0.1 * fabs(least) ? 0 : stuck + 1;
    if (stuck == 2) break;
  }
  info->nlook = d.nlook;
}
