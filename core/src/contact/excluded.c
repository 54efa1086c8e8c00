// What is close or crosses at rest and is therefore ignored.
#include "contact/excluded.h"

#include "contact/box_tree.h"
#include "contact/contact.h"
#include "math/vec.h"

enum { MOST_PAIRS = 1 << 24 };

// -- The table ------------------------------------------------------------------------------------

static mi_excluded *create_table(const mi_surface *s, int most, mi_arena *arena) {
  mi_excluded *table = MI_PUSH(arena, mi_excluded, 1);
  if (!table) return NULL;
  uint32_t nslot = 16;
  while (nslot < 2 * (uint32_t)most) nslot *= 2;
  table->mask = nslot - 1;
  table->nvert = s->nvert;
  table->slot = MI_PUSH(arena, uint64_t, nslot);
  table->has = MI_PUSH(arena, unsigned char, s->nvert + s->nedge);
  return table->slot && table->has ? table : NULL;
}

static void insert(mi_excluded *table, int kind, int a, int b) {
  uint64_t key = mi_excluded_key(kind, a, b);
  uint32_t i = mi_excluded_slot(table, key);
  for (; table->slot[i]; i = (i + 1) & table->mask)
    if (table->slot[i] == key) return;
  table->slot[i] = key;
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
} resting;

// Everything one triangle has against the other.
static void exclude_triangles(const mi_surface *s, int a, int b, mi_excluded *table) {
  for (int i = 0; i < 3; i++) {
    insert(table, MI_EXCLUDED_VT, s->tri[3 * a + i], b);
    insert(table, MI_EXCLUDED_VT, s->tri[3 * b + i], a);
    for (int j = 0; j < 3; j++) {
      int e = s->tri_edge[3 * a + i], f = s->tri_edge[3 * b + j];
      if (e >= 0 && f >= 0) insert(table, MI_EXCLUDED_EE, e < f ? e : f, e < f ? f : e);
    }
  }
}

static void cross(void *task, int a, int b) {
  resting *r = task;
  const int32_t *ta = r->surface->tri + 3 * (size_t)a, *tb = r->surface->tri + 3 * (size_t)b;
  mi_vec3 x[3], y[3];
  for (int i = 0; i < 3; i++) {
    x[i] = mi_vec3_load(r->rest + 3 * (size_t)ta[i]);
    y[i] = mi_vec3_load(r->rest + 3 * (size_t)tb[i]);
  }
  bool is_crossing = false;
  for (int i = 0; !is_crossing && i < 3; i++)
    is_crossing = pierces(x[i], x[(i + 1) % 3], y) || pierces(y[i], y[(i + 1) % 3], x);
  if (!is_crossing) return;
  r->count += 15;
  if (r->table) exclude_triangles(r->surface, a, b, r->table);
}

// -- All of it ------------------------------------------------------------------------------------

static void list_close(resting *r, const mi_pair *pair, int count, bool is_edges) {
  for (int i = 0; i < count; i++) {
    if (!is_close(r->surface, r->rest, pair[i], is_edges, r->threshold)) continue;
    r->count++;
    if (r->table)
      insert(r->table, is_edges ? MI_EXCLUDED_EE : MI_EXCLUDED_VT, pair[i].a, pair[i].b);
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
    r.count = 0;
    list_close(&r, near.vt, near.nvt, false);
    list_close(&r, near.ee, near.nee, true);
    mi_broad_triangles(broad, rest, 1, cross, &r);
    if (pass || r.count > MOST_PAIRS) break;
    r.table = create_table(surface, (int)r.count, arena);
    if (!r.table) break;
  }
  if (r.table) {
    count = r.table->count;
    surface->excluded = r.table;
  }
  mi_arena_free(&scratch);
  return count;
}

int mi_surface_nexcluded(const mi_surface *surface) {
  return surface->excluded ? surface->excluded->count : 0;
}
