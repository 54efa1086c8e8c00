#include "claim_b10_least.h"

#include "claim_b10_drift.h"

#include "energy/laws.h"
#include "mesh/stiffness.h"
#include "solve/state.h"
#include "sparse/lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE = 150, ADJOINT = 40, PAIRS = 10, TRIALS = 8 };
static const double STILL = 2e-8, SMALL = 1e-6, PROBE = 2e-5; // m
static const double FORCE = 0.02;   // u per unknown: forces steer more than a weight does
static const double FARTHEST = 0.7; // a step's change of an unknown

typedef struct search {
  drift_bench *b;
  mi_arena arena;
  mi_elastic *elastic;
  mi_factor *factor;
  mi_lbfgs *history;
  int shape, nforce, nskin, ntet, nvert, nflesh, n; // n: unknowns
  double *strain, *volume;           // at weight 1                                       (ntet)
  float *base, *hold;                // N / m, at weight 1; at the weights                (nvert)
  float *posed, *anchor, *x, *pull;  // the expression, its bones, where it rests, its force (same)
  float *g, *old, *old_g, *q, *y[4]; //                                               (nvert x 4)
  float *force; // of every shape, as hard as holds it best                  (nforce x nvert x 4)
} search;

static double dot(const search *s, const float *a, const float *b) {
  double sum = 0;
  for (int i = 0; i < 4 * s->nvert; i++) sum += (double)a[i] * (double)b[i];
  return sum;
}

// -- the flesh at given weights -------------------------------------------------------------------

static double mean_weight(const search *s, int which, int t, const double *p) {
  const mien_face *face = s->b->face;
  double sum = 0;
  for (int c = 0; c < 4; c++)
    sum += 0.25 * exp(p[which * s->nskin + face->carrier[face->tets[4 * (size_t)t + (size_t)c]]]);
  return sum;
}

static mien_result factor_at(search *s, const float *strain, const float *volume,
                             const double *diagonal, mi_arena *scratch, mien_error *err) {
  const mien_face *face = s->b->face;
  mi_csr unordered, matrix;
  mi_stiffness_def def = {.nvert = s->nvert,
                          .ntet = s->ntet,
                          .tets = face->tets,
                          .rest = face->rest,
                          .weight_a = strain,
                          .weight_b = volume,
                          .diagonal = diagonal};
  mi_factor_free(s->factor);
  s->factor = NULL;
  if (!mi_stiffness_assemble(&def, scratch, &unordered) ||
      !mi_csr_permute(&unordered, s->b->solver->perm, scratch, scratch, &matrix))
    return mi_fail_memory(err);
  return mi_factor_create(&matrix, s->nvert, &s->b->solver->host, &s->factor, err);
}

static mien_result set_weights(search *s, const double *p, mi_arena *scratch, mien_error *err) {
  const mi_solver *solver = s->b->solver;
  float *strain = MI_PUSH(scratch, float, s->ntet), *volume = MI_PUSH(scratch, float, s->ntet);
  double *diagonal = MI_PUSH(scratch, double, s->nvert);
  if (!strain || !volume || !diagonal) return mi_fail_memory(err);
  for (int t = 0; t < s->ntet; t++) {
    strain[t] = (float)(s->strain[t] * mean_weight(s, 0, t, p));
    volume[t] = (float)(s->volume[t] * mean_weight(s, 1, t, p));
    mi_elastic_set_strain(s->elastic, t, strain[t]);
    mi_elastic_set_volume(s->elastic, t, volume[t]);
  }
  for (int k = 0; k < s->nvert; k++) {
    int i = solver->perm[k];
    s->hold[k] = s->base[k] * (float)exp(p[2 * s->nskin + s->b->face->carrier[i]]);
    diagonal[i] = (double)s->hold[k] + 0.01 * (double)solver->op->inertia[k];
  }
  return factor_at(s, strain, volume, diagonal, scratch, err);
}

// The pull: a sum of all shapes' forces.
static void find_pull(search *s, const double *p) {
  size_t size = 4 * (size_t)s->nvert;
  const double *u = p + 3 * s->nskin;
  memset(s->pull, 0, size * sizeof *s->pull);
  for (int j = 0; j < s->nforce; j++)
    for (size_t i = 0; i < size; i++)
      s->pull[i] += (float)(FORCE * u[j]) * s->force[(size_t)j * size + i];
}

// Energy and forces of the flesh, pulled or let go.
static double evaluate(search *s, double by, const float *x, float *gradient) {
  mi_elastic_info info;
  double sum = 0;
  for (int i = 0; i < 4 * s->nvert; i++) {
    double off = (double)x[i] - (double)s->anchor[i];
    double pull = by * (double)s->pull[i];
    double hold = (double)s->hold[i / 4];
    sum += 0.5 * hold * off * off - pull * ((double)x[i] - (double)s->posed[i]);
    gradient[i] = (float)(hold * off - pull);
  }
  mi_elastic_evaluate(s->elastic, x, s->b->solver->local, s->b->solver->host.threads, gradient,
                      &info);
  return sum + info.energy;
}

// From x to where nothing moves.
static void settle(search *s, float *x) {
  size_t size = 4 * (size_t)s->nvert;
  int threads = s->b->solver->host.threads;
  double energy = evaluate(s, 1, x, s->g);
  mi_lbfgs_reset(s->history);
  for (int n = 0; n < SETTLE; n++) {
    memcpy(s->old, x, size * sizeof *x);
    memcpy(s->old_g, s->g, size * sizeof *x);
    mi_lbfgs_forward(s->history, s->old_g, threads, s->q);
    mi_factor_solve(s->factor, s->q, threads, s->q);
    double slope = mi_lbfgs_backward(s->history, s->q, s->old_g, threads);
    double step = 1, length = sqrt(dot(s, s->q, s->q) / s->nvert), next = energy;
    for (int trial = 0; trial < TRIALS; trial++, step *= 0.5) {
      for (size_t i = 0; i < size; i++) x[i] = s->old[i] - (float)step * s->q[i];
      next = evaluate(s, 1, x, s->g);
      if (next <= energy - 1e-4 * step * slope || step * length < SMALL) break;
    }
    energy = next;
    if (step * length < STILL) break;
    mi_lbfgs_add(s->history, s->old, x, s->old_g, s->g, threads);
  }
}

// -- the slope of the drift -----------------------------------------------------------------------

// y = H v, by differences of the forces around x.
static void curve(search *s, const float *x, const float *v, float *y) {
  double most = 1e-30;
  for (int i = 0; i < 4 * s->nvert; i++) most = fmax(most, fabs((double)v[i]));
  float by = (float)(PROBE / most);
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < 4 * s->nvert; i++) s->old[i] = x[i] + (side ? -by : by) * v[i];
    evaluate(s, 0, s->old, side ? s->old_g : y);
  }
  for (int i = 0; i < 4 * s->nvert; i++) y[i] = (y[i] - s->old_g[i]) / (2 * by);
}

// H out = right, by conjugate gradients; `right` becomes what is left.
static void solve_adjoint(search *s, const float *x, float *right, float *out) {
  int threads = s->b->solver->host.threads;
  float *way = s->y[2], *bent = s->y[3];
  memset(out, 0, 4 * (size_t)s->nvert * sizeof *out);
  mi_factor_solve(s->factor, right, threads, s->q);
  memcpy(way, s->q, 4 * (size_t)s->nvert * sizeof *way);
  double square = dot(s, right, s->q), first = square;
  for (int n = 0; n < ADJOINT && square > 1e-4 * first; n++) {
    curve(s, x, way, bent);
    double along = dot(s, way, bent);
    if (!(along > 0)) break; // it buckles
    float by = (float)(square / along);
    for (int i = 0; i < 4 * s->nvert; i++) out[i] += by * way[i], right[i] -= by * bent[i];
    mi_factor_solve(s->factor, right, threads, s->q);
    double next = dot(s, right, s->q);
    for (int i = 0; i < 4 * s->nvert; i++) way[i] = s->q[i] + (float)(next / square) * way[i];
    square = next;
  }
}

// Adds the gradient of the weights of tetrahedra, seen through the adjoint `to`.
static void add_tets(const search *s, const float *x, const float *to, const double *p,
                     double *slope) {
  const mien_face *face = s->b->face;
  double rest[12], at[12], g[12];
  for (int t = 0; t < s->ntet; t++) {
    const int32_t *tet = face->tets + 4 * (size_t)t;
    double along[2] = {0};
    mi_stencil stencil[2];
    for (size_t e = 0; e < 12; e++) {
      size_t place = 4 * (size_t)s->b->solver->iperm[tet[e / 3]] + e % 3;
      rest[e] = (double)face->rest[3 * (size_t)tet[e / 3] + e % 3];
      at[e] = (double)x[place];
    }
    if (!mi_strain_set_up(stencil, rest, s->strain[t], NULL) ||
        !mi_volume_set_up(stencil + 1, rest, s->volume[t], 1, 1))
      continue;
    for (int which = 0; which < 2; which++) {
      (which ? mi_law_volume : mi_law_strain).gradient(stencil + which, at, g);
      for (size_t e = 0; e < 12; e++)
        along[which] += g[e] * (double)to[4 * (size_t)s->b->solver->iperm[tet[e / 3]] + e % 3];
      for (int c = 0; c < 4; c++) {
        int j = which * s->nskin + face->carrier[tet[c]];
        slope[j] -= 0.25 * along[which] * exp(p[j]);
      }
    }
  }
}

// The slope by all unknowns, along the adjoint `to`.
static void find_slope(search *s, const double *p, const float *to, double *slope) {
  memset(slope, 0, (size_t)s->n * sizeof *slope);
  add_tets(s, s->x, to, p, slope);
  for (int i = 0; i < 4 * s->nvert; i++) {
    int v = 2 * s->nskin + s->b->face->carrier[s->b->solver->perm[i / 4]];
    double off = (double)s->x[i] - (double)s->anchor[i];
    slope[v] -= (double)s->hold[i / 4] * off * (double)to[i];
  }
  for (int j = 0; j < s->nforce; j++)
    slope[3 * s->nskin + j] = FORCE * dot(s, s->force + 4 * (size_t)s->nvert * (size_t)j, to);
}

// Half the sum of squares of the drift at these unknowns, and its slope by them.
static double measure(search *s, const double *p, double *slope, mien_error *err) {
  float *right = s->y[0], *to = s->y[1];
  mi_arena scratch;
  mi_arena_init(&scratch, &s->b->solver->host);
  mien_result result = set_weights(s, p, &scratch, err);
  mi_arena_free(&scratch);
  if (result < 0) return NAN;
  find_pull(s, p);
  settle(s, s->x);
  for (int i = 0; i < 4 * s->nvert; i++) {
    bool counts = s->b->d->is_flesh[s->b->solver->perm[i / 4]];
    right[i] = counts ? s->x[i] - s->posed[i] : 0;
  }
  double sum = 0.5 * dot(s, right, right);
  if (!slope) return sum;
  solve_adjoint(s, s->x, right, to);
  find_slope(s, p, to, slope);
  return sum;
}

// -- the descent ----------------------------------------------------------------------------------

typedef struct descent {
  double *p, *slope, *next, *next_slope, *way; // (n)
  double *dp[PAIRS], *ds[PAIRS], scale[PAIRS];
  int npair;
} descent;

static double product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static void find_way(descent *d, int n) {
  double share[PAIRS];
  int first = d->npair > PAIRS ? d->npair - PAIRS : 0;
  for (int i = 0; i < n; i++) d->way[i] = -d->slope[i];
  for (int k = d->npair - 1; k >= first; k--) {
    int at = k % PAIRS;
    share[at] = d->scale[at] * product(d->dp[at], d->way, n);
    for (int i = 0; i < n; i++) d->way[i] -= share[at] * d->ds[at][i];
  }
  if (d->npair) {
    int at = (d->npair - 1) % PAIRS;
    double by = 1 / (d->scale[at] * product(d->ds[at], d->ds[at], n));
    for (int i = 0; i < n; i++) d->way[i] *= by;
  }
  for (int k = first; k < d->npair; k++) {
    int at = k % PAIRS;
    double by = share[at] - d->scale[at] * product(d->ds[at], d->way, n);
    for (int i = 0; i < n; i++) d->way[i] += by * d->dp[at][i];
  }
  double most = 1e-300;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(d->way[i]));
  double by = d->npair ? fmin(1, FARTHEST / most) : 0.3 / most;
  for (int i = 0; i < n; i++) d->way[i] *= by;
}

static void keep_pair(descent *d, int n) {
  int at = d->npair % PAIRS;
  for (int i = 0; i < n; i++) {
    d->dp[at][i] = d->next[i] - d->p[i];
    d->ds[at][i] = d->next_slope[i] - d->slope[i];
  }
  double along = product(d->dp[at], d->ds[at], n);
  if (!(along > 1e-12 * product(d->ds[at], d->ds[at], n))) return;
  d->scale[at] = 1 / along;
  d->npair++;
}

// False when nothing could be measured.
static bool descend(search *s, descent *d, int steps, mien_error *err) {
  double sum = measure(s, d->p, d->slope, err);
  for (int n = 0; n < steps; n++) {
    find_way(d, s->n);
    double along = product(d->way, d->slope, s->n), next = NAN, step = 1;
    for (int trial = 0; trial < TRIALS; trial++, step *= 0.4) {
      for (int i = 0; i < s->n; i++) d->next[i] = d->p[i] + step * d->way[i];
      next = measure(s, d->next, d->next_slope, err);
      if (next < sum + 1e-4 * step * along) break;
    }
    if (!(next < sum)) break;
    keep_pair(d, s->n);
    memcpy(d->p, d->next, (size_t)s->n * sizeof *d->p);
    memcpy(d->slope, d->next_slope, (size_t)s->n * sizeof *d->slope);
    sum = next;
  }
  return isfinite(sum);
}

// -- the whole ------------------------------------------------------------------------------------

static bool reserve(search *s, descent *d) {
  size_t size = 4 * (size_t)s->nvert;
  float **vectors[] = {&s->posed, &s->anchor, &s->x, &s->pull, &s->g,    &s->old,
                       &s->old_g, &s->q,      s->y,  s->y + 1, s->y + 2, s->y + 3};
  double **unknowns[] = {&d->p, &d->slope, &d->next, &d->next_slope, &d->way};
  bool done = true;
  for (size_t k = 0; k < 12; k++) done &= (*vectors[k] = MI_PUSH(&s->arena, float, size)) != NULL;
  for (size_t k = 0; k < 5; k++) done &= (*unknowns[k] = MI_PUSH(&s->arena, double, s->n)) != NULL;
  for (size_t k = 0; k < PAIRS; k++) {
    done &= (d->dp[k] = MI_PUSH(&s->arena, double, s->n)) != NULL;
    done &= (d->ds[k] = MI_PUSH(&s->arena, double, s->n)) != NULL;
  }
  s->force = MI_PUSH(&s->arena, float, (size_t)s->nforce *size);
  for (int i = 0; i < s->nvert; i++) s->nflesh += s->b->d->is_flesh[i];
  s->strain = MI_PUSH(&s->arena, double, s->ntet);
  s->volume = MI_PUSH(&s->arena, double, s->ntet);
  s->base = MI_PUSH(&s->arena, float, s->nvert);
  s->hold = MI_PUSH(&s->arena, float, s->nvert);
  s->elastic = mi_elastic_share(s->b->solver->elastic, true, &s->arena);
  s->history = mi_lbfgs_create(s->nvert, 8, &s->arena);
  return done && s->force && s->strain && s->volume && s->base && s->hold && s->elastic &&
         s->history;
}

// Unknowns count from the fitted weights, for springs of any strength where the fit left none.
static void start(search *s, descent *d) {
  const mien_face *face = s->b->face;
  size_t size = 4 * (size_t)s->nvert;
  for (int t = 0; t < s->ntet; t++) {
    s->strain[t] = (double)mi_elastic_strain(s->b->solver->elastic, t);
    s->volume[t] = (double)mi_elastic_volume(s->b->solver->elastic, t);
  }
  for (int k = 0; k < s->nvert; k++) {
    int i = s->b->solver->perm[k];
    float hold = s->b->solver->attach_stiffness[k];
    s->base[k] =
        i < s->nskin ? hold : fmaxf(hold, 1e-4f * (float)mi_support_hold(face, i, 1, true));
  }
  for (int j = 0; j < s->nforce; j++) {
    drift_pose(s->b, j);
    memcpy(s->force + (size_t)j * size, s->b->d->force, size * sizeof *s->force);
  }
  drift_pose(s->b, s->shape);
  memcpy(s->posed, s->b->d->x, size * sizeof *s->posed);
  memcpy(s->anchor, s->b->d->anchor, size * sizeof *s->anchor);
  memcpy(s->x, s->posed, size * sizeof *s->x);
  d->p[3 * s->nskin + s->shape] = 1 / FORCE;
}

mien_result least_find(drift_bench *b, int shape, int steps, double *out, mien_error *err) {
  const mien_face *face = b->face;
  search s = {.b = b,
              .shape = shape,
              .nforce = face->rig->info.nshape,
              .nskin = face->skin.nvert,
              .ntet = face->info.ntet,
              .nvert = face->info.nvert,
              .n = 3 * face->skin.nvert + face->rig->info.nshape};
  descent d = {0};
  mien_result result = MIEN_OK;
  mi_arena_init(&s.arena, &face->host);
  if (reserve(&s, &d)) {
    start(&s, &d);
    if (descend(&s, &d, steps, err)) {
      memcpy(s.x, s.posed, 4 * (size_t)s.nvert * sizeof *s.x); // let go at the expression
      *out = sqrt(2 * measure(&s, d.p, NULL, err) / s.nflesh);
    }
    if (!isfinite(*out)) result = mi_fail(err, MIEN_ERR_MISMATCH, "the drift is not finite");
  } else {
    result = mi_fail_memory(err);
  }
  mi_factor_free(s.factor);
  mi_arena_free(&s.arena);
  return result;
}
