// Candidates: boxes around vertices, triangles and edges, grown by half the reach and their offset,
// and the pairs of them that meet.
#include "contact/box_tree.h"
#include "contact/contact.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { CHUNK = 16, SEGMENT = 256 }; // blocks to a task; pairs to a piece of the pool

// Pairs found by several threads: each chunk fills pieces of one pool, and the pieces are put
// together in the order of chunks.
typedef struct list {
  mi_pair *pair;
  int count, capacity;
  mi_pair *pool;         // (ncomponent x SEGMENT)
  int32_t *next;         // piece after this one                            (ncomponent)
  int32_t *first, *size; // piece and pairs of a chunk                   (nchunk)
  int ncomponent, nchunk;
} list;

// Boxes of a tree. Colliders are most of what there is to meet and hardly move between two
// searches: their leaves are filled anew only when they did.
typedef struct boxes {
  float *box;
  int rigid;  // mi_broad.rigid when the leaves of colliders were filled
  float grow; // by which they had grown then, m
} boxes;

struct mi_broad {
  const mi_surface *surface;
  boxes vert, tri, edge, crossed; // crossed: triangles where they are, without a reach
  int rigid;                      // counts the changes of low, high and is_bad of colliders
  unsigned char *is_bad;          // a vertex that is not finite, or left out      (nvert)
  const bool *is_out;             // contact mask of the caller; NULL = none         (nvert)
  list vt, ee;
  int nbad;
  float *low, *high; // box of a vertex's way, in the last search         (nvert x 4)
};

static bool create_list(list *l, int capacity, const mi_box_tree *asking, mi_arena *arena) {
  l->capacity = capacity;
  l->nchunk = (mi_box_tree_nleaf(asking) + CHUNK - 1) / CHUNK;
  l->ncomponent = capacity / SEGMENT + l->nchunk + 1;
  l->pair = MI_PUSH(arena, mi_pair, capacity);
  l->pool = MI_PUSH_RAW(arena, mi_pair, (size_t)l->ncomponent * SEGMENT);
  l->next = MI_PUSH(arena, int32_t, l->ncomponent);
  l->first = MI_PUSH(arena, int32_t, l->nchunk);
  l->size = MI_PUSH(arena, int32_t, l->nchunk);
  return l->pair && l->pool && l->next && l->first && l->size;
}

mi_broad *mi_broad_create(const mi_surface *surface, int most_vt, int most_ee, mi_arena *arena) {
  mi_broad *broad = MI_PUSH(arena, mi_broad, 1);
  if (!broad) return NULL;
  broad->surface = surface;
  broad->vert.box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS * surface->vert_tree->nblock);
  broad->tri.box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS * surface->tri_tree->nblock);
  broad->edge.box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS * surface->edge_tree->nblock);
  broad->crossed.box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS * surface->tri_tree->nblock);
  broad->rigid = 1; // nothing was filled yet
  broad->is_bad = MI_PUSH(arena, unsigned char, surface->nvert);
  broad->low = MI_PUSH(arena, float, 4 * (size_t)surface->nvert);
  broad->high = MI_PUSH(arena, float, 4 * (size_t)surface->nvert);
  if (!most_vt) most_vt = 8 * surface->nvert + 4096;
  if (!most_ee) most_ee = 24 * surface->nvert + 4096;
  bool is_done = broad->vert.box && broad->tri.box && broad->edge.box && broad->crossed.box &&
                 broad->is_bad && broad->low && broad->high &&
                 create_list(&broad->vt, most_vt, surface->vert_tree, arena) &&
                 create_list(&broad->ee, most_ee, surface->edge_tree, arena);
  return is_done ? broad : NULL;
}

void mi_broad_leave_out(mi_broad *broad, const bool *is_out) {
  broad->is_out = is_out;
}

// -- Boxes ----------------------------------------------------------------------------------------

typedef struct filling {
  mi_box_fill fill;
  const mi_box_kernels *kernels;
} filling;

static void fill_leaves(void *task, int begin, int end) {
  const filling *f = task;
  f->kernels->fill(&f->fill, begin, end);
  mi_box_tree_cover(f->fill.tree, begin, end, f->fill.box);
}

static void fill_boxes(const mi_broad *broad, boxes *b, mi_box_fill fill, int threads) {
  enum { LEAVES = 64 };
  fill.low = broad->low;
  fill.high = broad->high;
  fill.is_bad = broad->nbad ? broad->is_bad : NULL;
  fill.box = b->box;
  filling f = {fill, mi_box_kernels_best()};
  bool is_kept = b->rigid == broad->rigid && b->grow == fill.grow;
  int nleaf = is_kept ? fill.tree->nsoft : mi_box_tree_nleaf(fill.tree);
  mi_parallel(threads, nleaf, LEAVES, fill_leaves, &f);
  mi_box_tree_refit_above(fill.tree, nleaf, fill.box);
  b->rigid = broad->rigid;
  b->grow = fill.grow;
}

typedef struct examining {
  mi_broad *broad;
  const float *from, *to;
  atomic_int nbad, nmoved; // colliders' vertices that moved
  _Atomic uint32_t most;   // bits of a float that is not negative: they are in the order of numbers
} examining;

static void examine_range(void *task, int begin, int end) {
  examining *e = task;
  mi_broad *broad = e->broad;
  float most = 0;
  int nbad = 0, nmoved = 0;
  for (size_t v = (size_t)begin; v < (size_t)end; v++) {
    float largest = 0, sum = 0;
    bool is_same = true;
    for (size_t k = 0; k < 3; k++) {
      float a = e->from[3 * v + k], b = e->to[3 * v + k];
      float low = a < b ? a : b, high = a < b ? b : a;
      is_same &= (broad->low[4 * v + k] == low) & (broad->high[4 * v + k] == high);
      broad->low[4 * v + k] = low;
      broad->high[4 * v + k] = high;
      a = fabsf(a), b = fabsf(b);
      sum += a + b; // a NaN stays
      float larger = a > b ? a : b;
      largest = larger > largest ? larger : largest;
    }
    unsigned char is_bad = !(sum < 1e18f) || (broad->is_out && broad->is_out[v]);
    is_same &= broad->is_bad[v] == is_bad;
    nmoved += !is_same & (v >= (size_t)broad->surface->nsoft);
    broad->is_bad[v] = is_bad;
    nbad += is_bad;
    if (!is_bad && largest > most) most = largest;
  }
  uint32_t bits, seen = atomic_load(&e->most);
  memcpy(&bits, &most, sizeof bits);
  while (bits > seen && !atomic_compare_exchange_weak(&e->most, &seen, bits)) {
  }
  atomic_fetch_add(&e->nbad, nbad);
  atomic_fetch_add(&e->nmoved, nmoved);
}

// Boxes of the vertices' ways; vertices that are not finite or absurd are marked. Returns how much
// boxes have to grow: half the reach, and a little more, so that rounding loses no pair.
static float examine(mi_broad *broad, const float *from, const float *to, double reach,
                     int threads) {
  examining e = {.broad = broad, .from = from, .to = to};
  mi_parallel(threads, broad->surface->nvert, 1024, examine_range, &e);
  broad->nbad = atomic_load(&e.nbad);
  broad->rigid += atomic_load(&e.nmoved) > 0;
  // rounded up to a power of two, so that boxes grow by the same wherever soft vertices go
  uint32_t bits = (atomic_load(&e.most) + 0x7fffffu) & 0x7f800000u;
  float most;
  memcpy(&most, &bits, sizeof most);
  return (float)(0.5 * reach * (1 + 1e-6)) + 4e-7f * most;
}

static void fit_triangles(const mi_broad *broad, boxes *b, float grow, int threads) {
  const mi_surface *s = broad->surface;
  mi_box_fill fill = {.tree = s->tri_tree, .vert = s->tri, .offset = s->tri_offset, .size = 3};
  fill.grow = grow;
  fill_boxes(broad, b, fill, threads);
}

static void fit(mi_broad *broad, const float *from, const float *to, double reach, int threads) {
  const mi_surface *s = broad->surface;
  float grow = examine(broad, from, to, reach, threads);
  mi_box_fill vert = {.tree = s->vert_tree, .offset = s->vert_offset, .size = 1, .grow = grow};
  mi_box_fill edge = {.tree = s->edge_tree, .vert = s->edge, .offset = s->edge_offset, .size = 2};
  edge.grow = grow;
  fill_boxes(broad, &broad->vert, vert, threads);
  fit_triangles(broad, &broad->tri, grow, threads);
  fill_boxes(broad, &broad->edge, edge, threads);
}

// -- Pairs ----------------------------------------------------------------------------------------

typedef struct search {
  const mi_surface *surface;
  mi_box_query query;
  const mi_box_kernels *kernels;
  list *list;
  atomic_int next_piece, is_full;
} search;

typedef struct chunk { // of one task, or all of it in order
  search *search;
  bool is_direct;
  int number, component, count;
} chunk;

// The place for the next pairs of a chunk, and room for how many of them; 0 when the pool ends.
static int make_room(chunk *c, mi_pair **to) {
  list *l = c->search->list;
  int at = c->count % SEGMENT;
  if (at == 0) {
    int component = atomic_fetch_add(&c->search->next_piece, 1);
    if (component >= l->ncomponent) return 0;
    *(c->count ? l->next + c->component : l->first + c->number) = component;
    c->component = component;
  }
  *to = l->pool + (size_t)SEGMENT * (size_t)c->component + at;
  return SEGMENT - at;
}

// Adds pairs; false when there is no room for all of them.
static bool add_all(chunk *c, const mi_pair *pair, int count) {
  list *l = c->search->list;
  for (int fits; !c->is_direct; count -= fits, pair += fits) {
    mi_pair *to;
    if (!count) return true;
    int room = make_room(c, &to);
    if (!room) return false;
    fits = count < room ? count : room;
    memcpy(to, pair, (size_t)fits * sizeof *pair);
    c->count += fits;
  }
  int room = l->capacity - l->count, fits = count < room ? count : room;
  memcpy(l->pair + l->count, pair, (size_t)fits * sizeof *pair);
  l->count += fits;
  return fits == count;
}

// Most meetings are of neighbours, which share a vertex: whether a pair counts is added to the
// count, as a branch here would be guessed wrong half of the time.
static bool meet_vt(void *task, int mine, int other, uint64_t hit) {
  chunk *c = task;
  const mi_surface *s = c->search->surface;
  const int32_t *vert = s->vert_tree->item + MI_BOX_LANES * (size_t)mine;
  const int32_t *item = s->tri_tree->item + MI_BOX_LANES * (size_t)other;
  mi_pair found[MI_BOX_LANES * MI_BOX_LANES];
  int count = 0;
  for (; hit; hit &= hit - 1) {
    int v = vert[mi_box_mine(hit)], t = item[mi_box_other(hit)];
    const int32_t *tri = s->tri + 3 * (size_t)t;
    bool is_shared = (tri[0] == v) | (tri[1] == v) | (tri[2] == v);
    bool is_rigid =
        (v >= s->nsoft) & (tri[0] >= s->nsoft) & (tri[1] >= s->nsoft) & (tri[2] >= s->nsoft);
    found[count] = (mi_pair){v, t};
    count += !(is_shared | is_rigid);
  }
  return add_all(c, found, count);
}

static bool meet_ee(void *task, int mine, int other, uint64_t hit) {
  chunk *c = task;
  const mi_surface *s = c->search->surface;
  mi_pair found[MI_BOX_LANES * MI_BOX_LANES];
  int count = 0;
  for (; hit; hit &= hit - 1) {
    // edges are numbered as they come in the tree, so e < f, and their vertices ascend, so the
    // first is the softer one
    int e = MI_BOX_LANES * mine + mi_box_mine(hit), f = MI_BOX_LANES * other + mi_box_other(hit);
    const int32_t *a = s->edge + 2 * (size_t)e, *b = s->edge + 2 * (size_t)f;
    bool is_shared = (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
    bool is_rigid = (a[0] >= s->nsoft) & (b[0] >= s->nsoft);
    found[count] = (mi_pair){e, f};
    count += !(is_shared | is_rigid);
  }
  return add_all(c, found, count);
}

static void search_chunk(void *task, int begin, int end) {
  search *s = task;
  chunk c = {.search = s, .number = begin / CHUNK};
  bool has_room = !atomic_load(&s->is_full);
  has_room = has_room && s->kernels->walk(&s->query, begin, end, &c);
  s->list->size[c.number] = c.count;
  if (!has_room) atomic_store(&s->is_full, 1);
}

// Copies the pieces of all chunks in order. False when they do not fit.
static bool gather(list *l) {
  int64_t total = 0;
  for (int c = 0; c < l->nchunk; c++) total += l->size[c];
  if (total > l->capacity) return false;
  l->count = 0;
  for (int c = 0; c < l->nchunk; c++) {
    int component = l->first[c];
    for (int left = l->size[c]; left > 0; left -= SEGMENT, component = l->next[component]) {
      int count = left < SEGMENT ? left : SEGMENT;
      memcpy(l->pair + l->count, l->pool + (size_t)SEGMENT * (size_t)component,
             (size_t)count * sizeof *l->pair);
      l->count += count;
    }
  }
  return true;
}

// Everything in order on this thread; what does not fit is left out. True when all fitted.
static bool search_in_order(search *s) {
  chunk c = {.search = s, .is_direct = true};
  s->list->count = 0;
  return s->kernels->walk(&s->query, 0, mi_box_tree_nleaf(s->query.asking), &c);
}

static bool run(search *s, int threads) {
  s->kernels = mi_box_kernels_best();
  if (threads > 1) {
    mi_parallel(threads, mi_box_tree_nleaf(s->query.asking), CHUNK, search_chunk, s);
    if (!s->is_full && gather(s->list)) return true;
  }
  // too many: who comes first must not depend on threads
  return search_in_order(s);
}

mi_candidates mi_broad_find(mi_broad *broad, const float *from, const float *to, double reach,
                            int threads) {
  const mi_surface *s = broad->surface;
  fit(broad, from, to ? to : from, reach, threads);
  search vt = {s,
               {s->tri_tree, s->vert_tree, broad->tri.box, broad->vert.box, false, meet_vt},
               .list = &broad->vt};
  search ee = {s,
               {s->edge_tree, s->edge_tree, broad->edge.box, broad->edge.box, true, meet_ee},
               .list = &broad->ee};
  bool is_full = !run(&vt, threads);
  is_full |= !run(&ee, threads);
  return (mi_candidates){broad->vt.pair, broad->ee.pair, broad->vt.count, broad->ee.count, is_full};
}

typedef struct visit {
  const mi_surface *surface;
  mi_box_query query;
  const mi_box_kernels *kernels;
  void (*fn)(void *task, int a, int b);
  void *task;
} visit;

static bool meet_triangles(void *task, int mine, int other, uint64_t hit) {
  const visit *v = task;
  const mi_surface *s = v->surface;
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
  for (int k = 0; k < count; k++) v->fn(v->task, found[k].a, found[k].b);
  return true;
}

static void visit_chunk(void *task, int begin, int end) {
  visit *v = task;
  v->kernels->walk(&v->query, begin, end, v);
}

void mi_broad_triangles(mi_broad *broad, const float *position, int threads,
                        void (*fn)(void *task, int a, int b), void *task) {
  fit_triangles(broad, &broad->crossed, examine(broad, position, position, 0, threads), threads);
  const mi_box_tree *tree = broad->surface->tri_tree;
  visit v = {broad->surface,
             {tree, tree, broad->crossed.box, broad->crossed.box, true, meet_triangles},
             mi_box_kernels_best(),
             fn,
             task};
  mi_parallel(threads, mi_box_tree_nleaf(tree), CHUNK, visit_chunk, &v);
}

int mi_broad_most(const mi_broad *broad) {
  return broad->vt.capacity + broad->ee.capacity;
}
