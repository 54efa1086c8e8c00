// The pairs of two groups: listed when their groups may have come too close, measured when they
// may be asked for.
#include "contact/broad.h"

#include <math.h>
#include <string.h>

// -- Listing --------------------------------------------------------------------------------------

enum { MOST_PAIRS = 64 * 64 };

typedef struct found {
  const mi_surface *surface;
  int count;
  mi_pair pair[MOST_PAIRS];
} found;

// Most meetings are of neighbours, which share a vertex: whether a pair counts is added to the
// count, as a branch here would be guessed wrong half of the time.
static bool meet_vt(void *task, int mine, int other, uint64_t hit) {
  found *f = task;
  const mi_surface *s = f->surface;
  const int32_t *vert = s->vert_tree->item + MI_BOX_LANES * (size_t)mine;
  const int32_t *item = s->tri_tree->item + MI_BOX_LANES * (size_t)other;
  for (; hit; hit &= hit - 1) {
    int v = vert[mi_box_mine(hit)], t = item[mi_box_other(hit)];
    const int32_t *tri = s->tri + 3 * (size_t)t;
    bool is_shared = (tri[0] == v) | (tri[1] == v) | (tri[2] == v);
    bool is_rigid =
        (v >= s->nsoft) & (tri[0] >= s->nsoft) & (tri[1] >= s->nsoft) & (tri[2] >= s->nsoft);
    f->pair[f->count] = (mi_pair){v, t};
    f->count += !(is_shared | is_rigid);
  }
  return true;
}

static bool meet_ee(void *task, int mine, int other, uint64_t hit) {
  found *f = task;
  const mi_surface *s = f->surface;
  for (; hit; hit &= hit - 1) {
    // edges are numbered as they come in the tree, so e < g, and their vertices ascend, so the
    // first is the softer one
    int e = MI_BOX_LANES * mine + mi_box_mine(hit), g = MI_BOX_LANES * other + mi_box_other(hit);
    const int32_t *a = s->edge + 2 * (size_t)e, *b = s->edge + 2 * (size_t)g;
    bool is_shared = (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
    bool is_rigid = (a[0] >= s->nsoft) & (b[0] >= s->nsoft);
    f->pair[f->count] = (mi_pair){e, g};
    f->count += !(is_shared | is_rigid);
  }
  return true;
}

// Measures `count` pairs on the way (`to` NULL: where they are) and keeps those within `limit`,
// with their distances if `least` is not NULL. Returns how many.
static int keep_close(const mi_broad *broad, mi_pair *pair, int count, bool is_edges,
                      const float *from, const float *to, float limit, float *least) {
  mi_candidates all = {pair, pair, is_edges ? 0 : count, is_edges ? count : 0, false};
  int kept = 0;
  for (int i = 0; i < count;) {
    mi_pair_batch batch;
    float distance[MI_PAIRS];
    int next = mi_pair_gather(broad->surface, &all, i, count, from, to, &batch);
    if (to)
      broad->kernels->least_on_way(&batch, distance);
    else
      broad->kernels->least_distance(&batch, distance);
    for (int l = 0; i < next; i++, l++) {
      float gap = distance[l] - batch.offset[l];
      if (gap > limit) continue;
      if (least) least[kept] = gap;
      pair[kept++] = pair[i];
    }
  }
  return kept;
}

// Writes the pairs of an entry behind all others. Which entry comes first does not matter.
static void store(mi_broad *broad, mi_entry *e, const found *f, const float *known) {
  int first = atomic_fetch_add(&broad->npair, f->count);
  if (first + f->count > broad->capacity) return; // npair tells
  memcpy(broad->pair + first, f->pair, (size_t)f->count * sizeof *f->pair);
  memcpy(broad->known + first, known, (size_t)f->count * sizeof *known);
  e->first = first;
  e->count = f->count;
  for (int i = 0; i < f->count; i++) e->least = known[i] < e->least ? known[i] : e->least;
}

// Meetings of the boxes of both groups that are within `grow` of each other.
static void find_pairs(const mi_entries *kind, const mi_entry *e, bool is_swept, float grow,
                       found *f) {
  const float *a = is_swept ? kind->a->swept.box : kind->a->here.box;
  const float *b = is_swept ? kind->b->swept.box : kind->b->here.box;
  mi_box_query query = {kind->b->tree, kind->a->tree, b, a, kind->is_edges, grow, meet_vt};
  if (kind->is_edges) query.meet = meet_ee;
  f->count = 0;
  mi_box_kernels_best()->compare(&query, e->a, e->b, f);
}

// Far from the anchor the list is of this place or way alone.
static void list_entry(const mi_listing *l, mi_entry *e) {
  mi_broad *broad = l->broad;
  const mi_entries *kind = l->kind;
  const mi_groups *a = kind->a, *b = kind->b;
  bool is_far = mi_entry_is_far(e, l);
  float known[MOST_PAIRS], limit = is_far ? l->reach : l->reach + e->approach + l->spare;
  e->count = 0;
  e->least = INFINITY;
  e->covered = mi_groups_gap(&a->here, e->a, &b->here, e->b);
  if (e->covered >= limit && !is_far) return;
  e->covered = is_far ? -INFINITY : limit;
  if (is_far && mi_groups_gap(&a->swept, e->a, &b->swept, e->b) > limit) return;
  found f;
  f.surface = broad->surface;
  find_pairs(kind, e, is_far, limit, &f);
  f.count = keep_close(broad, f.pair, f.count, kind->is_edges, is_far ? l->from : broad->at,
                       is_far ? l->to : NULL, limit, known);
  store(broad, e, &f, known);
}

void mi_pairs_list(void *listing, int begin, int end) {
  const mi_listing *l = listing;
  for (int i = begin; i < end; i++)
    if (l->kind->entry[i].count < 0) list_entry(l, l->kind->entry + i);
}

// -- Choosing -------------------------------------------------------------------------------------

typedef struct choosing {
  const mi_listing *query;
  const mi_entries *kind;
} choosing;

enum { ENTRIES = 8 };

static void choose_range(void *task, int begin, int end) {
  const choosing *c = task;
  const mi_listing *q = c->query;
  const mi_broad *broad = q->broad;
  mi_pair *out = broad->chosen + broad->begin[begin];
  int count = 0;
  for (int k = begin; k < end; k++) {
    const mi_entry *e = c->kind->entry + broad->awake[k];
    float limit = q->reach + e->approach;
    for (int i = e->first; i < e->first + e->count; i++) {
      out[count] = broad->pair[i];
      count += !(broad->known[i] > limit);
    }
  }
  broad->nchosen[begin / ENTRIES] =
      keep_close(broad, out, count, c->kind->is_edges, q->from, q->to, q->reach, NULL);
}

// Those of one kind, from `at` on. Returns their end.
static int choose_kind(const mi_listing *query, const mi_entries *kind, int at, int threads) {
  mi_broad *broad = query->broad;
  choosing c = {query, kind};
  int nawake = 0, end = at;
  for (int k = 0; k < kind->count; k++) {
    const mi_entry *e = kind->entry + k;
    if (!(e->least <= query->reach + e->approach)) continue;
    broad->awake[nawake] = k;
    broad->begin[nawake++] = end;
    end += e->count;
  }
  mi_parallel(threads, nawake, ENTRIES, choose_range, &c);
  for (int k = 0; k < nawake; k += ENTRIES) {
    size_t count = (size_t)broad->nchosen[k / ENTRIES];
    memmove(broad->chosen + at, broad->chosen + broad->begin[k], count * sizeof *broad->chosen);
    at += (int)count;
  }
  return at;
}

mi_candidates mi_pairs_choose(const mi_listing *query, int threads) {
  mi_broad *broad = query->broad;
  int nvt = choose_kind(query, broad->kind, 0, threads);
  int all = choose_kind(query, broad->kind + 1, nvt, threads);
  return (mi_candidates){broad->chosen, broad->chosen + nvt, nvt, all - nvt, false};
}
