#include "mesh/box_tree.h"

#include "math/kernels.h"

#include <math.h>
#include <stdlib.h>

typedef struct sorter {
  float key;
  int32_t item;
} sorter;

static int by_key(const void *a, const void *b) {
  const sorter *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static int longest_axis(const int32_t *item, int count, const float *centre) {
  float extent[3];
  for (int k = 0; k < 3; k++) {
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
      float at = centre[3 * (size_t)item[i] + (size_t)k];
      if (at < low) low = at;
      if (at > high) high = at;
    }
    extent[k] = high - low;
  }
  int axis = extent[1] > extent[0];
  return extent[2] > extent[axis] ? 2 : axis;
}

// Halves where a block of some level ends, so that every block holds what is close together.
static void order(int32_t *item, int count, const float *centre, sorter *sorted) {
  if (count <= MI_BOX_LANES) return;
  int unit = MI_BOX_LANES;
  while (unit * MI_BOX_LANES < count) unit *= MI_BOX_LANES;
  int left = (count / 2 + unit / 2) / unit * unit;
  if (left == 0) left = unit;
  int axis = longest_axis(item, count, centre);
  for (int i = 0; i < count; i++) {
    float key = centre[3 * (size_t)item[i] + (size_t)axis];
    sorted[i] = (sorter){isfinite(key) ? key : 0, item[i]};
  }
  qsort(sorted, (size_t)count, sizeof *sorted, by_key);
  for (int i = 0; i < count; i++) item[i] = sorted[i].item;
  order(item, left, centre, sorted);
  order(item + left, count - left, centre, sorted);
}

static void lay_out(mi_box_tree *tree) {
  int count = tree->nitem;
  while (tree->nlevel < 2 || count > 1) {
    int blocks = (count + MI_BOX_LANES - 1) / MI_BOX_LANES;
    if (blocks == 0) blocks = 1;
    tree->first[tree->nlevel + 1] = tree->first[tree->nlevel] + blocks;
    tree->nlevel++;
    count = blocks;
  }
  tree->nblock = tree->first[tree->nlevel];
}

static void mark_rigid(mi_box_tree *tree, const unsigned char *is_rigid) {
  int nleaf = mi_box_tree_nleaf(tree);
  for (int b = 0; b < nleaf; b++) {
    tree->is_rigid[b] = 1;
    for (int i = MI_BOX_LANES * b; i < MI_BOX_LANES * (b + 1); i++)
      if (tree->item[i] >= 0 && !is_rigid[tree->item[i]]) tree->is_rigid[b] = 0;
    if (!tree->is_rigid[b]) tree->nsoft = b + 1;
  }
  for (int level = 1; level < tree->nlevel; level++)
    for (int b = tree->first[level]; b < tree->first[level + 1]; b++) {
      int below = tree->first[level - 1] + MI_BOX_LANES * (b - tree->first[level]);
      int end = below + MI_BOX_LANES;
      if (end > tree->first[level]) end = tree->first[level];
      tree->is_rigid[b] = 1;
      for (int c = below; c < end; c++) tree->is_rigid[b] &= tree->is_rigid[c];
    }
}

mi_box_tree *mi_box_tree_create(int nitem, const int32_t *item, const float *centre,
                                const unsigned char *is_rigid, mi_arena *arena) {
  mi_box_tree *tree = MI_PUSH(arena, mi_box_tree, 1);
  if (!tree) return NULL;
  *tree = (mi_box_tree){.nitem = nitem};
  lay_out(tree);
  int nlane = MI_BOX_LANES * mi_box_tree_nleaf(tree);
  tree->item = MI_PUSH(arena, int32_t, nlane);
  tree->is_rigid = MI_PUSH(arena, unsigned char, tree->nblock);
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  sorter *sorted = MI_PUSH(&scratch, sorter, nitem);
  bool is_done = tree->item && tree->is_rigid && sorted;
  if (is_done) {
    int nsoft = 0, at = 0;
    for (int i = 0; i < nitem; i++) nsoft += !is_rigid[item[i]];
    for (int i = 0, rigid = nsoft; i < nitem; i++)
      tree->item[is_rigid[item[i]] ? rigid++ : at++] = item[i];
    for (int i = nitem; i < nlane; i++) tree->item[i] = -1;
    order(tree->item, nsoft, centre, sorted);
    order(tree->item + nsoft, nitem - nsoft, centre, sorted);
    mark_rigid(tree, is_rigid);
  }
  mi_arena_free(&scratch);
  return is_done ? tree : NULL;
}

// the boxes of blocks [begin, end) of a level, counted from its first
static void cover(const mi_box_tree *tree, int level, int begin, int end, float *box) {
  for (int b = begin; b < end; b++) {
    const float *from = mi_box_block(box, tree->first[level] + b);
    float *to = mi_box_block(box, tree->first[level + 1] + b / MI_BOX_LANES) + b % MI_BOX_LANES;
    for (int k = 0; k < 3; k++) {
      float low = INFINITY, high = -INFINITY;
      for (int i = 0; i < MI_BOX_LANES; i++) {
        float l = from[8 * k + i], h = from[8 * (k + 3) + i];
        low = l < low ? l : low;
        high = h > high ? h : high;
      }
      to[8 * k] = low;
      to[8 * (k + 3)] = high;
    }
  }
}

// lanes of a level's last block that cover nothing
static void empty_rest(const mi_box_tree *tree, int level, float *box) {
  int count = tree->first[level + 1] - tree->first[level];
  for (int b = count; b % MI_BOX_LANES; b++) {
    float *to = mi_box_block(box, tree->first[level + 1] + b / MI_BOX_LANES) + b % MI_BOX_LANES;
    for (int k = 0; k < 3; k++) to[8 * k] = INFINITY, to[8 * (k + 3)] = -INFINITY;
  }
}

void mi_box_tree_cover(const mi_box_tree *tree, int begin, int end, float *box) {
  cover(tree, 0, begin, end, box);
}

void mi_box_tree_refit_above(const mi_box_tree *tree, int nleaf, float *box) {
  for (int level = 0, count = nleaf; level + 1 < tree->nlevel; level++) {
    if (level > 0) cover(tree, level, 0, count, box);
    empty_rest(tree, level, box);
    count = (count + MI_BOX_LANES - 1) / MI_BOX_LANES;
  }
}

void mi_box_tree_refit(const mi_box_tree *tree, float *box) {
  mi_box_tree_cover(tree, 0, mi_box_tree_nleaf(tree), box);
  mi_box_tree_refit_above(tree, mi_box_tree_nleaf(tree), box);
}

const mi_box_kernels *mi_box_kernels_best(void) {
#if defined(MI_HAVE_AVX2)
  if (mi_kernels_best() == &mi_kernels_body_avx2) return &mi_box_body_avx2;
#elif defined(MI_HAVE_NEON)
  if (mi_kernels_best() == &mi_kernels_body_neon) return &mi_box_body_neon;
#endif
  return &mi_box_body_scalar;
}
