// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt. Nothing is computed
// here that could be rounded in two ways, so all bodies find the same.
#include "mesh/box_tree.h"

#include "math/wide_rows.h"

#include <math.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_box_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_box_body_neon
#else
#define BODY_TABLE mi_box_body_scalar
#endif

static void empty_lanes(float *block, unsigned lanes) {
  for (; lanes; lanes &= lanes - 1)
    for (int k = 0; k < 3; k++) {
      block[8 * k + __builtin_ctz(lanes)] = INFINITY;
      block[8 * (k + 3) + __builtin_ctz(lanes)] = -INFINITY;
    }
}

// The rows of a block's items, and by how much they grow. Lanes without an item have those of the
// first one; returns which are empty.
static inline unsigned find_rows(const mi_box_fill *f, const int32_t *item, int32_t row[3][8],
                                 float grow[8]) {
  unsigned empty = 0;
  for (int lane = 0; lane < MI_BOX_LANES; lane++) {
    bool is_empty = item[lane] < 0;
    int id = is_empty ? item[0] : item[lane];
    for (int c = 0; c < f->size; c++) {
      row[c][lane] = f->vert ? f->vert[f->size * id + c] : id;
      is_empty |= f->is_bad && f->is_bad[row[c][lane]];
    }
    grow[lane] = f->grow + f->offset[id];
    empty |= (unsigned)is_empty << lane;
  }
  return empty;
}

static void fill(const mi_box_fill *f, int begin, int end) {
  for (int b = begin; b < end; b++) {
    const int32_t *item = f->tree->item + MI_BOX_LANES * (size_t)b;
    float *block = mi_box_block(f->box, b), lane[8];
    int32_t row[3][8];
    if (item[0] < 0) { // there is nothing at all
      empty_lanes(block, 255);
      continue;
    }
    unsigned empty = find_rows(f, item, row, lane);
    mi_wide3 low = mi_wgather(f->low, row[0]), high = mi_wgather(f->high, row[0]);
    for (int c = 1; c < f->size; c++) {
      mi_wide3 l = mi_wgather(f->low, row[c]), h = mi_wgather(f->high, row[c]);
      low = (mi_wide3){mi_wmin(l.x, low.x), mi_wmin(l.y, low.y), mi_wmin(l.z, low.z)};
      high = (mi_wide3){mi_wmax(h.x, high.x), mi_wmax(h.y, high.y), mi_wmax(h.z, high.z)};
    }
    mi_wide grow = mi_wload(lane);
    mi_wstore(block, mi_wsub(low.x, grow));
    mi_wstore(block + 8, mi_wsub(low.y, grow));
    mi_wstore(block + 16, mi_wsub(low.z, grow));
    mi_wstore(block + 24, mi_wadd(high.x, grow));
    mi_wstore(block + 32, mi_wadd(high.y, grow));
    mi_wstore(block + 40, mi_wadd(high.z, grow));
    empty_lanes(block, empty);
  }
}

typedef struct single {
  mi_wide low[3], high[3]; // one box in all lanes
} single;

static inline single spread(const float *block, int lane, float grow) {
  single s;
  for (int k = 0; k < 3; k++) {
    s.low[k] = mi_wset(block[8 * k + lane] - grow);
    s.high[k] = mi_wset(block[8 * (k + 3) + lane] + grow);
  }
  return s;
}

// bit j: box j of the block meets the box; empty boxes meet nothing
static inline unsigned meets(const single *s, const float *block) {
  mi_wmask separated = mi_wless(s->high[0], mi_wload(block));
  separated = mi_wmask_or(separated, mi_wless(mi_wload(block + 24), s->low[0]));
  for (int k = 1; k < 3; k++) {
    separated = mi_wmask_or(separated, mi_wless(s->high[k], mi_wload(block + 8 * k)));
    separated = mi_wmask_or(separated, mi_wless(mi_wload(block + 8 * (k + 3)), s->low[k]));
  }
  return ~mi_wmask_bits(separated) & 255u;
}

static int lowest_bit(unsigned bits) {
  return __builtin_ctz(bits);
}

// `around`: the box of the other leaf, which most of these items are away from.
static bool compare_leaves(const mi_box_query *q, int mine, int other, const single *around,
                           void *task) {
  const float *own = q->asking_box + MI_BOX_FLOATS * (size_t)mine;
  const float *block = q->box + MI_BOX_FLOATS * (size_t)other;
  uint64_t hit = 0;
  bool is_same = q->is_self && mine == other;
  for (unsigned near = meets(around, own); near; near &= near - 1) {
    int i = lowest_bit(near);
    single asking = spread(own, i, q->grow);
    unsigned bits = meets(&asking, block);
    if (is_same) bits &= ~0u << (i + 1); // only those after it
    hit |= (uint64_t)(bits & 255u) << MI_BOX_LANES * i;
  }
  return !hit || q->meet(task, mine, other, hit);
}

// A leaf against those of a block of level 1 whose boxes meet its own.
static bool compare_with_block(const mi_box_query *q, int mine, const single *all, int number,
                               void *task) {
  const mi_box_tree *tree = q->tree;
  const float *leaves = q->box + MI_BOX_FLOATS * (size_t)(tree->first[1] + number);
  for (unsigned bits = meets(all, leaves); bits; bits &= bits - 1) {
    int lane = lowest_bit(bits), child = MI_BOX_LANES * number + lane;
    if (q->asking->is_rigid[mine] && tree->is_rigid[child]) continue;
    if (q->is_self && child < mine) continue;
    single around = spread(leaves, lane, q->grow);
    if (!compare_leaves(q, mine, child, &around, task)) return false;
  }
  return true;
}

// Down the tree to blocks of level 1, for all leaves of one of those at once.
typedef struct descent {
  const mi_box_query *query;
  single all;
  bool is_rigid;
  int parent;
  int level[MI_BOX_LANES * MI_BOX_LEVELS], block[MI_BOX_LANES * MI_BOX_LEVELS], depth;
} descent;

static void start_descent(const mi_box_query *q, int parent, descent *d) {
  const float *own = q->asking_box + MI_BOX_FLOATS * (size_t)(q->asking->first[1] + parent);
  float around[MI_BOX_FLOATS]; // its lane 0
  for (int k = 0; k < 3; k++) {
    around[8 * k] = INFINITY;
    around[8 * (k + 3)] = -INFINITY;
    for (int i = 0; i < MI_BOX_LANES; i++) {
      float low = own[8 * k + i], high = own[8 * (k + 3) + i];
      around[8 * k] = low < around[8 * k] ? low : around[8 * k];
      around[8 * (k + 3)] = high > around[8 * (k + 3)] ? high : around[8 * (k + 3)];
    }
  }
  d->query = q;
  d->parent = parent;
  d->all = spread(around, 0, q->grow);
  d->is_rigid = q->asking->is_rigid[q->asking->first[1] + parent];
  d->level[0] = q->tree->nlevel - 1;
  d->block[0] = 0;
  d->depth = 1;
}

// The next `most` of them; 0 = that was all.
static int descend(descent *d, int most, int *number) {
  const mi_box_tree *tree = d->query->tree;
  int count = 0;
  while (d->depth && count < most) {
    int at = d->level[--d->depth], block = d->block[d->depth];
    if (at == 1) { // a pair of one tree is found by the one that comes first
      if (!d->query->is_self || block >= d->parent) number[count++] = block;
      continue;
    }
    const float *boxes = d->query->box + MI_BOX_FLOATS * (size_t)(tree->first[at] + block);
    for (unsigned bits = meets(&d->all, boxes); bits; bits &= bits - 1) {
      int child = MI_BOX_LANES * block + lowest_bit(bits);
      if (d->is_rigid && tree->is_rigid[tree->first[at - 1] + child]) continue;
      d->level[d->depth] = at - 1;
      d->block[d->depth++] = child;
    }
  }
  return count;
}

static bool walk_below(const mi_box_query *q, int parent, int begin, int end, void *task) {
  enum { MOST = 64 };
  const float *own = q->asking_box + MI_BOX_FLOATS * (size_t)(q->asking->first[1] + parent);
  descent d;
  int number[MOST];
  start_descent(q, parent, &d);
  for (int count; (count = descend(&d, MOST, number)) > 0;)
    for (int mine = begin; mine < end; mine++) {
      if (q->is_self && q->asking->is_rigid[mine]) break; // and so is all that comes after it
      single all = spread(own, mine % MI_BOX_LANES, q->grow);
      for (int k = 0; k < count; k++)
        if (!compare_with_block(q, mine, &all, number[k], task)) return false;
    }
  return true;
}

static bool walk(const mi_box_query *q, int begin, int end, void *task) {
  for (int first = begin; first < end;) {
    int parent = first / MI_BOX_LANES, last = MI_BOX_LANES * (parent + 1);
    if (last > end) last = end;
    if (!walk_below(q, parent, first, last, task)) return false;
    first = last;
  }
  return true;
}

static bool compare(const mi_box_query *q, int parent, int number, void *task) {
  const float *own = q->asking_box + MI_BOX_FLOATS * (size_t)(q->asking->first[1] + parent);
  int nleaf = mi_box_tree_nleaf(q->asking), begin = MI_BOX_LANES * parent;
  for (int mine = begin; mine < begin + MI_BOX_LANES && mine < nleaf; mine++) {
    single all = spread(own, mine % MI_BOX_LANES, q->grow);
    if (!compare_with_block(q, mine, &all, number, task)) return false;
  }
  return true;
}

const mi_box_kernels BODY_TABLE = {fill, walk, compare};
