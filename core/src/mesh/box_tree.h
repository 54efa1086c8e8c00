// Boxes over boxes, eight at a time.
//
// Items are put into an order in which neighbours are close, once. Level 0 is their boxes in blocks
// of eight; box b of level k + 1 covers block b of level k, up to a level of one block. The order
// (mi_box_tree) never changes; the boxes are an array of their own, filled anew for every question.
#ifndef MI_BOX_TREE_H
#define MI_BOX_TREE_H

#include "base/base.h"

enum { MI_BOX_LANES = 8, MI_BOX_LEVELS = 12, MI_BOX_FLOATS = 6 * MI_BOX_LANES };

typedef struct mi_box_tree {
  int nitem, nlevel, nblock;
  int nsoft;                    // leaves up to the last with an item that is not rigid
  int first[MI_BOX_LEVELS + 1]; // block of a level
  int32_t *item;                // -1 = an empty lane                     (8 x blocks of level 0)
  unsigned char *is_rigid;      // every item below is                                  (nblock)
} mi_box_tree;

// `item` lists what the tree is over (copied), `centre` is three floats for each id in it; those
// with is_rigid[id] come last. NULL when memory ends.
mi_box_tree *mi_box_tree_create(int nitem, const int32_t *item, const float *centre,
                                const unsigned char *is_rigid, mi_arena *arena);
static inline int mi_box_tree_nleaf(const mi_box_tree *tree) {
  return tree->first[1];
}

// Block k: low x of eight boxes, low y, low z, high x, high y, high z. An empty box has low =
// INFINITY, high = -INFINITY, and meets nothing.
static inline float *mi_box_block(float *box, int block) {
  return box + (size_t)MI_BOX_FLOATS * (size_t)block;
}
// Boxes of all levels above 0 from those of level 0; or of level 1 alone and of leaves [begin, end)
// alone, which begin with a multiple of eight, and of all levels above that, where the first
// `nleaf` leaves have changed.
void mi_box_tree_refit(const mi_box_tree *tree, float *box);
void mi_box_tree_cover(const mi_box_tree *tree, int begin, int end, float *box);
void mi_box_tree_refit_above(const mi_box_tree *tree, int nleaf, float *box);

// -- Who meets whom -------------------------------------------------------------------------------

typedef struct mi_box_query {
  const mi_box_tree *tree, *asking;
  const float *box, *asking_box;
  bool is_self; // one tree with itself: each pair of items once, none with itself
  float grow;   // boxes that are so far apart along an axis meet
  // Bit 8 i + j of `hit`: item i of block `mine` of `asking` meets item j of `other` of `tree`.
  // False: enough.
  bool (*meet)(void *task, int mine, int other, uint64_t hit);
} mi_box_query;
// Both are of the lowest bit of `hit`, which is not 0.
static inline int mi_box_mine(uint64_t hit) {
  return __builtin_ctzll(hit) / MI_BOX_LANES;
}
static inline int mi_box_other(uint64_t hit) {
  return __builtin_ctzll(hit) % MI_BOX_LANES;
}

// The boxes of level 0 are made of `size` rows for each item, and grow.
typedef struct mi_box_fill {
  const mi_box_tree *tree;
  const int32_t *vert;     // rows of items; NULL = an item is its row              (item x size)
  const float *low, *high; // box of a row                                          (row x 4)
  const unsigned char *is_bad; // an item with such a row is an empty box; NULL = none  (row)
  const float *offset;         // by which boxes grow besides                           (item)
  int size;                    // 1 to 3
  float grow;
  float *box;
} mi_box_fill;

typedef struct mi_box_kernels {
  void (*fill)(const mi_box_fill *fill, int begin, int end); // blocks of level 0
  // All meetings of blocks [begin, end) of level 0 of `asking`, eight at once as far as they are
  // below one block; pairs that are rigid on both sides are left out as far as blocks tell. False
  // when `meet` had enough.
  bool (*walk)(const mi_box_query *query, int begin, int end, void *task);
  // The meetings of what is below block `mine` of level 1 of `asking` and block `other` of `tree`.
  bool (*compare)(const mi_box_query *query, int mine, int other, void *task);
} mi_box_kernels;
const mi_box_kernels *mi_box_kernels_best(void);
extern const mi_box_kernels mi_box_body_scalar, mi_box_body_avx2, mi_box_body_neon;

#endif
