// Additive conservative advancement along separating directions.
//
// For any unit vector n the distance of two convex sets is at least the least n . (x_i - x_j) over
// points i of one and j of the other. Under straight motion each of these is linear in time, so the
// first time at which one of them reaches the level that must be kept is safe. The paper's step
// divides the gap by the speeds of the fastest points; with n along the closest points this step is
// never shorter, and sliding costs nothing. It is safe whatever n is: the distance computation only
// makes it long.
#include "pair_ccd.h"

#include "mesh/distance.h"

#include <math.h>
#include <stdbool.h>

// A pair that has used up all but this share of what it may is not looked at again.
static const double ENOUGH = 0.01;

typedef struct pair_motion {
  int is_edges;
  double x[12], p[12]; // start and displacement, relative to point 3
} pair_motion;

// The linear functions h + t v of n . (x_i - x_j), three or four, and the least of them at a time.
typedef struct bounds {
  int count;
  double h[4], v[4], least;
} bounds;

static double along(const double *n, const double *a) {
  return n[0] * a[0] + n[1] * a[1] + n[2] * a[2];
}

// Along the closest points at `time`. False when they are the same point.
static bool look(const pair_motion *m, double time, bounds *b) {
  double x[12], h[4], v[4];
  for (int k = 0; k < 12; k++) x[k] = m->x[k] + time * m->p[k];
  mi_closest c = m->is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  if (!(c.d2 > 0)) return false;
  double scale = 1 / sqrt(c.d2), n[3] = {scale * c.r[0], scale * c.r[1], scale * c.r[2]};
  for (int i = 0; i < 4; i++) h[i] = along(n, m->x + 3 * i), v[i] = along(n, m->p + 3 * i);
  b->count = m->is_edges ? 4 : 3;
  b->least = INFINITY;
  for (int k = 0; k < b->count; k++) {
    int i = m->is_edges ? k / 2 : 0, j = m->is_edges ? 2 + k % 2 : 1 + k;
    b->h[k] = h[i] - h[j];
    b->v[k] = v[i] - v[j];
    b->least = fmin(b->least, b->h[k] + time * b->v[k]);
  }
  return true;
}

// Until when all bounds, at `level` or above now, stay there.
static double stays_above(const bounds *b, double level, double limit) {
  double until = limit;
  for (int k = 0; k < b->count; k++)
    if (b->h[k] + until * b->v[k] < level) until = (level - b->h[k]) / b->v[k];
  return until;
}

static double advance(const pair_motion *m, const ccd_limits *limits) {
  double time = 0, level = 0, enough = 0;
  for (int i = 0; i < limits->most; i++) {
    bounds b;
    if (!look(m, time, &b)) return time;
    if (i == 0) {
      double gap = b.least - limits->offset;
      if (!(b.least > 0)) return 0; // they touch
      // a pair that is too close already may come no closer
      level = limits->offset + (gap > 0 ? (1 - limits->share) * gap : gap);
      enough = ENOUGH * limits->share * gap;
    } else if (!(b.least - level > enough)) {
      return time;
    }
    double next = stays_above(&b, level, limits->limit);
    if (next >= limits->limit) return limits->limit;
    if (!(next > time)) return time;
    time = next;
  }
  return time;
}

// 0: it does not move in itself, 1: it does, -1: it is not finite
static int set_motion(pair_motion *m, const double from[12], const double to[12]) {
  double sum = 0;
  bool is_moving = false;
  for (int k = 0; k < 12; k++) {
    int o = 9 + k % 3;
    m->x[k] = from[k] - from[o];
    m->p[k] = (to[k] - from[k]) - (to[o] - from[o]);
    is_moving |= m->p[k] != 0;
    sum += fabs(m->x[k]) + fabs(m->p[k]);
  }
  return sum < INFINITY ? is_moving : -1;
}

static double time_of(int is_edges, const double from[12], const double to[12],
                      const ccd_limits *limits) {
  pair_motion m = {.is_edges = is_edges};
  int moves = set_motion(&m, from, to);
  if (moves < 0) return 0;
  return moves ? advance(&m, limits) : limits->limit;
}

double ccd_vertex_triangle(const double from[12], const double to[12], const ccd_limits *limits) {
  return time_of(0, from, to, limits);
}

double ccd_edge_edge(const double from[12], const double to[12], const ccd_limits *limits) {
  return time_of(1, from, to, limits);
}
