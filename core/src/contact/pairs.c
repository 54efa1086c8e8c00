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

static float least_of(const float *known, int count) {
  float least = INFINITY;
  for (int i = 0; i < count; i++) least = known[i] < least ? known[i] : least;
  return least;
}

// Writes the pairs of an entry behind all others. Which entry comes first does not matter.
static void store(mi_broad *broad, mi_entry *e, const found *f, const float *known) {
  int first = atomic_fetch_add(&broad->npair, f->count);
  if (first + f->count > broad->capacity) return; // npair tells
  memcpy(broad->pair + first, f->pair, (size_t)f->count * sizeof *f->pair);
  memcpy(broad->known + first, known, (size_t)f->count * sizeof *known);
  e->first = first;
  e->count = f->count;
  e->least = least_of(known, f->count);
}

// A long way asks for far more pairs than any later question: then the list is of this way alone.
static void list_entry(const mi_listing *l, mi_entry *e) {
  mi_broad *broad = l->broad;
  const mi_entries *kind = l->kind;
  float needed = l->reach + e->approach, known[MOST_PAIRS];
  bool is_long = e->approach > l->spare;
  e->count = 0;
  e->used = 0;
  e->least = INFINITY;
  e->covered = mi_groups_gap(kind->a, e->a, kind->b, e->b);
  if (e->covered >= needed + l->spare) return;
  e->covered = needed + l->spare;
  mi_box_query query = {kind->b->tree,
                        kind->a->tree,
                        kind->b->box,
                        kind->a->box,
                        kind->is_edges,
                        e->covered,
                        kind->is_edges ? meet_ee : meet_vt};
  found f;
  f.surface = broad->surface;
  f.count = 0;
  mi_box_kernels_best()->compare(&query, e->a, e->b, &f);
  f.count = keep_close(broad, f.pair, f.count, kind->is_edges, l->from, is_long ? l->to : NULL,
                       is_long ? l->reach : e->covered, known);
  store(broad, e, &f, known);
  if (is_long) e->covered = -1;
}

void mi_pairs_list(void *listing, int begin, int end) {
  const mi_listing *l = listing;
  for (int i = begin; i < end; i++)
    if (l->kind->entry[i].count < 0) list_entry(l, l->kind->entry + i);
}

// -- Choosing -------------------------------------------------------------------------------------

typedef struct choosing {
  mi_broad *broad;
  const mi_entries *kind;
  const float *from, *to;
  float reach;
  const int32_t *awake, *begin; // entries with pairs that may be close; where theirs may go
  int32_t *nchosen;             // of a chunk
} choosing;

enum { ENTRIES = 8 };

// The distances of an entry shrink by as much as it may have come closer; those that may be within
// the reach are measured. Returns how many are, written to `out`.
static int measure_entry(const choosing *c, mi_entry *e, mi_pair *out) {
  const mi_broad *broad = c->broad;
  float *known = broad->known + e->first, distance[MI_PAIRS];
  mi_candidates some = {out, out, 0, 0, false};
  int32_t index[MI_PAIRS];
  int kept = 0, count = 0;
  for (int i = 0; i <= e->count; i++) {
    if (i < e->count) {
      known[i] -= e->used;
      if (known[i] > c->reach) continue;
      index[count] = i;
      out[kept + count++] = broad->pair[e->first + i];
    }
    if (!count || (count < MI_PAIRS && i < e->count)) continue;
    mi_pair_batch batch;
    some.vt = some.ee = out + kept;
    *(c->kind->is_edges ? &some.nee : &some.nvt) = count;
    mi_pair_gather(broad->surface, &some, 0, count, c->from, NULL, &batch);
    broad->kernels->least_distance(&batch, distance);
    int first = kept;
    for (int l = 0; l < count; l++) {
      known[index[l]] = distance[l] - batch.offset[l];
      if (!(known[index[l]] > c->reach)) out[kept++] = out[first + l];
    }
    count = 0;
  }
  e->covered -= e->used;
  e->used = 0;
  e->least = least_of(known, e->count);
  return kept;
}

static void choose_range(void *task, int begin, int end) {
  const choosing *c = task;
  const mi_broad *broad = c->broad;
  mi_pair *out = broad->chosen + c->begin[begin];
  int count = 0;
  for (int k = begin; k < end; k++) {
    mi_entry *e = c->kind->entry + c->awake[k];
    float limit = c->reach + e->used + e->approach;
    if (!c->to) {
      count += measure_entry(c, e, out + count);
      continue;
    }
    for (int i = e->first; i < e->first + e->count; i++) {
      out[count] = broad->pair[i];
      count += !(broad->known[i] > limit);
    }
  }
  if (c->to)
    count = keep_close(broad, out, count, c->kind->is_edges, c->from, c->to, c->reach, NULL);
  c->nchosen[begin / ENTRIES] = count;
}

// Those of one kind, from `at` on. Returns their end.
static int choose_kind(choosing *c, int at, int threads) {
  mi_broad *broad = c->broad;
  int nawake = 0, end = at;
  for (int k = 0; k < c->kind->count; k++) {
    const mi_entry *e = c->kind->entry + k;
    if (!(e->least <= c->reach + e->used + e->approach)) continue;
    broad->awake[nawake] = k;
    broad->begin[nawake++] = end;
    end += e->count;
  }
  mi_parallel(threads, nawake, ENTRIES, choose_range, c);
  for (int k = 0; k < nawake; k += ENTRIES) {
    size_t count = (size_t)broad->nchosen[k / ENTRIES];
    memmove(broad->chosen + at, broad->chosen + broad->begin[k], count * sizeof *broad->chosen);
    at += (int)count;
  }
  return at;
}

mi_candidates mi_pairs_choose(mi_broad *broad, const float *from, const float *to, float reach,
                              int threads) {
  choosing c = {.broad = broad, .from = from, .to = to, .reach = reach};
  c.awake = broad->awake, c.begin = broad->begin, c.nchosen = broad->nchosen;
  c.kind = broad->kind;
  int nvt = choose_kind(&c, 0, threads);
  c.kind = broad->kind + 1;
  int all = choose_kind(&c, nvt, threads);
  return (mi_candidates){broad->chosen, broad->chosen + nvt, nvt, all - nvt, false};
}
