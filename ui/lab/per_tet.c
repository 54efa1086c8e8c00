#include "per_tet.h"

#include "math/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// SETTLE: as many iterations as the muscle model takes without its stored response. With 40, as
// once, the baseline was slower and D8 easier.
enum { CG_STEPS = 30, SETTLE = 12, MOST_HALVINGS = 5 };
static const double PULL = 3e-3;     // to 1, over the number of tetrahedra
static const double JAW_PULL = 1e-2; // as the muscle model's: per rad^2, per mm^2
static const double FORCING = 0.1;   // of the gradient's length that conjugate gradients may leave
static const double MM = 1e3;

typedef struct solve {
  mi_balance *b;
  mi_expression *e;
  size_t n; // 6 ntet
  double *f, *y, *residual, *gradient, *step, *rest, *way, *bent;
  double *jaw; // how the residual goes with each degree of freedom   (njaw x 3 nseen)
  double jaw_step[MI_JAW], pull;
} solve;

static double off_rest(const float *shape, size_t k) {
  return (double)shape[k] - (k % 6 == 0 || k % 6 == 3 || k % 6 == 5);
}

static double jaw_pull(int which) {
  return which < 2 ? JAW_PULL : JAW_PULL * MM * MM;
}

static double cost_of(solve *s, const float *shape) {
  double sum = 0;
  for (size_t k = 0; k < s->n; k++) sum += s->pull * pow(off_rest(shape, k), 2);
  for (int k = 0; k < s->b->njaw; k++) sum += jaw_pull(k) * pow(s->e->jaw[k], 2);
  return 0.5 * mi_expression_residual(s->b, s->e, s->residual) + 0.5 * sum;
}

static double scale_of(const solve *s, int r) {
  return MM * sqrt(s->e->weight[r / 3] / fmax(1, s->e->total));
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void spread(solve *s) {
  memset(s->f, 0, 3 * (size_t)s->b->nvert * sizeof *s->f);
  for (int r = 0; r < 3 * s->b->nseen; r++)
    s->f[3 * (size_t)s->b->place[r / 3] + (size_t)(r % 3)] = scale_of(s, r) * s->residual[r];
}

static void gather(const solve *s, double *residual) {
  for (int r = 0; r < 3 * s->b->nseen; r++)
    residual[r] = scale_of(s, r) * s->y[3 * (size_t)s->b->place[r / 3] + (size_t)(r % 3)];
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
  gather(s, s->residual);
  if (!back(s, s->bent)) return false;
  for (size_t k = 0; k < s->n; k++) s->bent[k] += s->pull * s->way[k];
  return true;
}

// The jaw goes first, by its five normal equations; the residual is then what it leaves.
static bool move_jaw(solve *s) {
  int n = s->b->njaw;
  size_t nr = 3 * (size_t)s->b->nseen;
  double left[MI_JAW * MI_JAW];
  if (!n) return true;
  for (int k = 0; k < n; k++) {
    memset(s->f, 0, 3 * (size_t)s->b->nvert * sizeof *s->f);
    mi_balance_push(s->b, s->e, MI_ACTIVATION * s->b->nmuscle + k, 1, s->f);
    if (!mi_balance_solve(s->b, s->e, 1, s->f, s->y)) return false;
    gather(s, s->jaw + (size_t)k * nr);
  }
  for (int k = 0; k < n; k++) {
    const double *row = s->jaw + (size_t)k * nr;
    s->jaw_step[k] = -dot(nr, row, s->residual) - jaw_pull(k) * s->e->jaw[k];
    for (int l = 0; l < n; l++) left[k * n + l] = dot(nr, row, s->jaw + (size_t)l * nr);
    left[k * n + k] += jaw_pull(k);
  }
  if (!mi_linear_solve_spd(n, left, 1, s->jaw_step)) return false;
  for (int k = 0; k < n; k++)
    for (size_t r = 0; r < nr; r++) s->residual[r] += s->jaw_step[k] * s->jaw[(size_t)k * nr + r];
  return true;
}

static bool find_step(solve *s, const float *shape) {
  mi_expression_residual(s->b, s->e, s->residual);
  if (!move_jaw(s) || !back(s, s->gradient)) return false;
  for (size_t k = 0; k < s->n; k++) {
    s->gradient[k] += s->pull * off_rest(shape, k);
    s->way[k] = s->rest[k] = -s->gradient[k];
    s->step[k] = 0;
  }
  double left = dot(s->n, s->rest, s->rest), first = left;
  for (int n = 0; n < CG_STEPS && left > FORCING * FORCING * first; n++) {
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

typedef struct kept {
  float *shape, *x;
  double jaw[MI_JAW];
} kept;

// Along the step, as far as it goes down; nowhere where it does not.
static void descend(solve *s, float *shape, kept *before, double *cost) {
  size_t nx = 4 * (size_t)s->b->nvert * sizeof *before->x, ns = s->n * sizeof *shape;
  double by = 1;
  memcpy(before->shape, shape, ns);
  memcpy(before->x, s->e->x, nx);
  memcpy(before->jaw, s->e->jaw, sizeof before->jaw);
  for (int halving = 0; halving < MOST_HALVINGS; halving++, by /= 2) {
    for (size_t k = 0; k < s->n; k++)
      shape[k] = (float)((double)before->shape[k] + by * s->step[k]);
    for (int k = 0; k < s->b->njaw; k++) s->e->jaw[k] = before->jaw[k] + by * s->jaw_step[k];
    mi_balance_settle(s->b, s->e, SETTLE);
    double now = cost_of(s, shape);
    if (now < *cost) {
      *cost = now;
      return;
    }
    memcpy(shape, before->shape, ns);
    memcpy(s->e->x, before->x, nx);
    memcpy(s->e->jaw, before->jaw, sizeof before->jaw);
  }
}

static int run(solve *s, const per_tet_stop *stop, float *shape, kept *before) {
  for (size_t k = 0; k < s->n; k++) shape[k] = k % 6 == 0 || k % 6 == 3 || k % 6 == 5;
  s->e->shape = shape;
  memset(s->e->jaw, 0, sizeof s->e->jaw);
  mi_balance_settle(s->b, s->e, 1);
  double cost = cost_of(s, shape);
  int n = 0;
  while (n < stop->rounds) {
    double began = cost;
    if (mi_balance_linearise(s->b, s->e, NULL) < 0 || !find_step(s, shape)) return -1;
    descend(s, shape, before, &cost);
    n++;
    if (s->e->error <= stop->error || !(began - cost > stop->won * began)) break;
  }
  return n;
}

int per_tet_solve(mi_balance *b, mi_expression *e, const per_tet_stop *stop, float *shape) {
  solve s = {.b = b, .e = e, .n = 6 * (size_t)b->ntet, .pull = PULL / b->ntet};
  size_t nf = 3 * (size_t)b->nvert, nr = 3 * (size_t)b->nseen;
  double *room = calloc(2 * nf + (1 + MI_JAW) * nr + 5 * s.n, sizeof *room);
  float *floats = calloc(s.n + 4 * (size_t)b->nvert, sizeof *floats);
  int made = -1;
  if (room && floats) {
    kept before = {.shape = floats, .x = floats + s.n};
    s.f = room;
    s.y = s.f + nf;
    s.jaw = s.y + nf;
    s.residual = s.jaw + MI_JAW * nr;
    s.gradient = s.residual + nr;
    s.step = s.gradient + s.n;
    s.rest = s.step + s.n;
    s.way = s.rest + s.n;
    s.bent = s.way + s.n;
    made = run(&s, stop, shape, &before);
  }
  free(room);
  free(floats);
  return made;
}
