#include "mesh/decimate.h"

#include "math/vec.h"

#include <string.h>

enum { MOST_AROUND = 24 };        // triangles at a vertex; a collapse that makes more is not done
static const double SHORT = 1e-3; // of an edge's own length counts as error, so that flat parts
                                  // lose their shortest edges first
static const double LEAST_TURN = 0.2;   // cosine between a triangle's normal before and after
static const double LEAST_SHAPE = 0.15; // 1 = equilateral

typedef struct quadric {
  double a[10]; // xx xy xz xw yy yz yw zz zw ww
} quadric;

typedef struct work {
  const mi_decimate_def *def;
  int32_t *tri; // collapsed so far; corner 0 = -1: gone                       (ntri x 3)
  int32_t *head, *tail,
      *next;                // corners at a vertex, as a list                      (nvert; 3 ntri)
  quadric *q;               //                                                             (nvert)
  int32_t *into;            // where a vertex would go, -1 = nowhere; itself: it is gone   (nvert)
  double *cost;             //                                                             (nvert)
  int32_t *heap, *place;    // vertices by cost; where a vertex is, -1 = not in it       (nvert)
  unsigned char *is_border; //                                                        (nvert)
  int nheap;
} work;

// -- heap -----------------------------------------------------------------------------------------

static void put(work *w, int at, int v) {
  w->heap[at] = v;
  w->place[v] = at;
}

static bool before(const work *w, int a, int b) {
  return w->cost[a] < w->cost[b] || (w->cost[a] == w->cost[b] && a < b);
}

static void sift(work *w, int v) {
  int at = w->place[v];
  for (; at > 0 && before(w, v, w->heap[(at - 1) / 2]); at = (at - 1) / 2)
    put(w, at, w->heap[(at - 1) / 2]);
  for (;;) {
    int child = 2 * at + 1;
    if (child >= w->nheap) break;
    if (child + 1 < w->nheap && before(w, w->heap[child + 1], w->heap[child])) child++;
    if (!before(w, w->heap[child], v)) break;
    put(w, at, w->heap[child]);
    at = child;
  }
  put(w, at, v);
}

static void leave_heap(work *w, int v) {
  int at = w->place[v];
  if (at < 0) return;
  w->place[v] = -1;
  int last = w->heap[--w->nheap];
  if (last == v) return;
  put(w, at, last);
  sift(w, last);
}

static void set_cost(work *w, int v, double cost) {
  if (!(cost < INFINITY)) {
    leave_heap(w, v);
    return;
  }
  w->cost[v] = cost;
  if (w->place[v] < 0) {
    w->place[v] = w->nheap;
    w->heap[w->nheap++] = v;
  }
  sift(w, v);
}

// -- errors ---------------------------------------------------------------------------------------

static void add_plane(quadric *q, mi_vec3 n, double d, double weight) {
  double p[4] = {n.x, n.y, n.z, d};
  for (int i = 0, k = 0; i < 4; i++)
    for (int j = i; j < 4; j++) q->a[k++] += weight * p[i] * p[j];
}

static double error_at(const quadric *a, const quadric *b, mi_vec3 x) {
  double p[4] = {x.x, x.y, x.z, 1}, sum = 0;
  for (int i = 0, k = 0; i < 4; i++)
    for (int j = i; j < 4; j++, k++) sum += (i == j ? 1 : 2) * (a->a[k] + b->a[k]) * p[i] * p[j];
  return fmax(0, sum);
}

static mi_vec3 at(const work *w, int v) {
  return mi_vec3_load(w->def->position + 3 * (size_t)v);
}

static mi_vec3 normal_of(mi_vec3 a, mi_vec3 b, mi_vec3 c) {
  return mi_cross(mi_sub(b, a), mi_sub(c, a));
}

// Planes of the triangles, and upright ones through borders.
static void add_errors(work *w, const mi_topology *topo) {
  for (int t = 0; t < w->def->ntri; t++) {
    const int32_t *c = w->tri + 3 * (size_t)t;
    mi_vec3 n = normal_of(at(w, c[0]), at(w, c[1]), at(w, c[2]));
    double area = mi_length(n) / 2;
    n = mi_unit(n);
    for (int k = 0; k < 3; k++) add_plane(w->q + c[k], n, -mi_dot(n, at(w, c[0])), area);
  }
  for (int e = 0; e < topo->nedge; e++) {
    if (topo->edge_ntri[e] == 2) continue;
    int a = topo->edge[2 * e], b = topo->edge[2 * e + 1];
    const int32_t *c = w->tri + 3 * (size_t)topo->edge_tri[2 * e];
    mi_vec3 along = mi_sub(at(w, b), at(w, a));
    mi_vec3 n = mi_unit(mi_cross(along, normal_of(at(w, c[0]), at(w, c[1]), at(w, c[2]))));
    for (int k = 0; k < 2; k++)
      add_plane(w->q + (k ? b : a), n, -mi_dot(n, at(w, a)), 10 * mi_dot(along, along));
    w->is_border[a] = w->is_border[b] = 1;
  }
}

// -- neighbourhoods -------------------------------------------------------------------------------

// Triangles at a vertex; drops corners of those that are gone. -1 = more than there is room for.
static int around(work *w, int v, int32_t out[MOST_AROUND]) {
  int count = 0, last = -1;
  for (int c = w->head[v]; c >= 0; c = w->next[c]) {
    if (w->tri[3 * (size_t)(c / 3)] < 0) {
      if (last < 0)
        w->head[v] = w->next[c];
      else
        w->next[last] = w->next[c];
      continue;
    }
    last = c;
    if (count == MOST_AROUND) return -1;
    out[count++] = c / 3;
  }
  w->tail[v] = last;
  return count;
}

static bool has(const int32_t *tri, int v) {
  return tri[0] == v || tri[1] == v || tri[2] == v;
}

static int neighbours(const work *w, int v, const int32_t *tris, int ntri, int32_t *out) {
  int count = 0;
  for (int k = 0; k < ntri; k++)
    for (int c = 0; c < 3; c++) {
      int other = w->tri[3 * (size_t)tris[k] + (size_t)c];
      bool known = other == v;
      for (int n = 0; n < count && !known; n++) known = out[n] == other;
      if (!known) out[count++] = other;
    }
  return count;
}

// No triangle of u turns over or becomes a needle when u goes to v.
static bool stays_sound(const work *w, int u, int v, const int32_t *tris, int ntri) {
  for (int k = 0; k < ntri; k++) {
    const int32_t *c = w->tri + 3 * (size_t)tris[k];
    if (has(c, v)) continue;
    mi_vec3 before_p[3], after_p[3];
    for (int i = 0; i < 3; i++) {
      before_p[i] = at(w, c[i]);
      after_p[i] = at(w, c[i] == u ? v : c[i]);
    }
    mi_vec3 n0 = normal_of(before_p[0], before_p[1], before_p[2]);
    mi_vec3 n1 = normal_of(after_p[0], after_p[1], after_p[2]);
    if (!(mi_dot(n0, n1) > LEAST_TURN * mi_length(n0) * mi_length(n1))) return false;
    double sides = 0;
    for (int i = 0; i < 3; i++) {
      mi_vec3 side = mi_sub(after_p[(i + 1) % 3], after_p[i]);
      sides += mi_dot(side, side);
    }
    if (!(2 * 1.7320508075688772 * mi_length(n1) > LEAST_SHAPE * sides)) return false;
  }
  return true;
}

// The link condition: u and v share just the corners opposite their common edge, so that no two
// sheets are glued together; and the borders of the mesh stay.
static bool may_collapse(work *w, int u, int v, const int32_t *tris, int ntri) {
  int32_t other[MOST_AROUND], near_u[3 * MOST_AROUND], near_v[3 * MOST_AROUND];
  int nother = around(w, v, other), ncommon = 0, nshared = 0;
  if (nother < 0) return false;
  int nu = neighbours(w, u, tris, ntri, near_u), nv = neighbours(w, v, other, nother, near_v);
  for (int i = 0; i < nu; i++)
    for (int k = 0; k < nv; k++) ncommon += near_u[i] == near_v[k];
  for (int k = 0; k < ntri; k++) nshared += has(w->tri + 3 * (size_t)tris[k], v);
  if (nshared != ncommon || nshared < 1 || nshared > 2) return false;
  if (w->is_border[u] && (!w->is_border[v] || nshared != 1)) return false;
  if (!w->is_border[u] && nshared != 2) return false;
  if (ntri + nother - 2 * nshared > MOST_AROUND) return false;
  if (!w->is_border[u] && ntri == 3 && nother == 3) return false; // a tetrahedron
  return stays_sound(w, u, v, tris, ntri);
}

static void find_best(work *w, int u) {
  int32_t tris[MOST_AROUND], near[3 * MOST_AROUND];
  double best = INFINITY, weight = w->def->importance ? (double)w->def->importance[u] : 1;
  int ntri = weight < INFINITY ? around(w, u, tris) : -1;
  int count = ntri > 0 ? neighbours(w, u, tris, ntri, near) : 0;
  w->into[u] = -1;
  for (int k = 0; k < count; k++) {
    int v = near[k];
    mi_vec3 edge = mi_sub(at(w, v), at(w, u));
    double length2 = mi_dot(edge, edge);
    double cost = weight * (error_at(w->q + u, w->q + v, at(w, v)) + SHORT * length2 * length2);
    if (!(cost < best) || !may_collapse(w, u, v, tris, ntri)) continue;
    best = cost;
    w->into[u] = v;
  }
  set_cost(w, u, best);
}

static void collapse(work *w, int u, int v) {
  int32_t tris[MOST_AROUND], near[3 * MOST_AROUND];
  int ntri = around(w, u, tris);
  for (int k = 0; k < ntri; k++) {
    int32_t *c = w->tri + 3 * (size_t)tris[k];
    if (has(c, v)) {
      c[0] = -1;
      continue;
    }
    for (int i = 0; i < 3; i++)
      if (c[i] == u) c[i] = v;
  }
  if (w->head[u] >= 0) {
    if (w->head[v] < 0)
      w->head[v] = w->head[u];
    else
      w->next[w->tail[v]] = w->head[u];
    w->tail[v] = w->tail[u];
  }
  w->head[u] = w->tail[u] = -1;
  for (int i = 0; i < 10; i++) w->q[v].a[i] += w->q[u].a[i];
  w->into[u] = u;
  leave_heap(w, u);
  ntri = around(w, v, tris);
  int count = ntri > 0 ? neighbours(w, v, tris, ntri, near) : 0;
  find_best(w, v);
  for (int k = 0; k < count; k++) find_best(w, near[k]);
}

// -- all of it ------------------------------------------------------------------------------------

static bool reserve(work *w, mi_arena *scratch) {
  size_t nvert = (size_t)w->def->nvert, ncorner = 3 * (size_t)w->def->ntri;
  w->tri = MI_PUSH(scratch, int32_t, ncorner);
  w->next = MI_PUSH(scratch, int32_t, ncorner);
  w->head = MI_PUSH(scratch, int32_t, nvert);
  w->tail = MI_PUSH(scratch, int32_t, nvert);
  w->q = MI_PUSH(scratch, quadric, nvert);
  w->into = MI_PUSH(scratch, int32_t, nvert);
  w->cost = MI_PUSH(scratch, double, nvert);
  w->heap = MI_PUSH(scratch, int32_t, nvert);
  w->place = MI_PUSH(scratch, int32_t, nvert);
  w->is_border = MI_PUSH(scratch, unsigned char, nvert);
  return w->tri && w->next && w->head && w->tail && w->q && w->into && w->cost && w->heap &&
         w->place && w->is_border;
}

static void set_up(work *w, const mi_topology *topo) {
  const mi_decimate_def *def = w->def;
  memcpy(w->tri, def->tri, 3 * (size_t)def->ntri * sizeof *w->tri);
  for (int i = 0; i < def->nvert; i++) w->head[i] = w->tail[i] = w->place[i] = -1;
  for (int c = 3 * def->ntri - 1; c >= 0; c--) {
    int v = def->tri[c];
    if (w->tail[v] < 0) w->tail[v] = c;
    w->next[c] = w->head[v];
    w->head[v] = c;
  }
  add_errors(w, topo);
  for (int i = 0; i < def->nvert; i++) find_best(w, i);
}

static bool hand_over(const work *w, int nvert, mi_arena *arena, mi_decimated *out) {
  *out = (mi_decimated){.vert = MI_PUSH(arena, int32_t, nvert),
                        .tri = MI_PUSH(arena, int32_t, 3 * (size_t)w->def->ntri),
                        .origin = MI_PUSH(arena, int32_t, w->def->ntri)};
  if (!out->vert || !out->tri || !out->origin) return false;
  for (int i = 0; i < w->def->nvert; i++)
    if (w->into[i] != i) out->vert[out->nvert++] = i;
  for (int t = 0; t < w->def->ntri; t++) {
    if (w->tri[3 * (size_t)t] < 0) continue;
    memcpy(out->tri + 3 * (size_t)out->ntri, w->tri + 3 * (size_t)t, 3 * sizeof *w->tri);
    out->origin[out->ntri++] = t;
  }
  return true;
}

bool mi_decimate(const mi_decimate_def *def, mi_arena *arena, mi_decimated *out) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  mi_topology topo;
  work w = {.def = def};
  bool done =
      reserve(&w, &scratch) && mi_topology_build(def->nvert, def->ntri, def->tri, &scratch, &topo);
  int count = def->nvert;
  if (done) set_up(&w, &topo);
  while (done && count > def->target && w.nheap > 0) {
    int u = w.heap[0], v = w.into[u];
    int32_t tris[MOST_AROUND];
    int ntri = around(&w, u, tris);
    // the neighbourhood may have changed two edges away
    if (ntri < 0 || v < 0 || w.into[v] == v || !may_collapse(&w, u, v, tris, ntri)) {
      double cost = w.cost[u];
      find_best(&w, u);
      if (w.place[u] >= 0 && w.into[u] == v && w.cost[u] <= cost) leave_heap(&w, u);
      continue;
    }
    collapse(&w, u, v);
    count--;
  }
  done = done && hand_over(&w, count, arena, out);
  mi_arena_free(&scratch);
  return done;
}
