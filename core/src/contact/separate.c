#include "contact/separate.h"

#include "contact/pair_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A pair that is closer than the slack already may lose so little of its gap in a move.
static const double KEPT = 0.9;
// A gap of no more than this share of the extent of a pair is rounding.
static const double ROUNDING = 1e-12;
// A plane opens a gap to this share of what it was, if that is less than `open`.
static const double SHARE = 0.3;

bool mi_separator_create(mi_separator *s, const mi_surface *surface, int capacity,
                         mi_arena *arena) {
  *s = (mi_separator){.surface = surface, .capacity = capacity};
  s->plane = MI_PUSH(arena, mi_plane, capacity);
  s->batch = MI_PUSH(arena, mi_plane, MI_PLANE_BATCH);
  s->is_found = MI_PUSH(arena, bool, MI_PLANE_BATCH);
  return s->plane && s->batch && s->is_found;
}

// -- One pair -------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// The least n . (x_i - x_j) over both sides.
static double sigma_of(const double n[3], const double x[12], bool is_edges) {
  double h[4], first, second;
  for (int i = 0; i < 4; i++) h[i] = dot(n, x + 3 * i);
  first = is_edges ? fmin(h[0], h[1]) : h[0];
  second = is_edges ? fmax(h[2], h[3]) : fmax(h[1], fmax(h[2], h[3]));
  return first - second;
}

static bool set_unit(const double r[3], double sign, double n[3]) {
  double length = sqrt(dot(r, r));
  for (int k = 0; k < 3; k++) n[k] = sign * r[k] / length;
  return length > 0 && isfinite(length);
}

static bool along_closest(const double x[12], bool is_edges, double n[3]) {
  mi_closest c = is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  return set_unit(c.r, 1, n);
}

// The normal of the triangle, or of both edges, towards the first side as it is at `side`.
static bool along_normal(const double x[12], const double side[12], bool is_edges, double n[3]) {
  double u[3], v[3], w[3], r[3];
  for (int k = 0; k < 3; k++) {
    u[k] = is_edges ? x[3 + k] - x[k] : x[6 + k] - x[3 + k];
    v[k] = x[9 + k] - x[(is_edges ? 6 : 3) + k];
    w[k] = side[k] - side[9 + k];
  }
  cross(u, v, r);
  return set_unit(r, dot(r, w) < 0 ? -1 : 1, n);
}

typedef struct choice {
  const double *from, *to;
  bool is_edges;
  double needed;          // m, of sigma at both ends
  double best, normal[3]; // sigma at the end along the best direction so far
  double gap;             // and at the start
} choice;

// True when the direction separates at both ends.
static bool try_direction(choice *c, const double n[3]) {
  double from = sigma_of(n, c->from, c->is_edges);
  if (!(from >= c->needed)) return false;
  double to = sigma_of(n, c->to, c->is_edges);
  if (to > c->best) {
    c->best = to;
    c->gap = from;
    memcpy(c->normal, n, sizeof c->normal);
  }
  return to >= c->needed;
}

// The direction of the closest points where the one at the start ends.
static bool try_between(choice *c, const double first[3]) {
  double x[12], n[3], from = sigma_of(first, c->from, c->is_edges);
  double to = sigma_of(first, c->to, c->is_edges), share = (from - c->needed) / (from - to);
  for (int i = 0; i < 12; i++) x[i] = c->from[i] + 0.99 * share * (c->to[i] - c->from[i]);
  return along_closest(x, c->is_edges, n) && try_direction(c, n);
}

// How large the pair is at the start; NAN when a point of either end is not finite.
static double extent_of(const double from[12], const double to[12]) {
  double sum = 0;
  for (int i = 0; i < 12; i++) sum += fabs(from[i] - from[9 + i % 3]) + fabs(to[i] - to[i]);
  return sum;
}

bool mi_separate_pair(const double from[12], const double to[12], bool is_edges, double slack,
                      double normal[3], double *gap) {
  choice c = {.from = from, .to = to, .is_edges = is_edges, .best = -INFINITY};
  double n[3], first[3], extent = extent_of(from, to);
  *gap = normal[0] = normal[1] = normal[2] = 0;
  if (!isfinite(extent) || !along_closest(from, is_edges, first)) return false; // they touch
  double start = sigma_of(first, from, is_edges);
  if (!(start > ROUNDING * extent)) return false; // the sides are undefined
  c.needed = fmin(slack, KEPT * start);
  bool is_kept =
      try_direction(&c, first) || (along_closest(to, is_edges, n) && try_direction(&c, n)) ||
      (along_normal(from, from, is_edges, n) && try_direction(&c, n)) ||
      (along_normal(to, from, is_edges, n) && try_direction(&c, n)) || try_between(&c, first);
  memcpy(normal, c.normal, sizeof c.normal);
  *gap = c.gap;
  return is_kept;
}

// -- All candidates -------------------------------------------------------------------------------

static void load(const int32_t vert[4], const float *position, double x[12]) {
  const float *origin = position + 3 * (size_t)vert[3];
  for (int i = 0; i < 12; i++)
    x[i] = (double)position[3 * (size_t)vert[i / 3] + (size_t)(i % 3)] - (double)origin[i % 3];
}

// False when the pair has a direction.
static bool find_plane(const mi_separator *s, mi_pair pair, bool is_edges, const float *from,
                       const float *to, mi_plane *out) {
  double x[12], y[12], gap;
  mi_surface_vertices(s->surface, pair, is_edges, out->vert);
  load(out->vert, from, x);
  load(out->vert, to, y);
  out->is_edges = is_edges;
  if (mi_separate_pair(x, y, is_edges, s->slack, out->normal, &gap)) return false;
  double most = fmax(2 * s->slack, fmin(s->open, SHARE * gap));
  out->level = gap > s->slack ? fmin(gap, most) : gap;
  return true;
}

static int compare_planes(const void *a, const void *b) {
  const mi_plane *x = a, *y = b;
  for (int k = 0; k < 4; k++)
    if (x->vert[k] != y->vert[k]) return x->vert[k] < y->vert[k] ? -1 : 1;
  return x->is_edges - y->is_edges;
}

// A batch of pairs gets its planes on all threads; they are kept in the pairs' order.
typedef struct plane_batch {
  const mi_separator *s;
  const mi_candidates *close;
  const float *from, *to;
  int first;
} plane_batch;

static void find_range(void *task, int begin, int end) {
  const plane_batch *b = task;
  for (int k = begin; k < end; k++) {
    bool is_edges;
    mi_pair pair = mi_candidate(b->close, b->first + k, &is_edges);
    b->s->is_found[k] = find_plane(b->s, pair, is_edges, b->from, b->to, b->s->batch + k);
  }
}

int mi_separate(mi_separator *s, const mi_candidates *close, const float *from, const float *to,
                int threads) {
  enum { CHUNK = 128 };
  int count = close->nvt + close->nee, nfound = 0, before = s->count;
  for (int first = 0; first < count; first += MI_PLANE_BATCH) {
    int size = count - first < MI_PLANE_BATCH ? count - first : MI_PLANE_BATCH;
    plane_batch b = {s, close, from, to, first};
    mi_parallel(threads, size, CHUNK, find_range, &b);
    for (int k = 0; k < size; k++) {
      if (!s->is_found[k]) continue;
      if (s->count < s->capacity) s->plane[s->count++] = s->batch[k];
      nfound++;
    }
  }
  // what lies elsewhere must not change the order in which planes push
  qsort(s->plane + before, (size_t)(s->count - before), sizeof *s->plane, compare_planes);
  return nfound;
}

// -- Pushing out ----------------------------------------------------------------------------------

// Moves point i of the first side and j of the second apart by `way` along the normal.
static void part(const mi_separator *s, const mi_plane *p, int i, int j, double way, float *to) {
  bool first = p->vert[i] < s->surface->nsoft, second = p->vert[j] < s->surface->nsoft;
  double share = first && second ? 0.5 : 1;
  for (int k = 0; k < 3; k++) {
    float by = (float)(share * way * p->normal[k]);
    if (first) to[3 * (size_t)p->vert[i] + (size_t)k] += by;
    if (second) to[3 * (size_t)p->vert[j] + (size_t)k] -= by;
  }
}

// False when it was kept.
static bool push(const mi_separator *s, const mi_plane *p, float *to) {
  int nfirst = p->is_edges ? 2 : 1;
  bool is_pushed = false;
  for (int i = 0; i < nfirst; i++)
    for (int j = nfirst; j < 4; j++) {
      const float *a = to + 3 * (size_t)p->vert[i], *b = to + 3 * (size_t)p->vert[j];
      double off[3] = {(double)a[0] - b[0], (double)a[1] - b[1], (double)a[2] - b[2]};
      double way = p->level - dot(p->normal, off);
      if (!(way > 0)) continue;
      part(s, p, i, j, way, to);
      is_pushed = true;
    }
  return is_pushed;
}

int mi_separator_push(const mi_separator *s, float *to, int sweeps) {
  int npushed = 1;
  for (int sweep = 0; sweep < sweeps && npushed; sweep++) {
    npushed = 0;
    for (int k = 0; k < s->count; k++) npushed += push(s, s->plane + k, to);
  }
  return npushed;
}
