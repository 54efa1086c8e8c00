#include "contact/groups.h"

#include <math.h>
#include <string.h>

enum { ITEMS = MI_BOX_LANES * MI_BOX_LANES, CHUNK = 16 };

// -- Members --------------------------------------------------------------------------------------

// The vertices of a group, each once, to `member` if that is not NULL. Returns how many.
static int list_members(const mi_groups *g, int group, int32_t *seen, int32_t *member) {
  int count = 0, nlane = MI_BOX_LANES * mi_box_tree_nleaf(g->tree);
  for (int i = ITEMS * group; i < ITEMS * (group + 1) && i < nlane; i++) {
    int item = g->tree->item[i];
    for (int c = 0; c < g->size && item >= 0; c++) {
      int vert = g->vert ? g->vert[g->size * item + c] : item;
      if (seen[vert] == group + 1) continue;
      seen[vert] = group + 1;
      if (member) member[count] = vert;
      count++;
    }
  }
  return count;
}

bool mi_groups_create(mi_groups *g, const mi_box_tree *tree, const int32_t *vert, int size,
                      const float *offset, int nvert, mi_arena *arena) {
  *g = (mi_groups){.tree = tree, .vert = vert, .offset = offset, .size = size};
  g->count = (mi_box_tree_nleaf(tree) + MI_BOX_LANES - 1) / MI_BOX_LANES;
  g->nsoft = (tree->nsoft + MI_BOX_LANES - 1) / MI_BOX_LANES;
  size_t count = (size_t)g->count;
  g->first = MI_PUSH(arena, int32_t, count + 1);
  g->box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS *(size_t)tree->nblock);
  g->is_current = MI_PUSH(arena, unsigned char, count);
  g->is_wanted = MI_PUSH(arena, unsigned char, count);
  g->way = MI_PUSH(arena, float, 8 * count);
  g->around = MI_PUSH(arena, float, 8 * count);
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  int32_t *seen = MI_PUSH(&scratch, int32_t, nvert);
  bool is_done = g->first && g->box && g->is_current && g->is_wanted && g->way && g->around && seen;
  for (int i = 0; is_done && i < g->count; i++)
    g->first[i + 1] = g->first[i] + list_members(g, i, seen, NULL);
  if (is_done) {
    memset(seen, 0, (size_t)nvert * sizeof *seen);
    g->member = MI_PUSH(arena, int32_t, g->first[g->count]);
    is_done = g->member != NULL;
  }
  for (int i = 0; is_done && i < g->count; i++) list_members(g, i, seen, g->member + g->first[i]);
  mi_arena_free(&scratch);
  return is_done;
}

// -- Ways -----------------------------------------------------------------------------------------

typedef struct moving {
  mi_groups *groups;
  const float *displacement;
} moving;

static void move_range(void *task, int begin, int end) {
  const moving *m = task;
  const mi_groups *g = m->groups;
  for (int i = begin; i < end; i++) {
    const float *first = m->displacement + 4 * (size_t)g->member[g->first[i]];
    float low[4], high[4], *way = g->way + 8 * (size_t)i;
    memcpy(low, first, sizeof low);
    memcpy(high, first, sizeof high);
    for (int j = g->first[i] + 1; j < g->first[i + 1]; j++) {
      const float *by = m->displacement + 4 * (size_t)g->member[j];
      for (int k = 0; k < 4; k++) low[k] = by[k] < low[k] ? by[k] : low[k];
      for (int k = 0; k < 4; k++) high[k] = by[k] > high[k] ? by[k] : high[k];
    }
    memcpy(way, low, sizeof low);
    memcpy(way + 4, high, sizeof high);
  }
}

void mi_groups_move(mi_groups *g, const float *displacement, bool with_rigid, int threads) {
  moving m = {g, displacement};
  mi_parallel(threads, with_rigid ? g->count : g->nsoft, CHUNK, move_range, &m);
  if (!with_rigid && g->has_moved)
    memset(g->way + 8 * (size_t)g->nsoft, 0, 8 * (size_t)(g->count - g->nsoft) * sizeof *g->way);
  g->has_moved = with_rigid;
}

void mi_groups_leave(mi_groups *g) {
  for (int i = 0; i < g->count; i++) {
    const float *way = mi_groups_way(g, i);
    for (int k = 0; k < 8; k++) g->is_current[i] &= way[k] == 0;
  }
}

// -- Boxes ----------------------------------------------------------------------------------------

typedef struct filling {
  mi_groups *groups;
  mi_box_fill fill;
  const mi_box_kernels *kernels;
  bool all;
} filling;

// Lanes behind the last leaf cover nothing.
static void empty_rest(mi_groups *g, int last) {
  float *block = g->box + MI_BOX_FLOATS * (size_t)(g->tree->first[1] + (last - 1) / MI_BOX_LANES);
  for (int lane = last; lane % MI_BOX_LANES; lane++)
    for (int k = 0; k < 3; k++) {
      block[8 * k + lane % MI_BOX_LANES] = INFINITY;
      block[8 * (k + 3) + lane % MI_BOX_LANES] = -INFINITY;
    }
}

// The box of a group covers those of its leaves.
static void cover(mi_groups *g, int group) {
  const float *leaves = g->box + MI_BOX_FLOATS * (size_t)(g->tree->first[1] + group);
  int nleaf = mi_box_tree_nleaf(g->tree) - MI_BOX_LANES * group;
  float *around = g->around + 8 * (size_t)group;
  for (int k = 0; k < 3; k++) {
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < MI_BOX_LANES && i < nleaf; i++) {
      float l = leaves[8 * k + i], h = leaves[8 * (k + 3) + i];
      low = l < low ? l : low;
      high = h > high ? h : high;
    }
    around[k] = low;
    around[4 + k] = high;
  }
}

static void fill_range(void *task, int begin, int end) {
  const filling *f = task;
  mi_groups *g = f->groups;
  int nleaf = mi_box_tree_nleaf(g->tree);
  for (int i = begin; i < end; i++) {
    int last = MI_BOX_LANES * (i + 1) < nleaf ? MI_BOX_LANES * (i + 1) : nleaf;
    if (g->is_current[i] || !(f->all || g->is_wanted[i])) continue;
    f->kernels->fill(&f->fill, MI_BOX_LANES * i, last);
    mi_box_tree_cover(g->tree, MI_BOX_LANES * i, last, g->box);
    empty_rest(g, last);
    cover(g, i);
    g->is_current[i] = 1;
  }
}

void mi_groups_fill(mi_groups *g, const float *place, const unsigned char *is_bad, float grow,
                    bool all, int threads) {
  mi_box_fill fill = {g->tree, g->vert, place, place, is_bad, g->offset, g->size, grow, g->box};
  filling f = {g, fill, mi_box_kernels_best(), all};
  mi_parallel(threads, g->count, CHUNK, fill_range, &f);
}

float mi_groups_gap(const mi_groups *a, int first, const mi_groups *b, int second) {
  const float *p = a->around + 8 * (size_t)first, *q = b->around + 8 * (size_t)second;
  float sum = 0;
  for (int k = 0; k < 3; k++) {
    float one = q[k] - p[4 + k], other = p[k] - q[4 + k], gap = one > other ? one : other;
    if (p[k] > p[4 + k] || q[k] > q[4 + k]) return INFINITY;
    sum += gap > 0 ? gap * gap : 0;
  }
  return 0.99999f * sqrtf(sum);
}
