#include "contact/separate.h"

#include "contact/pair_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A pair that is closer than the slack already may lose so little of its gap in a move.
static const double KEPT = 0.9;
// Of the extent of a pair: a gap of no more is rounding.
static const double ROUNDING = 1e-12;
// A plane opens a gap to this share of what it was, if that is less than `open`.
static const double SHARE = 0.3;

enum { CHOICES = 2048, LOOKED = 256 }; // candidates of a chunk; those that are measured together

bool mi_separator_create(mi_separator *s, const mi_surface *surface, const mi_broad *broad,
                         int capacity, mi_arena *arena) {
  *s = (mi_separator){.surface = surface, .capacity = capacity};
  int most = mi_broad_most(broad);
  s->reach = -1;
  s->x_set = MI_PUSH(arena, float, 3 * (size_t)surface->nvert);
  s->x_way = MI_PUSH(arena, float, 3 * (size_t)surface->nvert);
  s->far = MI_PUSH(arena, float, surface->nvert);
  s->kept = MI_PUSH(arena, mi_pair, most);
  s->known = MI_PUSH(arena, float, most);
  s->pair = MI_PUSH(arena, mi_pair, most);
  s->least = MI_PUSH(arena, float, most);
  s->nchosen = MI_PUSH(arena, int32_t, 2 * ((size_t)most / CHOICES + 1));
  s->plane = MI_PUSH(arena, mi_plane, capacity);
  s->batch = MI_PUSH(arena, mi_plane, MI_PLANE_BATCH);
  s->is_found = MI_PUSH(arena, bool, MI_PLANE_BATCH);
  return s->x_set && s->x_way && s->far && s->kept && s->known && s->pair && s->least &&
         s->nchosen && s->plane && s->batch && s->is_found;
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

// How far from x_set a vertex gets on the move, or a little more.
static void measure_far(mi_separator *s, const float *from, const float *to) {
  size_t nsoft = (size_t)s->surface->nsoft, nvert = (size_t)s->surface->nvert, rigid = 3 * nsoft;
  size_t size = (3 * nvert - rigid) * sizeof *from;
  bool stays = !memcmp(from + rigid, s->x_set + rigid, size) &&
               (from == to || !memcmp(to + rigid, s->x_set + rigid, size));
  size_t last = stays ? nsoft : nvert;
  for (size_t i = 0; i < last; i++) {
    float a2 = 0, b2 = 0;
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      float a = from[k] - s->x_set[k], b = to[k] - s->x_set[k];
      a2 += a * a, b2 += b * b;
    }
    s->far[i] = 1.000001f * sqrtf(a2 > b2 || a2 != a2 ? a2 : b2);
  }
  memset(s->far + last, 0, (nvert - last) * sizeof *s->far);
}

// How much closer than at x_set a pair can come.
static inline float approach(const mi_separator *s, mi_pair pair, bool is_edges) {
  int32_t vert[4];
  mi_surface_vertices(s->surface, pair, is_edges, vert);
  float a = s->far[vert[0]], b = s->far[vert[1]], c = s->far[vert[2]], d = s->far[vert[3]];
  float last = c > d ? c : d;
  return is_edges ? (a > b ? a : b) + last : a + (b > last ? b : last);
}

// Pairs that may come closer than `reach`, chosen on all threads. A chunk writes its own where its
// candidates begin; the chunks are then moved together, so their order depends on no thread.
typedef struct choosing {
  mi_separator *s;
  const mi_candidates *of;
  const float *known;     // m, distances of `of` at x_set; NULL = they are measured there
  const float *from, *to; // where distances are measured; the way, or `from` twice
  float reach;            // m
  const mi_pair_kernels *kernels;
  mi_pair *pair; // the chosen ones, and
  float *least;  // m, their distances, or less
} choosing;

// Measures `count` pairs of one kind from `first` on and keeps the close ones. Returns their end.
static int keep_close(const choosing *c, int first, int count, bool is_edges) {
  int kept = first;
  mi_candidates some = {c->pair + first, c->pair + first, is_edges ? 0 : count,
                        is_edges ? count : 0, false};
  for (int i = 0; i < count;) {
    mi_pair_batch batch;
    float least[MI_PAIRS];
    int next = mi_pair_gather(c->s->surface, &some, i, count, c->from, c->to, &batch);
    if (c->to)
      c->kernels->least_on_way(&batch, least);
    else
      c->kernels->least_distance(&batch, least);
    for (int l = 0; i < next; i++, l++) {
      mi_pair pair = c->pair[first + i];
      float limit = c->known ? c->reach : c->reach + approach(c->s, pair, is_edges);
      if (least[l] > limit) continue;
      c->pair[kept] = pair;
      c->least[kept++] = least[l];
    }
  }
  return kept;
}

// Candidates [begin, end) of one kind, whose first chosen one goes to `kept`. Returns where they
// end.
static inline int choose_kind(const choosing *c, int begin, int end, bool is_edges, int kept) {
  const mi_pair *pair = is_edges ? c->of->ee : c->of->vt;
  int offset = is_edges ? c->of->nvt : 0;
  float limit = c->reach * 1.000001f;
  for (int i = begin; i < end;) {
    int count = 0;
    for (; i < end && count < LOOKED; i++) {
      mi_pair one = c->pair[kept + count] = pair[i - offset];
      count += !(c->known && c->known[i] - approach(c->s, one, is_edges) > limit);
    }
    kept = keep_close(c, kept, count, is_edges);
  }
  return kept;
}

static void choose_range(void *task, int begin, int end) {
  const choosing *c = task;
  int nvt = c->of->nvt, middle = begin > nvt ? begin : end < nvt ? end : nvt;
  int vt = choose_kind(c, begin, middle, false, begin);
  int ee = choose_kind(c, middle, end, true, vt);
  c->s->nchosen[2 * (begin / CHOICES)] = ee - begin;
  c->s->nchosen[2 * (begin / CHOICES) + 1] = vt - begin;
}

static mi_candidates choose(choosing *c, int threads) {
  int all = c->of->nvt + c->of->nee, count = 0, nvt = 0;
  c->kernels = mi_pair_kernels_best();
  if (c->from == c->to) c->to = NULL;
  mi_parallel(threads, all, CHOICES, choose_range, c);
  for (int begin = 0; begin < all; begin += CHOICES) {
    const int32_t *chosen = c->s->nchosen + 2 * (begin / CHOICES);
    memmove(c->pair + count, c->pair + begin, (size_t)chosen[0] * sizeof *c->pair);
    memmove(c->least + count, c->least + begin, (size_t)chosen[0] * sizeof *c->least);
    count += chosen[0];
    nvt += chosen[1];
  }
  return (mi_candidates){c->pair, c->pair + nvt, nvt, count - nvt, c->of->is_full};
}

void mi_separator_set(mi_separator *s, const mi_candidates *near, const float *from,
                      const float *to, double reach, int threads) {
  size_t nvert = (size_t)s->surface->nvert;
  memcpy(s->x_set, from, 3 * nvert * sizeof *from);
  memcpy(s->x_way, to, 3 * nvert * sizeof *to);
  measure_far(s, from, to);
  choosing c = {.s = s, .of = near, .from = from, .to = from, .reach = (float)reach};
  c.pair = s->kept, c.least = s->known;
  s->near = choose(&c, threads);
  s->reach = near->is_full ? -1 : reach;
}

// Candidates are pairs whose boxes of the way are close. A vertex that leaves its box by e along
// each axis comes closer to others by e, and is sqrt(3) e farther from x_set than its way is long.
bool mi_separator_covers(mi_separator *s, const float *from, const float *to, double reach) {
  float spare = (float)(0.499999 / sqrt(3) * (s->reach - reach));
  if (!(s->reach >= 0 && spare >= 0)) return false;
  for (int i = 0; i < 3 * s->surface->nvert; i++) {
    float a = s->x_set[i], b = s->x_way[i];
    float low = (a < b ? a : b) - spare, high = (a < b ? b : a) + spare;
    if (!(from[i] >= low && from[i] <= high && to[i] >= low && to[i] <= high)) return false;
  }
  return true;
}

mi_candidates mi_separator_close(mi_separator *s, const float *from, const float *to, double reach,
                                 int threads) {
  measure_far(s, from, to);
  choosing c = {.s = s, .of = &s->near, .known = s->known, .from = from, .to = to};
  c.reach = (float)reach, c.pair = s->pair, c.least = s->least;
  return choose(&c, threads);
}

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
    int i = b->first + k;
    b->s->is_found[k] =
        find_plane(b->s, b->s->pair[i], i >= b->close->nvt, b->from, b->to, b->s->batch + k);
  }
}

int mi_separate(mi_separator *s, const float *from, const float *to, int threads) {
  enum { CHUNK = 128 };
  mi_candidates close = mi_separator_close(s, from, to, 1.01 * s->slack, threads);
  int count = close.nvt + close.nee, nfound = 0, before = s->count;
  for (int first = 0; first < count; first += MI_PLANE_BATCH) {
    int size = count - first < MI_PLANE_BATCH ? count - first : MI_PLANE_BATCH;
    plane_batch b = {s, &close, from, to, first};
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
