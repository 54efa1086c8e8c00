// Candidates: pairs of near groups, listed once and kept while their groups move together.
//
// An entry of two groups lists all pairs that are closer than `covered` at the anchor, a place
// where vertices were. A query asks about places and ways elsewhere: there two groups are closer by
// at most what their displacements from the anchor differ. As long as that leaves the reach, the
// list is whole; else it is made anew, this one alone. When many entries have come far from the
// anchor, the anchor is taken to where vertices are.
#include "contact/broad.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ENTRIES = 512, LEAVES = 64, BLOCKS = 16 }; // of a task

// -- Making ---------------------------------------------------------------------------------------

static bool create_entries(mi_entries *kind, bool is_edges, mi_groups *a, mi_groups *b,
                           mi_arena *arena) {
  *kind = (mi_entries){.is_edges = is_edges, .a = a, .b = b};
  int64_t all = (int64_t)a->count * b->count, usual = 96 * (int64_t)(a->count + b->count) + 1024;
  kind->most = (int)(all < usual ? all : usual);
  kind->entry = MI_PUSH(arena, mi_entry, kind->most);
  kind->before = MI_PUSH(arena, mi_entry, kind->most);
  kind->gap = MI_PUSH(arena, float, b->count);
  return kind->entry && kind->before && kind->gap;
}

static bool create_rows(mi_broad *b, size_t nvert, mi_arena *arena) {
  float **rows[] = {&b->place, &b->low, &b->high, b->displacement, b->displacement + 1};
  bool has_room = true;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    has_room &= (*rows[k] = MI_PUSH(arena, float, 4 * nvert)) != NULL;
  b->at = MI_PUSH(arena, float, 3 * nvert);
  for (int k = 0; k < 2; k++) b->end[k] = MI_PUSH(arena, float, 3 * nvert);
  b->is_bad = MI_PUSH(arena, unsigned char, nvert);
  b->crosses_nothing = MI_PUSH(arena, unsigned char, nvert);
  return has_room && b->at && b->end[0] && b->end[1] && b->is_bad && b->crosses_nothing;
}

static bool create_lists(mi_broad *b, mi_arena *arena) {
  int most_entries = b->kind[0].most > b->kind[1].most ? b->kind[0].most : b->kind[1].most;
  b->pair = MI_PUSH(arena, mi_pair, b->capacity);
  b->known = MI_PUSH(arena, float, b->capacity);
  b->chosen = MI_PUSH(arena, mi_pair, b->capacity);
  b->awake = MI_PUSH(arena, int32_t, most_entries);
  b->begin = MI_PUSH(arena, int32_t, most_entries);
  b->nchosen = MI_PUSH(arena, int32_t, most_entries);
  b->crossed = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS *(size_t)b->surface->tri_tree->nblock);
  return b->pair && b->known && b->chosen && b->awake && b->begin && b->nchosen && b->crossed;
}

mi_broad *mi_broad_create(const mi_surface *s, int most, mi_arena *arena) {
  mi_broad *b = MI_PUSH(arena, mi_broad, 1);
  if (!b) return NULL;
  b->surface = s;
  b->kernels = mi_pair_kernels_best();
  b->capacity = most ? most : 32 * s->nvert + 8192;
  bool is_done =
      mi_groups_create(&b->vert, s->vert_tree, NULL, 1, s->vert_offset, s->nvert, arena) &&
      mi_groups_create(&b->tri, s->tri_tree, s->tri, 3, s->tri_offset, s->nvert, arena) &&
      mi_groups_create(&b->edge, s->edge_tree, s->edge, 2, s->edge_offset, s->nvert, arena) &&
      create_entries(b->kind, false, &b->vert, &b->tri, arena) &&
      create_entries(b->kind + 1, true, &b->edge, &b->edge, arena) &&
      create_rows(b, (size_t)s->nvert, arena) && create_lists(b, arena);
  return is_done ? b : NULL;
}

void mi_broad_leave_out(mi_broad *broad, const bool *is_out) {
  broad->is_out = is_out;
  broad->is_anchored = false;
}

void mi_broad_renew(mi_broad *broad) {
  broad->is_anchored = false;
}

void mi_broad_keep(mi_broad *broad, double spare) {
  broad->spare = (float)spare;
}

// -- Where vertices are ---------------------------------------------------------------------------

// Takes part: coordinates beyond any face would overflow.
static bool is_sound(const mi_broad *b, const float *at, int vert) {
  float sum = fabsf(at[0]) + fabsf(at[1]) + fabsf(at[2]); // a NaN stays
  return sum < 1e18f && !(b->is_out && b->is_out[vert]);
}

// Rows of four floats and who does not take part. Returns what rounding can do to a box.
static float read_places(const mi_broad *b, const float *from, float *place,
                         unsigned char *is_bad) {
  float most = 0;
  for (int i = 0; i < b->surface->nvert; i++) {
    const float *at = from + 3 * (size_t)i;
    memcpy(place + 4 * (size_t)i, at, 3 * sizeof *at);
    is_bad[i] = !is_sound(b, at, i);
    for (int k = 0; k < 3 && !is_bad[i]; k++) most = fmaxf(most, fabsf(at[k]));
  }
  return 4e-7f * most;
}

static void set_anchor(mi_broad *b, const float *from) {
  memcpy(b->at, from, 3 * (size_t)b->surface->nvert * sizeof *from);
  b->grow = 2 * read_places(b, from, b->place, b->is_bad); // they may go on a little
  b->kind[0].count = b->kind[1].count = 0;
  b->far = -1;
  b->has_way[0] = b->has_way[1] = false;
  b->has_toward[0] = b->has_toward[1] = false;
  atomic_store(&b->npair, 0);
  b->is_anchored = true;
}

// -- Ways -----------------------------------------------------------------------------------------

// Where an end of a query, 0 or 1, is kept.
static int slot_of(const mi_broad *b, int end) {
  return b->is_turned ? 1 - end : end;
}

// Displacements of vertices [begin, end) from the anchor; those that take no part have none. False
// when another part of the vertices is sound than at the anchor, or they are too far away for what
// rounding was taken to do.
static bool displace(mi_broad *b, int slot, const float *to, int begin, int end) {
  float *displacement = b->displacement[slot];
  bool is_same = true;
  for (int i = begin; i < end; i++) {
    const float *at = b->at + 3 * (size_t)i, *x = to + 3 * (size_t)i;
    float *by = displacement + 4 * (size_t)i;
    bool is_there = is_sound(b, x, i), moves = is_there && !b->is_bad[i];
    is_same &= is_there != (bool)b->is_bad[i];
    for (int k = 0; k < 3; k++) by[k] = moves ? x[k] - at[k] : 0;
    for (int k = 0; k < 3 && moves; k++) is_same &= 4e-7f * fabsf(x[k]) <= b->grow;
  }
  return is_same;
}

static bool is_at(const mi_broad *b, int slot, const float *place, size_t first, size_t last) {
  return b->has_way[slot] &&
         !memcmp(b->end[slot] + first, place + first, (last - first) * sizeof *place);
}

// Ways of all groups from the anchor to an end of the query. False: the anchor does not serve.
static bool set_way(mi_broad *b, int end, const float *to, int threads) {
  size_t soft = 3 * (size_t)b->surface->nsoft, all = 3 * (size_t)b->surface->nvert;
  if (!end && !is_at(b, slot_of(b, 0), to, 0, all) && is_at(b, slot_of(b, 1), to, 0, all))
    b->is_turned = !b->is_turned;
  int slot = slot_of(b, end);
  bool same_soft = is_at(b, slot, to, 0, soft), same_rigid = is_at(b, slot, to, soft, all);
  if (same_soft && same_rigid) return b->serves[slot] || end;
  memcpy(b->end[slot], to, all * sizeof *to);
  bool serves = b->serves[slot] || !(same_soft || same_rigid);
  serves &= same_soft || displace(b, slot, to, 0, b->surface->nsoft);
  serves &= same_rigid || displace(b, slot, to, b->surface->nsoft, b->surface->nvert);
  b->has_way[slot] = true;
  b->serves[slot] = serves;
  b->has_toward[slot] = false;
  mi_groups_move(&b->vert, slot, b->displacement[slot], !same_rigid, threads);
  mi_groups_move(&b->tri, slot, b->displacement[slot], !same_rigid, threads);
  mi_groups_move(&b->edge, slot, b->displacement[slot], !same_rigid, threads);
  return serves || end; // where a way ends does not matter
}

// How much closer than at the anchor any two groups may be at an end of the query.
static float most_approach(const mi_broad *b, int end) {
  const mi_groups *g = &b->vert;
  const float *ways = g->way[slot_of(b, end)];
  float around[8];
  memcpy(around, ways, sizeof around);
  for (int i = 1; i < g->count; i++)
    for (int k = 0; k < 3; k++) {
      const float *way = ways + 8 * (size_t)i;
      around[k] = way[k] < around[k] ? way[k] : around[k];
      around[4 + k] = way[4 + k] > around[4 + k] ? way[4 + k] : around[4 + k];
    }
  return g->count ? mi_groups_approach(around, around) + b->grow : 0;
}

// -- Entries --------------------------------------------------------------------------------------

// The entry of two groups before, or NULL. Entries are in order, and `at` walks along them.
static const mi_entry *find_before(const mi_entries *kind, int nbefore, int *at, int a, int b) {
  const mi_entry *e = kind->before + *at, *end = kind->before + nbefore;
  while (e < end && (e->a < a || (e->a == a && e->b < b))) e++;
  *at = (int)(e - kind->before);
  return e < end && e->a == a && e->b == b ? e : NULL;
}

static bool is_rigid(const mi_groups *g, int group) {
  return g->tree->is_rigid[g->tree->first[1] + group];
}

// Groups that are closer than `far` get an entry. False when there are too many.
static bool list_groups(mi_entries *kind, float far) {
  mi_entry *entry = kind->before;
  int nbefore = kind->count, at = 0;
  kind->before = kind->entry;
  kind->entry = entry;
  kind->count = 0;
  float square = 1.0001f * far * far;
  for (int a = 0; a < kind->a->count; a++) {
    int begin = kind->is_edges ? a : 0;
    int end = is_rigid(kind->a, a) ? kind->b->nsoft : kind->b->count;
    mi_groups_gaps(&kind->a->here, a, &kind->b->here, begin, end, kind->gap);
    for (int b = begin; b < end; b++) {
      if (kind->gap[b] > square) continue;
      float gap = 0.99999f * sqrtf(kind->gap[b]);
      if (kind->count == kind->most) return false;
      const mi_entry *before = find_before(kind, nbefore, &at, a, b);
      mi_entry fresh = {.a = a, .b = b, .covered = gap, .least = INFINITY};
      kind->entry[kind->count++] = before ? *before : fresh;
    }
  }
  return true;
}

static bool list_all_groups(mi_broad *b, float far, int threads) {
  mi_vert_boxes verts = {b->place, b->place, b->is_bad, b->grow};
  mi_groups *groups[] = {&b->vert, &b->tri, &b->edge};
  for (int k = 0; k < 3 && b->far < 0; k++)
    mi_groups_fill(groups[k], &groups[k]->here, &verts, NULL, threads);
  b->far = far;
  b->has_toward[0] = b->has_toward[1] = false;
  return list_groups(b->kind, far) && list_groups(b->kind + 1, far);
}

typedef struct approaching {
  mi_entries *kind;
  const mi_broad *broad;
  float reach;
  bool rests;
  atomic_int nworn; // entries that are far from the anchor where the query begins
} approaching;

// How much closer than at the anchor the groups of an entry are at an end of the query.
static float toward(const approaching *t, mi_entry *e, int end) {
  const mi_broad *b = t->broad;
  int slot = slot_of(b, end);
  if (!b->has_toward[slot])
    e->toward[slot] = mi_groups_approach(t->kind->a->way[slot] + 8 * (size_t)e->a,
                                         t->kind->b->way[slot] + 8 * (size_t)e->b);
  return e->toward[slot];
}

// How close the groups of entries [begin, end) may be; those whose list does not tell are marked.
static void approach_range(void *task, int begin, int end) {
  approaching *t = task;
  int nworn = 0;
  for (int i = begin; i < end; i++) {
    mi_entry *e = t->kind->entry + i;
    float first = toward(t, e, 0), last = t->rests ? 0 : toward(t, e, 1);
    // in between it is no more than the larger one: displacements are linear
    e->approach = (first > last ? first : last) + 4 * t->broad->grow;
    if (!(e->covered - e->approach >= t->reach)) e->count = -1;
    nworn += e->count < 0 && first > t->broad->spare;
  }
  atomic_fetch_add(&t->nworn, nworn);
}

// Groups of marked entries far from the anchor are wanted. Returns how many entries are marked.
static int want_groups(const mi_listing *l, bool *is_any_far) {
  const mi_entries *kind = l->kind;
  int count = 0;
  memset(kind->a->is_wanted, 0, (size_t)kind->a->count);
  memset(kind->b->is_wanted, 0, (size_t)kind->b->count);
  for (int i = 0; i < kind->count; i++) {
    const mi_entry *e = kind->entry + i;
    if (e->count >= 0) continue;
    count++;
    if (!mi_entry_is_far(e, l)) continue;
    kind->a->is_wanted[e->a] = kind->b->is_wanted[e->b] = 1;
    *is_any_far = true;
  }
  return count;
}

// Boxes of the wanted groups where they are, or along their ways.
static void sweep_groups(const mi_listing *l, int threads) {
  mi_broad *b = l->broad;
  mi_groups *first = l->kind->a, *second = l->kind->b;
  for (size_t i = 0; i < (size_t)b->surface->nvert; i++)
    for (size_t k = 0; k < 3; k++) {
      float one = l->from[3 * i + k], two = l->to ? l->to[3 * i + k] : one;
      if (!(fabsf(two) < 1e18f)) two = one;
      b->low[4 * i + k] = one < two ? one : two;
      b->high[4 * i + k] = one < two ? two : one;
    }
  mi_vert_boxes verts = {b->low, b->high, b->is_bad, b->grow};
  mi_groups_fill(first, &first->swept, &verts, first->is_wanted, threads);
  if (second != first) mi_groups_fill(second, &second->swept, &verts, second->is_wanted, threads);
}

static void list_pairs(mi_listing *l, int kind, int threads) {
  bool is_any_far = false;
  l->kind = l->broad->kind + kind;
  if (!want_groups(l, &is_any_far)) return;
  if (is_any_far) sweep_groups(l, threads);
  mi_parallel(threads, l->kind->count, LEAVES, mi_pairs_list, l);
}

// Entries of all groups that may come close, and how close. Returns how many have come far from
// the anchor, -1 when there are too many.
static int approach(const mi_listing *l, int threads) {
  mi_broad *b = l->broad;
  float most = most_approach(b, 0), way = l->to ? most_approach(b, 1) : 0;
  float needed = l->reach + fmaxf(most, way);
  int nworn = 0;
  if (!(b->far >= needed) && !list_all_groups(b, needed + 3 * l->spare, threads)) return -1;
  for (int k = 0; k < 2; k++) {
    approaching t = {b->kind + k, b, l->reach, !l->to, 0};
    mi_parallel(threads, b->kind[k].count, ENTRIES, approach_range, &t);
    nworn += atomic_load(&t.nworn);
  }
  b->has_toward[slot_of(b, 0)] = true;
  b->has_toward[slot_of(b, 1)] |= l->to != NULL;
  if (way > most + 4 * b->spare) b->far = 0; // entries of a long way are too many for others
  return nworn;
}

// Lists of all that the query may ask for. False when they do not fit.
static bool update(mi_listing *l, int threads) {
  mi_broad *b = l->broad;
  for (int round = 0; round < 2; round++) {
    if (!b->is_anchored || !set_way(b, 0, l->from, threads)) {
      set_anchor(b, l->from);
      set_way(b, 0, l->from, threads);
    }
    if (l->to) set_way(b, 1, l->to, threads);
    int nworn = approach(l, threads);
    if (nworn < 0) return false;
    // a way begins where vertices are; places that are tried lie elsewhere
    if (!l->to || nworn <= (b->kind[0].count + b->kind[1].count) / 8) break;
    b->is_anchored = false;
  }
  list_pairs(l, 0, threads);
  list_pairs(l, 1, threads);
  return atomic_load(&b->npair) <= b->capacity;
}

mi_candidates mi_broad_find(mi_broad *b, const float *from, const float *to, double reach,
                            int threads) {
  mi_listing l = {.broad = b, .from = from, .reach = (float)(reach * (1 + 1e-6))};
  l.to = to == from ? NULL : to;
  // room taken by lists of before; then no more than is asked for
  float spare[] = {b->spare, b->spare, 0};
  for (int k = 0; k < 3; k++) {
    l.spare = spare[k];
    if (update(&l, threads)) return mi_pairs_choose(&l, threads);
    b->is_anchored = false;
  }
  return (mi_candidates){b->chosen, b->chosen, 0, 0, true};
}

// -- Triangles that cross -------------------------------------------------------------------------

typedef struct crossing {
  const mi_surface *surface;
  mi_box_fill fill;
  mi_box_query query;
  const mi_box_kernels *kernels;
  void (*fn)(void *task, int a, int b);
  void *task;
} crossing;

static void fill_leaves(void *task, int begin, int end) {
  const crossing *c = task;
  c->kernels->fill(&c->fill, begin, end);
  mi_box_tree_cover(c->fill.tree, begin, end, c->fill.box);
}

static bool meet_triangles(void *task, int mine, int other, uint64_t hit) {
  const crossing *c = task;
  const mi_surface *s = c->surface;
  const int32_t *item = s->tri_tree->item;
  mi_pair found[MI_BOX_LANES * MI_BOX_LANES];
  int count = 0;
  for (; hit; hit &= hit - 1) {
    int a = item[MI_BOX_LANES * mine + mi_box_mine(hit)];
    int b = item[MI_BOX_LANES * other + mi_box_other(hit)];
    const int32_t *p = s->tri + 3 * (size_t)a, *q = s->tri + 3 * (size_t)b;
    bool is_shared = false;
    for (int k = 0; k < 9; k++) is_shared |= p[k / 3] == q[k % 3];
    found[count] = (mi_pair){a, b};
    count += !is_shared;
  }
  for (int k = 0; k < count; k++) c->fn(c->task, found[k].a, found[k].b);
  return true;
}

static void visit_range(void *task, int begin, int end) {
  crossing *c = task;
  c->kernels->walk(&c->query, begin, end, c);
}

void mi_broad_triangles(mi_broad *b, const float *position, int threads,
                        void (*fn)(void *task, int a, int b), void *task) {
  const mi_surface *s = b->surface;
  const mi_box_tree *tree = s->tri_tree;
  float grow = read_places(b, position, b->low, b->crosses_nothing);
  crossing c = {.surface = s, .kernels = mi_box_kernels_best(), .fn = fn, .task = task};
  c.fill = (mi_box_fill){tree,          s->tri, b->low, b->low,    b->crosses_nothing,
                         s->tri_offset, 3,      grow,   b->crossed};
  c.query = (mi_box_query){tree, tree, b->crossed, b->crossed, true, 0, meet_triangles};
  mi_parallel(threads, mi_box_tree_nleaf(tree), LEAVES, fill_leaves, &c);
  mi_box_tree_refit_above(tree, mi_box_tree_nleaf(tree), b->crossed);
  mi_parallel(threads, mi_box_tree_nleaf(tree), BLOCKS, visit_range, &c);
}
