// Candidates: pairs of near groups, listed once and kept while their groups move together.
//
// An entry of two groups lists all pairs that were closer than `covered` when it was made. Every
// move since then, and the one that is asked about, brings its groups closer by at most what their
// displacements differ. As long as that leaves more than the reach, the list is whole; else it is
// made anew, this one alone. Groups that are farther than `far` have no entry.
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
  return kind->entry && kind->before;
}

mi_broad *mi_broad_create(const mi_surface *s, int most, mi_arena *arena) {
  mi_broad *b = MI_PUSH(arena, mi_broad, 1);
  size_t nvert = (size_t)s->nvert;
  if (!b) return NULL;
  b->surface = s;
  b->kernels = mi_pair_kernels_best();
  b->capacity = most ? most : 32 * s->nvert + 8192;
  if (!mi_groups_create(&b->vert, s->vert_tree, NULL, 1, s->vert_offset, s->nvert, arena) ||
      !mi_groups_create(&b->tri, s->tri_tree, s->tri, 3, s->tri_offset, s->nvert, arena) ||
      !mi_groups_create(&b->edge, s->edge_tree, s->edge, 2, s->edge_offset, s->nvert, arena) ||
      !create_entries(b->kind, false, &b->vert, &b->tri, arena) ||
      !create_entries(b->kind + 1, true, &b->edge, &b->edge, arena))
    return NULL;
  int most_entries = b->kind[0].most > b->kind[1].most ? b->kind[0].most : b->kind[1].most;
  b->is_bad = MI_PUSH(arena, unsigned char, nvert);
  b->crosses_nothing = MI_PUSH(arena, unsigned char, nvert);
  b->at = MI_PUSH(arena, float, 3 * nvert);
  b->place = MI_PUSH(arena, float, 4 * nvert);
  b->crossed_place = MI_PUSH(arena, float, 4 * nvert);
  b->displacement = MI_PUSH(arena, float, 4 * nvert);
  b->pair = MI_PUSH(arena, mi_pair, b->capacity);
  b->known = MI_PUSH(arena, float, b->capacity);
  b->chosen = MI_PUSH(arena, mi_pair, b->capacity);
  b->awake = MI_PUSH(arena, int32_t, most_entries);
  b->begin = MI_PUSH(arena, int32_t, most_entries);
  b->nchosen = MI_PUSH(arena, int32_t, most_entries);
  b->crossed = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS *(size_t)s->tri_tree->nblock);
  bool is_done = b->is_bad && b->crosses_nothing && b->crossed_place && b->at && b->place &&
                 b->displacement && b->pair && b->known && b->chosen && b->awake && b->begin &&
                 b->nchosen && b->crossed;
  return is_done ? b : NULL;
}

void mi_broad_leave_out(mi_broad *broad, const bool *is_out) {
  broad->is_out = is_out;
  broad->is_known = false;
}

void mi_broad_keep(mi_broad *broad, double spare) {
  broad->spare = (float)spare;
}

int mi_broad_most(const mi_broad *broad) {
  return broad->capacity;
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

static void renew(mi_broad *b, const float *from) {
  mi_groups *groups[] = {&b->vert, &b->tri, &b->edge};
  for (int k = 0; k < 3; k++) memset(groups[k]->is_current, 0, (size_t)groups[k]->count);
  memcpy(b->at, from, 3 * (size_t)b->surface->nvert * sizeof *from);
  b->grow = 2 * read_places(b, from, b->place, b->is_bad); // they may go on a little
  b->kind[0].count = b->kind[1].count = 0;
  b->far = -1;
  b->far_used = 0;
  atomic_store(&b->npair, 0);
  b->is_known = true;
}

// Vertices up to here are elsewhere than where they were: all, soft ones or none.
static int moved_until(const mi_broad *b, const float *to) {
  size_t soft = 3 * (size_t)b->surface->nsoft, all = 3 * (size_t)b->surface->nvert;
  if (memcmp(b->at + soft, to + soft, (all - soft) * sizeof *to)) return b->surface->nvert;
  return memcmp(b->at, to, soft * sizeof *to) ? b->surface->nsoft : 0;
}

// Ways of all groups, whose first `last` vertices move. Returns how much two groups can come closer
// at most. Vertices that do not take part do not move.
static float move_groups(mi_broad *b, const float *to, int last, int threads) {
  float low[3] = {0}, high[3] = {0}, sum = 0;
  for (int i = 0; i < last; i++) {
    const float *at = b->at + 3 * (size_t)i;
    float *by = b->displacement + 4 * (size_t)i;
    bool is_moved = !b->is_bad[i];
    for (int k = 0; k < 3; k++) {
      by[k] = to[3 * i + k] - at[k];
      is_moved &= fabsf(by[k]) < 1e18f;
    }
    for (int k = 0; k < 3; k++) {
      by[k] = is_moved ? by[k] : 0;
      low[k] = by[k] < low[k] ? by[k] : low[k];
      high[k] = by[k] > high[k] ? by[k] : high[k];
    }
  }
  bool with_rigid = last > b->surface->nsoft;
  mi_groups_move(&b->vert, b->displacement, with_rigid, threads);
  mi_groups_move(&b->tri, b->displacement, with_rigid, threads);
  mi_groups_move(&b->edge, b->displacement, with_rigid, threads);
  if (with_rigid) // at rest again when it is asked next
    memset(b->displacement + 4 * (size_t)b->surface->nsoft, 0,
           4 * (size_t)(b->surface->nvert - b->surface->nsoft) * sizeof *b->displacement);
  for (int k = 0; k < 3; k++) sum += (high[k] - low[k]) * (high[k] - low[k]);
  return 1.00001f * sqrtf(sum);
}

// -- Entries --------------------------------------------------------------------------------------

typedef struct entries_task {
  mi_entries *kind;
  float grow, reach;
  bool rests;
} entries_task;

// Entries [begin, end) have moved.
static void use_range(void *task, int begin, int end) {
  const entries_task *t = task;
  for (int i = begin; i < end; i++) {
    mi_entry *e = t->kind->entry + i;
    e->used += t->grow +
               mi_groups_approach(mi_groups_way(t->kind->a, e->a), mi_groups_way(t->kind->b, e->b));
  }
}

// Goes on to `from`. False when that is too different.
static bool follow(mi_broad *b, const float *from, int threads) {
  float most = 0;
  int last = moved_until(b, from);
  for (int i = 0; i < last; i++) {
    const float *at = from + 3 * (size_t)i;
    if (b->is_bad[i] != !is_sound(b, at, i)) return false;
    for (int k = 0; k < 3 && !b->is_bad[i]; k++) most = fmaxf(most, fabsf(at[k]));
  }
  if (!(4e-7f * most <= b->grow)) return false;
  if (!last) return true;
  b->far_used += b->grow + move_groups(b, from, last, threads);
  for (int k = 0; k < 2; k++) {
    entries_task t = {b->kind + k, b->grow, 0, false};
    mi_parallel(threads, b->kind[k].count, ENTRIES, use_range, &t);
  }
  mi_groups_leave(&b->vert);
  mi_groups_leave(&b->tri);
  mi_groups_leave(&b->edge);
  memcpy(b->at, from, 3 * (size_t)last * sizeof *from);
  for (int i = 0; i < last; i++)
    memcpy(b->place + 4 * (size_t)i, from + 3 * (size_t)i, 3 * sizeof *from);
  return true;
}

// The entry of two groups before, or NULL; `at` walks along those of the first group.
static const mi_entry *find_before(const mi_entries *kind, int nbefore, int *at, int a, int b) {
  while (*at < nbefore && kind->before[*at].a < a) (*at)++;
  for (int i = *at; i < nbefore && kind->before[i].a == a; i++)
    if (kind->before[i].b == b) return kind->before + i;
  return NULL;
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
  for (int a = 0; a < kind->a->count; a++)
    for (int b = kind->is_edges ? a : 0; b < kind->b->count; b++) {
      if (is_rigid(kind->a, a) && is_rigid(kind->b, b)) continue;
      float gap = mi_groups_gap(kind->a, a, kind->b, b);
      if (gap > far) continue;
      if (kind->count == kind->most) return false;
      const mi_entry *before = find_before(kind, nbefore, &at, a, b);
      mi_entry fresh = {.a = a, .b = b, .covered = gap, .least = INFINITY};
      kind->entry[kind->count++] = before ? *before : fresh;
    }
  return true;
}

static bool list_all_groups(mi_broad *b, float needed, int threads) {
  float far[] = {2 * needed + 3 * b->spare, needed};
  mi_groups_fill(&b->vert, b->place, b->is_bad, b->grow, true, threads);
  mi_groups_fill(&b->tri, b->place, b->is_bad, b->grow, true, threads);
  mi_groups_fill(&b->edge, b->place, b->is_bad, b->grow, true, threads);
  for (int k = 0; k < 2; k++) {
    b->far = far[k];
    b->far_used = 0;
    if (list_groups(b->kind, b->far) && list_groups(b->kind + 1, b->far)) return true;
    b->kind[0].count = b->kind[1].count = 0;
  }
  return false;
}

// How close entries [begin, end) may come on the move; those whose list does not tell are marked.
static void approach_range(void *task, int begin, int end) {
  const entries_task *t = task;
  for (int i = begin; i < end; i++) {
    mi_entry *e = t->kind->entry + i;
    e->approach = t->rests ? 0
                           : mi_groups_approach(mi_groups_way(t->kind->a, e->a),
                                                mi_groups_way(t->kind->b, e->b));
    if (!(e->covered - e->used - e->approach >= t->reach)) e->count = -1;
  }
}

static void list_pairs(mi_broad *b, mi_entries *kind, const mi_listing *l, bool rests,
                       int threads) {
  entries_task t = {kind, b->grow, l->reach, rests};
  mi_listing listing = *l;
  int nmarked = 0;
  mi_parallel(threads, kind->count, ENTRIES, approach_range, &t);
  memset(kind->a->is_wanted, 0, (size_t)kind->a->count);
  memset(kind->b->is_wanted, 0, (size_t)kind->b->count);
  for (int i = 0; i < kind->count; i++) {
    if (kind->entry[i].count >= 0) continue;
    kind->a->is_wanted[kind->entry[i].a] = 1;
    kind->b->is_wanted[kind->entry[i].b] = 1;
    nmarked++;
  }
  if (!nmarked) return;
  mi_groups_fill(kind->a, b->place, b->is_bad, b->grow, false, threads);
  if (kind->b != kind->a) mi_groups_fill(kind->b, b->place, b->is_bad, b->grow, false, threads);
  listing.kind = kind;
  mi_parallel(threads, kind->count, LEAVES, mi_pairs_list, &listing);
}

// Lists of all that may come closer than `reach`. False when they do not fit.
static bool update(mi_broad *b, const float *from, const float *to, float reach, float spare,
                   int threads) {
  if (!b->is_known || !follow(b, from, threads)) renew(b, from);
  float approach = to ? move_groups(b, to, moved_until(b, to), threads) : 0;
  mi_listing l = {.broad = b, .from = from, .to = to, .reach = reach, .spare = spare};
  if (!(b->far - b->far_used - approach >= reach) && !list_all_groups(b, reach + approach, threads))
    return false;
  list_pairs(b, b->kind, &l, !to, threads);
  list_pairs(b, b->kind + 1, &l, !to, threads);
  return atomic_load(&b->npair) <= b->capacity;
}

mi_candidates mi_broad_find(mi_broad *b, const float *from, const float *to, double reach,
                            int threads) {
  const float *way = to == from ? NULL : to;
  float within = (float)(reach * (1 + 1e-6));
  // room taken by lists of before; then no more than is asked for
  float spare[] = {b->spare, b->spare, 0};
  for (int k = 0; k < 3; k++) {
    if (update(b, from, way, within, spare[k], threads))
      return mi_pairs_choose(b, from, way, within, threads);
    b->is_known = false;
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
  float grow = read_places(b, position, b->crossed_place, b->crosses_nothing);
  crossing c = {.surface = s, .kernels = mi_box_kernels_best(), .fn = fn, .task = task};
  c.fill = (mi_box_fill){
      tree, s->tri, b->crossed_place, b->crossed_place, b->crosses_nothing, s->tri_offset,
      3,    grow,   b->crossed};
  c.query = (mi_box_query){tree, tree, b->crossed, b->crossed, true, 0, meet_triangles};
  mi_parallel(threads, mi_box_tree_nleaf(tree), LEAVES, fill_leaves, &c);
  mi_box_tree_refit_above(tree, mi_box_tree_nleaf(tree), b->crossed);
  mi_parallel(threads, mi_box_tree_nleaf(tree), BLOCKS, visit_range, &c);
}
