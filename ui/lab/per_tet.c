#include "per_tet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CG_STEPS = 30, SETTLE = 40, MOST_HALVINGS = 5 };
static const double PULL = 3e-3; // to 1, over the number of tetrahedra
static const double MM = 1e3, ENOUGH = 0.02;

typedef struct solve {
  mi_balance *b;
  mi_expression *e;
  size_t n;
  double *f, *y, *residual, *gradient, *step, *rest, *way, *bent;
  double pull;
} solve;

static double off_rest(const solve *s, const float *shape, size_t k) {
  (void)s;
  return (double)shape[k] - (k % 6 == 0 || k % 6 == 3 || k % 6 == 5);
}

static double cost_of(solve *s, const float *shape) {
  double sum = 0;
  for (size_t k = 0; k < s->n; k++) sum += pow(off_rest(s, shape, k), 2);
  return 0.5 * mi_expression_residual(s->b, s->e, s->residual) + 0.5 * s->pull * sum;
}

static double scale_of(const solve *s, int r) {
  return MM * sqrt(s->e->weight[r / 3] / fmax(1, s->e->total));
}

static void spread(solve *s) {
  memset(s->f, 0, 3 * (size_t)s->b->nvert * sizeof *s->f);
  for (int r = 0; r < 3 * s->b->nseen; r++)
    s->f[3 * (size_t)s->b->place[r / 3] + (size_t)(r % 3)] = scale_of(s, r) * s->residual[r];
}

static bool back(solve *s, double *out) {
  spread(s);
  if (!mi_balance_solve(s->b, s->e, 1, s->f, s->y)) return false;
  mi_balance_pull_shapes(s->b, s->e, s->y, out);
  return true;
}

static bool apply(solve *s) {
  memset(s->f, 0, 3 * (size_t)s->b->nvert * sizeof *s->f);
  mi_balance_push_shapes(s->b, s->e, s->way, s->f);
  if (!mi_balance_solve(s->b, s->e, 1, s->f, s->y)) return false;
  for (int r = 0; r < 3 * s->b->nseen; r++)
    s->residual[r] = scale_of(s, r) * s->y[3 * (size_t)s->b->place[r / 3] + (size_t)(r % 3)];
  if (!back(s, s->bent)) return false;
  for (size_t k = 0; k < s->n; k++) s->bent[k] += s->pull * s->way[k];
  return true;
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static bool find_step(solve *s, const float *shape) {
  mi_expression_residual(s->b, s->e, s->residual);
  if (!back(s, s->gradient)) return false;
  for (size_t k = 0; k < s->n; k++) {
    s->gradient[k] += s->pull * off_rest(s, shape, k);
    s->way[k] = s->rest[k] = -s->gradient[k];
    s->step[k] = 0;
  }
  double left = dot(s->n, s->rest, s->rest), first = left;
  for (int n = 0; n < CG_STEPS && left > 1e-3 * first; n++) {
    if (!apply(s)) return false;
    double curvature = dot(s->n, s->way, s->bent), by = left / curvature;
    if (!(curvature > 0)) break;
    for (size_t k = 0; k < s->n; k++) {
      s->step[k] += by * s->way[k];
      s->rest[k] -= by * s->bent[k];
    }
    double now = dot(s->n, s->rest, s->rest);
    for (size_t k = 0; k < s->n; k++) s->way[k] = s->rest[k] + now / left * s->way[k];
    left = now;
  }
  return true;
}

static int run(solve *s, int rounds, float *shape, float *before, float *x) {
  size_t nx = 4 * (size_t)s->b->nvert * sizeof *x, ns = s->n * sizeof *shape;
  for (size_t k = 0; k < s->n; k++) shape[k] = k % 6 == 0 || k % 6 == 3 || k % 6 == 5;
  s->e->shape = shape;
  mi_balance_settle(s->b, s->e, SETTLE);
  double cost = cost_of(s, shape);
  int n = 0;
  for (; n < rounds; n++) {
    double began = cost, by = 1;
    if (mi_balance_linearise(s->b, s->e, NULL) < 0 || !find_step(s, shape)) return -1;
    memcpy(before, shape, ns);
    memcpy(x, s->e->x, nx);
    for (int halving = 0; halving < MOST_HALVINGS; halving++, by /= 2) {
      for (size_t k = 0; k < s->n; k++) shape[k] = (float)((double)before[k] + by * s->step[k]);
      mi_balance_settle(s->b, s->e, SETTLE);
      double now = cost_of(s, shape);
      if (now < cost) {
        cost = now;
        break;
      }
      memcpy(shape, before, ns);
      memcpy(s->e->x, x, nx);
    }
    if (!(began - cost > ENOUGH * began)) break;
  }
  mi_balance_settle(s->b, s->e, SETTLE);
  return n;
}

int per_tet_solve(mi_balance *b, mi_expression *e, int rounds, float *shape) {
  solve s = {.b = b, .e = e, .n = 6 * (size_t)b->ntet, .pull = PULL / b->ntet};
  size_t nf = 3 * (size_t)b->nvert, nr = 3 * (size_t)b->nseen;
  double *room = calloc(2 * nf + nr + 5 * s.n, sizeof *room);
  float *kept = calloc(s.n + 4 * (size_t)b->nvert, sizeof *kept);
  int made = -1;
  if (room && kept) {
    s.f = room;
    s.y = s.f + nf;
    s.residual = s.y + nf;
    s.gradient = s.residual + nr;
    s.step = s.gradient + s.n;
    s.rest = s.step + s.n;
    s.way = s.rest + s.n;
    s.bent = s.way + s.n;
    made = run(&s, rounds, shape, kept, kept + s.n);
  }
  free(room);
  free(kept);
  return made;
}
