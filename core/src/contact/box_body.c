// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt. Nothing is computed
// here, only compared, so all bodies find the same.
#include "contact/box_tree.h"

#include "math/wide.h"

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_box_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_box_body_neon
#else
#define BODY_TABLE mi_box_body_scalar
#endif

typedef struct single {
  mi_wide low[3], high[3]; // one box in all lanes
} single;

static inline single spread(const float *block, int lane) {
  single s;
  for (int k = 0; k < 3; k++) {
    s.low[k] = mi_wset(block[8 * k + lane]);
    s.high[k] = mi_wset(block[8 * (k + 3) + lane]);
  }
  return s;
}

// bit j: box j of the block meets the box; empty boxes meet nothing
static inline unsigned meets(const single *s, const float *block) {
  mi_wmask apart = mi_wless(s->high[0], mi_wload(block));
  apart = mi_wmask_or(apart, mi_wless(mi_wload(block + 24), s->low[0]));
  for (int k = 1; k < 3; k++) {
    apart = mi_wmask_or(apart, mi_wless(s->high[k], mi_wload(block + 8 * k)));
    apart = mi_wmask_or(apart, mi_wless(mi_wload(block + 8 * (k + 3)), s->low[k]));
  }
  return ~mi_wmask_bits(apart) & 255u;
}

static bool compare_leaves(const mi_box_query *q, int mine, const single *asking, int other,
                           void *task) {
  const float *block = q->box + MI_BOX_FLOATS * (size_t)other;
  unsigned char hit[MI_BOX_LANES];
  unsigned any = 0;
  bool is_same = q->is_self && mine == other;
  for (int i = 0; i < MI_BOX_LANES; i++) {
    unsigned bits = meets(asking + i, block);
    if (is_same) bits &= ~0u << (i + 1); // only those after it
    hit[i] = (unsigned char)(bits & 255u);
    any |= hit[i];
  }
  return !any || q->meet(task, mine, other, hit);
}

static int lowest_bit(unsigned bits) {
  return __builtin_ctz(bits);
}

static bool walk(const mi_box_query *q, int mine, void *task) {
  const mi_box_tree *tree = q->tree;
  bool is_rigid = q->asking->is_rigid[mine];
  if (q->is_self && is_rigid) return true; // and so is all that comes after it
  const float *own = q->asking_box + MI_BOX_FLOATS * (size_t)mine;
  single asking[MI_BOX_LANES];
  for (int i = 0; i < MI_BOX_LANES; i++) asking[i] = spread(own, i);
  int parent = q->asking->first[1] + mine / MI_BOX_LANES;
  single all = spread(q->asking_box + MI_BOX_FLOATS * (size_t)parent, mine % MI_BOX_LANES);
  int level[MI_BOX_LANES * MI_BOX_LEVELS], block[MI_BOX_LANES * MI_BOX_LEVELS], depth = 1;
  level[0] = tree->nlevel - 1;
  block[0] = 0;
  while (depth) {
    int at = level[--depth], number = block[depth];
    unsigned bits = meets(&all, q->box + MI_BOX_FLOATS * (size_t)(tree->first[at] + number));
    for (; bits; bits &= bits - 1) {
      int child = MI_BOX_LANES * number + lowest_bit(bits);
      if (is_rigid && tree->is_rigid[tree->first[at - 1] + child]) continue;
      if (at == 1) {
        if (q->is_self && child < mine) continue;
        if (!compare_leaves(q, mine, asking, child, task)) return false;
      } else {
        level[depth] = at - 1;
        block[depth++] = child;
      }
    }
  }
  return true;
}

const mi_box_kernels BODY_TABLE = {walk};
