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

static bool create_boxes(const mi_groups *g, mi_group_boxes *boxes, mi_arena *arena) {
  boxes->box = MI_PUSH(arena, float, (size_t)MI_BOX_FLOATS *(size_t)g->tree->first[2]);
  bool has_room = boxes->box;
  for (int k = 0; k < 3; k++) {
    has_room &= (boxes->low[k] = MI_PUSH(arena, float, g->count)) != NULL;
    has_room &= (boxes->high[k] = MI_PUSH(arena, float, g->count)) != NULL;
  }
  return has_room;
}

static bool create_members(mi_groups *g, int nvert, mi_arena *arena) {
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  int32_t *seen = MI_PUSH(&scratch, int32_t, nvert);
  for (int i = 0; seen && i < g->count; i++)
    g->first[i + 1] = g->first[i] + list_members(g, i, seen, NULL);
  if (seen) {
    memset(seen, 0, (size_t)nvert * sizeof *seen);
    g->member = MI_PUSH(arena, int32_t, g->first[g->count]);
  }
  for (int i = 0; g->member && i < g->count; i++) list_members(g, i, seen, g->member + g->first[i]);
  mi_arena_free(&scratch);
  return g->member;
}

bool mi_groups_create(mi_groups *g, const mi_box_tree *tree, const int32_t *vert, int size,
                      const float *offset, int nvert, mi_arena *arena) {
  *g = (mi_groups){.tree = tree, .vert = vert, .offset = offset, .size = size};
  g->count = (mi_box_tree_nleaf(tree) + MI_BOX_LANES - 1) / MI_BOX_LANES;
  g->nsoft = (tree->nsoft + MI_BOX_LANES - 1) / MI_BOX_LANES;
  g->first = MI_PUSH(arena, int32_t, g->count + 1);
  g->is_wanted = MI_PUSH(arena, unsigned char, g->count);
  for (int end = 0; end < 2; end++) g->way[end] = MI_PUSH(arena, float, 8 * (size_t)g->count);
  return g->first && g->is_wanted && g->way[0] && g->way[1] && create_boxes(g, &g->here, arena) &&
         create_boxes(g, &g->swept, arena) && create_members(g, nvert, arena);
}

// -- Ways -----------------------------------------------------------------------------------------

typedef struct moving {
  const mi_groups *groups;
  const float *displacement;
  float *way;
} moving;

static void move_range(void *task, int begin, int end) {
  const moving *m = task;
  const mi_groups *g = m->groups;
  for (int i = begin; i < end; i++) {
    const float *first = m->displacement + 4 * (size_t)g->member[g->first[i]];
    float low[4], high[4], *way = m->way + 8 * (size_t)i;
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

void mi_groups_move(mi_groups *g, int end, const float *displacement, bool with_rigid,
                    int threads) {
  moving m = {g, displacement, g->way[end]};
  mi_parallel(threads, with_rigid ? g->count : g->nsoft, CHUNK, move_range, &m);
}

// -- Boxes ----------------------------------------------------------------------------------------

typedef struct filling {
  const mi_groups *groups;
  const mi_group_boxes *boxes;
  mi_box_fill fill;
  const unsigned char *is_wanted;
} filling;

// Lanes behind the last leaf cover nothing.
static void empty_rest(const mi_groups *g, const mi_group_boxes *boxes, int last) {
  int number = g->tree->first[1] + (last - 1) / MI_BOX_LANES;
  float *block = mi_box_block(boxes->box, number);
  for (int lane = last; lane % MI_BOX_LANES; lane++)
    for (int k = 0; k < 3; k++) {
      block[8 * k + lane % MI_BOX_LANES] = INFINITY;
      block[8 * (k + 3) + lane % MI_BOX_LANES] = -INFINITY;
    }
}

// The box of a group covers those of its leaves.
static void cover(const mi_groups *g, const mi_group_boxes *boxes, int group) {
  const float *leaves = mi_box_block(boxes->box, g->tree->first[1] + group);
  for (int k = 0; k < 3; k++) {
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < MI_BOX_LANES; i++) {
      float l = leaves[8 * k + i], h = leaves[8 * (k + 3) + i];
      low = l < low ? l : low;
      high = h > high ? h : high;
    }
    boxes->low[k][group] = low;
    boxes->high[k][group] = high;
  }
}

static void fill_range(void *task, int begin, int end) {
  const filling *f = task;
  const mi_groups *g = f->groups;
  int nleaf = mi_box_tree_nleaf(g->tree);
  for (int i = begin; i < end; i++) {
    int last = MI_BOX_LANES * (i + 1) < nleaf ? MI_BOX_LANES * (i + 1) : nleaf;
    if (f->is_wanted && !f->is_wanted[i]) continue;
    mi_box_kernels_best()->fill(&f->fill, MI_BOX_LANES * i, last);
    mi_box_tree_cover(g->tree, MI_BOX_LANES * i, last, f->boxes->box);
    empty_rest(g, f->boxes, last);
    cover(g, f->boxes, i);
  }
}

void mi_groups_fill(const mi_groups *g, const mi_group_boxes *boxes, const mi_vert_boxes *v,
                    const unsigned char *is_wanted, int threads) {
  mi_box_fill fill = {g->tree,   g->vert, v->low,  v->high,   v->is_bad,
                      g->offset, g->size, v->grow, boxes->box};
  filling f = {g, boxes, fill, is_wanted};
  mi_parallel(threads, g->count, CHUNK, fill_range, &f);
}

// Square of the distance of two boxes along an axis; of an empty one INFINITY.
static inline float along_axis(float low, float high, float other_low, float other_high) {
  float one = other_low - high, other = low - other_high, gap = one > other ? one : other;
  gap = 0.5f * (gap + fabsf(gap)); // no branch, so that loops are vectorised
  return gap * gap;
}

void mi_groups_gaps(const mi_group_boxes *a, int group, const mi_group_boxes *b, int begin, int end,
                    float *restrict square) {
  const float *low_x = b->low[0], *low_y = b->low[1], *low_z = b->low[2];
  const float *high_x = b->high[0], *high_y = b->high[1], *high_z = b->high[2];
  float low[3], high[3];
  for (int k = 0; k < 3; k++) low[k] = a->low[k][group], high[k] = a->high[k][group];
  for (int i = begin; i < end; i++)
    square[i] = along_axis(low[0], high[0], low_x[i], high_x[i]) +
                along_axis(low[1], high[1], low_y[i], high_y[i]) +
                along_axis(low[2], high[2], low_z[i], high_z[i]);
}

float mi_groups_gap(const mi_group_boxes *a, int first, const mi_group_boxes *b, int second) {
  float sum = 0;
  for (int k = 0; k < 3; k++)
    sum += along_axis(a->low[k][first], a->high[k][first], b->low[k][second], b->high[k][second]);
  return 0.99999f * sqrtf(sum);
}
