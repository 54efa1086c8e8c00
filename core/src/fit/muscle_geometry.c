#include "fit/muscle_geometry.h"

#include <math.h>
#include <string.h>

enum { CG_STEPS = 8, SETTLE = 60, MOST_HALVINGS = 6 };
static const double MM = 1e3;

// Clipped; and where that is more than the whole, by the largest shift that leaves 1 (Duchi et al.
// 2008).
void mi_share_project(int count, double *share) {
  double sum = 0, shift = 0;
  for (int k = 0; k < count; k++) sum += fmax(0, share[k]);
  for (int round = 0; sum > 1 && round < 64; round++) {
    double over = -1;
    int nabove = 0;
    for (int k = 0; k < count; k++)
      if (share[k] > shift) over += share[k], nabove++;
    double next = nabove ? over / nabove : 0;
    if (next == shift) break;
    shift = next;
  }
  for (int k = 0; k < count; k++) share[k] = fmax(0, share[k] - shift);
}

typedef struct geometry {
  mi_balance *b;
  mi_expression *e;
  int count, nentry;
  const float *first;
  const mi_muscle_weights *w;
  double pull;                                 // w_s of an entry
  double *f, *y;                               // (3 nvert)
  double *residual;                            // (3 nseen)
  double *gradient, *step, *rest, *way, *bent; // (nentry)
  unsigned char *is_held;                      // at a bound that it pushes against (nentry)
  unsigned char *is_full; // rows without passive tissue that would take more          (ntet)
} geometry;

static double pull_of(const mi_balance *b, const mi_muscle_weights *w) {
  return w->shares / b->ntet;
}

double mi_geometry_cost(const mi_balance *b, const mi_expression *e, int count, const float *first,
                        const mi_muscle_weights *w, double *residual) {
  double cost = 0, off = 0;
  for (int k = 0; k < count; k++) cost += mi_activations_cost(b, e + k, w, residual);
  for (int k = 0; k < b->face->muscles.nentry; k++)
    off += pow((double)b->face->muscles.share[k] - (double)first[k], 2);
  return cost + 0.5 * pull_of(b, w) * off;
}

// f = M'r, with the scale of residuals
static void spread(const geometry *g, const mi_expression *e, const double *residual, double *f) {
  memset(f, 0, 3 * (size_t)g->b->nvert * sizeof *f);
  for (int r = 0; r < 3 * g->b->nseen; r++)
    f[3 * (size_t)g->b->place[r / 3] + (size_t)(r % 3)] =
        MM * sqrt(e->weight[r / 3] / fmax(1, e->total)) * residual[r];
}

// Which bounds of a row the gradient pushes against. In a full row only what differs from the mean
// of its muscles moves anything.
static void hold(geometry *g, int t) {
  const mi_muscles *muscles = &g->b->face->muscles;
  double sum = 0, mean = 0;
  int nfree = 0;
  for (int k = muscles->first[t]; k < muscles->first[t + 1]; k++) {
    sum += (double)muscles->share[k];
    if (muscles->share[k] > 0) mean += g->gradient[k], nfree++;
  }
  g->is_full[t] = nfree > 0 && sum > 1 - 1e-6 && mean < 0;
  double least = g->is_full[t] ? mean / nfree : 0;
  for (int k = muscles->first[t]; k < muscles->first[t + 1]; k++)
    g->is_held[k] = muscles->share[k] <= 0 && g->gradient[k] > least;
}

static bool find_gradient(geometry *g) {
  const float *share = g->b->face->muscles.share;
  for (int k = 0; k < g->nentry; k++)
    g->gradient[k] = g->pull * ((double)share[k] - (double)g->first[k]);
  for (int n = 0; n < g->count; n++) {
    mi_expression_residual(g->b, g->e + n, g->residual);
    spread(g, g->e + n, g->residual, g->f);
    if (!mi_balance_solve(g->b, g->e + n, 1, g->f, g->y)) return false;
    mi_balance_pull_shares(g->b, g->e + n, g->y, g->gradient);
  }
  for (int t = 0; t < g->b->ntet; t++) hold(g, t);
  return true;
}

// Into the face of the simplex that the step may move in: held entries stay, full rows stay full.
static void stay(const geometry *g, double *v) {
  const mi_muscles *muscles = &g->b->face->muscles;
  for (int t = 0; t < g->b->ntet; t++) {
    double mean = 0;
    int nfree = 0;
    for (int k = muscles->first[t]; k < muscles->first[t + 1]; k++) {
      if (g->is_held[k]) v[k] = 0;
      if (!g->is_held[k]) mean += v[k], nfree++;
    }
    for (int k = muscles->first[t]; g->is_full[t] && k < muscles->first[t + 1]; k++)
      if (!g->is_held[k]) v[k] -= mean / nfree;
  }
}

// bent = (J'J + w_s) way, on the free entries
static bool apply(geometry *g) {
  for (int k = 0; k < g->nentry; k++) g->bent[k] = g->pull * g->way[k];
  for (int n = 0; n < g->count; n++) {
    const mi_expression *e = g->e + n;
    memset(g->f, 0, 3 * (size_t)g->b->nvert * sizeof *g->f);
    mi_balance_push_shares(g->b, e, g->way, g->f);
    if (!mi_balance_solve(g->b, e, 1, g->f, g->y)) return false;
    for (int r = 0; r < 3 * g->b->nseen; r++)
      g->residual[r] = MM * sqrt(e->weight[r / 3] / fmax(1, e->total)) *
                       g->y[3 * (size_t)g->b->place[r / 3] + (size_t)(r % 3)];
    spread(g, e, g->residual, g->f);
    if (!mi_balance_solve(g->b, e, 1, g->f, g->y)) return false;
    mi_balance_pull_shares(g->b, e, g->y, g->bent);
  }
  stay(g, g->bent);
  return true;
}

static double dot(int count, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static bool find_step(geometry *g) {
  memset(g->step, 0, (size_t)g->nentry * sizeof *g->step);
  for (int k = 0; k < g->nentry; k++) g->rest[k] = -g->gradient[k];
  stay(g, g->rest);
  memcpy(g->way, g->rest, (size_t)g->nentry * sizeof *g->way);
  double left = dot(g->nentry, g->rest, g->rest), first = left;
  for (int n = 0; n < CG_STEPS && left > 1e-6 * first; n++) {
    if (!apply(g)) return false;
    double curvature = dot(g->nentry, g->way, g->bent);
    if (!(curvature > 0)) break;
    double by = left / curvature;
    for (int k = 0; k < g->nentry; k++) {
      g->step[k] += by * g->way[k];
      g->rest[k] -= by * g->bent[k];
    }
    double now = dot(g->nentry, g->rest, g->rest);
    for (int k = 0; k < g->nentry; k++) g->way[k] = g->rest[k] + now / left * g->way[k];
    left = now;
  }
  return true;
}

// The face's shares = before + by * step, in the simplex; all expressions settle.
static void move(geometry *g, const float *before, double by) {
  mi_muscles *muscles = &((mien_face *)g->b->face)->muscles; // the face is still being made
  for (int t = 0; t < g->b->ntet; t++) {
    int first = muscles->first[t], count = muscles->first[t + 1] - first;
    for (int k = first; k < first + count; k++) g->way[k] = (double)before[k] + by * g->step[k];
    mi_share_project(count, g->way + first);
    for (int k = first; k < first + count; k++) muscles->share[k] = (float)g->way[k];
  }
  for (int n = 0; n < g->count; n++) mi_balance_settle(g->b, g->e + n, SETTLE);
}

static mien_result improve(geometry *g, double *cost, mi_arena *scratch, mien_error *err) {
  size_t nvert = (size_t)g->b->nvert, size = 4 * nvert * sizeof(float);
  mi_muscles *muscles = &((mien_face *)g->b->face)->muscles;
  double **entries[] = {&g->gradient, &g->step, &g->rest, &g->way, &g->bent};
  g->f = MI_PUSH(scratch, double, 3 * nvert);
  g->y = MI_PUSH(scratch, double, 3 * nvert);
  g->residual = MI_PUSH(scratch, double, 3 * (size_t)g->b->nseen);
  g->is_held = MI_PUSH(scratch, unsigned char, g->nentry);
  g->is_full = MI_PUSH(scratch, unsigned char, g->b->ntet);
  float *before = MI_PUSH(scratch, float, g->nentry);
  float *x = MI_PUSH(scratch, float, 4 * nvert * (size_t)g->count);
  bool done = g->f && g->y && g->residual && g->is_held && g->is_full && before && x;
  for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
    done = done && (*entries[k] = MI_PUSH(scratch, double, g->nentry)) != NULL;
  for (int n = 0; done && n < g->count; n++) {
    done = mi_balance_linearise(g->b, g->e + n, err) >= 0;
    memcpy(x + 4 * nvert * (size_t)n, g->e[n].x, size);
  }
  if (!done || !find_gradient(g) || !find_step(g)) return mi_fail_memory(err);
  memcpy(before, muscles->share, (size_t)g->nentry * sizeof *before);
  double by = 1;
  for (int halving = 0; halving < MOST_HALVINGS; halving++, by /= 2) {
    move(g, before, by);
    double now = mi_geometry_cost(g->b, g->e, g->count, g->first, g->w, g->residual);
    if (now < *cost) {
      *cost = now;
      return MIEN_OK;
    }
    memcpy(muscles->share, before, (size_t)g->nentry * sizeof *before);
    for (int n = 0; n < g->count; n++) memcpy(g->e[n].x, x + 4 * nvert * (size_t)n, size);
  }
  for (int n = 0; n < g->count; n++) mi_balance_settle(g->b, g->e + n, 1);
  return MIEN_REMARK;
}

mien_result mi_geometry_improve(mi_balance *b, mi_expression *e, int count, const float *first,
                                const mi_muscle_weights *w, double *cost, mien_error *err) {
  geometry g = {.b = b,
                .e = e,
                .count = count,
                .nentry = b->face->muscles.nentry,
                .first = first,
                .w = w,
                .pull = pull_of(b, w)};
  mi_arena scratch;
  mi_arena_init(&scratch, &b->host);
  mien_result result = improve(&g, cost, &scratch, err);
  mi_arena_free(&scratch);
  return result;
}
