// What is close or crosses at rest and is therefore ignored.
#include "contact/excluded.h"

#include "contact/box_tree.h"
#include "contact/contact.h"
#include "math/vec.h"

#include <string.h>

enum { MOST_PAIRS = 1 << 24 };

// -- The table ------------------------------------------------------------------------------------

static mi_excluded *create_table(const mi_surface *s, int most, int nfold, mi_arena *arena) {
  mi_excluded *table = MI_PUSH(arena, mi_excluded, 1);
  if (!table) return NULL;
  uint32_t nslot = 16;
  while (nslot < 2 * (uint32_t)most) nslot *= 2;
  table->mask = nslot - 1;
  table->nvert = s->nvert;
  table->slot = MI_PUSH(arena, uint64_t, nslot);
  table->why = MI_PUSH(arena, unsigned char, nslot);
  table->has = MI_PUSH(arena, unsigned char, s->nvert + s->nedge);
  table->fold = MI_PUSH(arena, int32_t, 2 * (size_t)nfold + 1);
  return table->slot && table->why && table->has && table->fold ? table : NULL;
}

static void insert(mi_excluded *table, int kind, int a, int b, unsigned char why) {
  uint64_t key = mi_excluded_key(kind, a, b);
  uint32_t i = mi_excluded_slot(table, key);
  for (; table->slot[i]; i = (i + 1) & table->mask)
    if (table->slot[i] == key) return; // what is close comes first
  table->slot[i] = key;
  table->why[i] = why;
  table->has[kind == MI_EXCLUDED_VT ? a : table->nvert + a] = 1;
  table->count++;
}

// -- Close at rest --------------------------------------------------------------------------------

// All pairs near at rest, in a scratch arena of their own: tried with more room until they fit.
static mi_broad *find_all(const mi_surface *s, const float *rest, double reach, mi_arena *scratch,
                          mi_candidates *found) {
  mien_host host = {.allocator = scratch->allocator, .memory_limit = scratch->limit};
  for (int64_t most = 24 * (int64_t)s->nvert + 4096;; most *= 4) {
    if (most > MOST_PAIRS) most = MOST_PAIRS;
    mi_arena_init(scratch, &host);
    mi_broad *broad = mi_broad_create(s, (int)most, (int)most, scratch);
    if (!broad) return NULL;
    *found = mi_broad_find(broad, rest, NULL, reach, 1);
    if (!found->is_full) return broad;
    mi_arena_free(scratch);
    if (most == MOST_PAIRS) return NULL;
  }
}

static bool is_close(const mi_surface *s, const float *rest, mi_pair pair, bool is_edges,
                     double threshold) {
  int32_t vert[4];
  mi_surface_vertices(s, pair, is_edges, vert);
  double x[12];
  for (int i = 0; i < 12; i++) x[i] = rest[3 * (size_t)vert[i / 3] + (size_t)(i % 3)];
  mi_closest c = is_edges ? mi_closest_edge_edge(x) : mi_closest_vertex_triangle(x);
  double limit = threshold + mi_surface_offset(s, pair, is_edges);
  return c.d2 < limit * limit;
}

// -- Crossing at rest -----------------------------------------------------------------------------

static bool pierces(mi_vec3 p, mi_vec3 q, const mi_vec3 t[3]) {
  double above = mi_det(t[0], t[1], t[2], p), below = mi_det(t[0], t[1], t[2], q);
  if (!(above * below < 0)) return false;
  double a = mi_det(p, q, t[0], t[1]), b = mi_det(p, q, t[1], t[2]), c = mi_det(p, q, t[2], t[0]);
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

typedef struct resting {
  const mi_surface *surface;
  const float *rest;
  double threshold;
  mi_excluded *table; // NULL: only count
  int64_t count;
  int nfold;
} resting;

// Everything one triangle has against the other: kind, a and b of 15 pairs. Returns how many.
static int list_pairs(const mi_surface *s, int a, int b, int32_t pair[15][3]) {
  int count = 0;
  for (int i = 0; i < 3; i++) {
    const int32_t vt[2][3] = {{MI_EXCLUDED_VT, s->tri[3 * a + i], b},
                              {MI_EXCLUDED_VT, s->tri[3 * b + i], a}};
    memcpy(pair[count], vt, sizeof vt);
    count += 2;
    for (int j = 0; j < 3; j++) {
      int e = s->tri_edge[3 * a + i], f = s->tri_edge[3 * b + j];
      const int32_t ee[3] = {MI_EXCLUDED_EE, e < f ? e : f, e < f ? f : e};
      memcpy(pair[count], ee, sizeof ee);
      count += e >= 0 && f >= 0; // -1 = a vertex named twice
    }
  }
  return count;
}

static bool do_cross(const mi_surface *s, const float *position, int a, int b) {
  mi_vec3 x[3], y[3];
  for (int i = 0; i < 3; i++) {
    x[i] = mi_vec3_load(position + 3 * (size_t)s->tri[3 * a + i]);
    y[i] = mi_vec3_load(position + 3 * (size_t)s->tri[3 * b + i]);
  }
  for (int i = 0; i < 3; i++)
    if (pierces(x[i], x[(i + 1) % 3], y) || pierces(y[i], y[(i + 1) % 3], x)) return true;
  return false;
}

static void cross(void *task, int a, int b) {
  resting *r = task;
  const mi_surface *s = r->surface;
  if (!do_cross(s, r->rest, a, b)) return;
  r->count += 15;
  if (r->table) {
    int32_t pair[15][3];
    int count = list_pairs(s, a, b, pair);
    for (int k = 0; k < count; k++) insert(r->table, pair[k][0], pair[k][1], pair[k][2], 0);
    r->table->fold[2 * r->nfold] = a;
    r->table->fold[2 * r->nfold + 1] = b;
  }
  r->nfold++;
}

// -- All of it ------------------------------------------------------------------------------------

static void list_close(resting *r, const mi_pair *pair, int count, bool is_edges) {
  for (int i = 0; i < count; i++) {
    if (!is_close(r->surface, r->rest, pair[i], is_edges, r->threshold)) continue;
    r->count++;
    if (r->table)
      insert(r->table, is_edges ? MI_EXCLUDED_EE : MI_EXCLUDED_VT, pair[i].a, pair[i].b,
             MI_EXCLUDED_CLOSE);
  }
}

int mi_surface_exclude(mi_surface *surface, const float *rest, double threshold, mi_arena *arena) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  resting r = {.surface = surface, .rest = rest, .threshold = threshold};
  mi_candidates near;
  int count = -1;
  mi_broad *broad = find_all(surface, rest, threshold, &scratch, &near);
  // twice: to count, and to write into a table of that size
  for (int pass = 0; broad && pass < 2; pass++) {
    r.count = r.nfold = 0;
    list_close(&r, near.vt, near.nvt, false);
    list_close(&r, near.ee, near.nee, true);
    mi_broad_triangles(broad, rest, 1, cross, &r);
    if (pass || r.count > MOST_PAIRS) break;
    r.table = create_table(surface, (int)r.count, r.nfold, arena);
    if (!r.table) break;
  }
  if (r.table) {
    count = r.table->count;
    r.table->nfold = r.nfold;
    r.table->threshold = threshold;
    surface->excluded = r.table;
  }
  mi_arena_free(&scratch);
  return count;
}

int mi_surface_nexcluded(const mi_surface *surface) {
  return surface->excluded ? surface->excluded->count : 0;
}

// -- Open folds -----------------------------------------------------------------------------------

// Neighbours share pairs, so those that open come first: one fold that is closed keeps its pairs.
static void turn_fold(mi_surface *s, const float *position, int fold, double least, bool opens) {
  const int32_t *tri = s->excluded->fold + 2 * (size_t)fold;
  if (do_cross(s, position, tri[0], tri[1]) == opens) return;
  int32_t pair[15][3];
  int count = list_pairs(s, tri[0], tri[1], pair);
  for (int k = 0; k < count; k++) {
    const int32_t *p = pair[k];
    unsigned char *why = mi_excluded_why(s->excluded, p[0], p[1], p[2]);
    if (!why) continue;
    bool is_edges = p[0] == MI_EXCLUDED_EE;
    double room = *why & MI_EXCLUDED_CLOSE ? s->excluded->threshold : least;
    bool is_open = opens && !is_close(s, position, (mi_pair){p[1], p[2]}, is_edges, room);
    *why = (unsigned char)((*why & MI_EXCLUDED_CLOSE) | (is_open ? MI_EXCLUDED_OPEN : 0));
  }
}

int mi_surface_nfold(const mi_surface *surface) {
  return surface->excluded ? surface->excluded->nfold : 0;
}

void mi_surface_open_folds(mi_surface *surface, const float *position, double least) {
  int nfold = mi_surface_nfold(surface);
  for (int opens = 1; opens >= 0; opens--)
    for (int k = 0; k < nfold; k++) turn_fold(surface, position, k, least, opens);
}
