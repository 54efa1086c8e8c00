#include "mesh/box_tree.h"
#include "scenes/scene.h"

#include <math.h>
#include <stdlib.h>

static double number(uint32_t i, uint32_t j) {
  return 2 * mi_random_unit(67, i, j) - 1;
}

typedef struct boxes {
  mi_arena arena;
  mi_box_tree *tree;
  float *low, *high, *box; // by id; in the tree
  unsigned char *is_rigid;
  int count;
} boxes;

static boxes make(int count) {
  boxes b = {.count = count};
  mien_host host;
  mi_host_resolve(NULL, &host, NULL);
  mi_arena_init(&b.arena, &host);
  b.low = MI_PUSH(&b.arena, float, 3 * (size_t)count);
  b.high = MI_PUSH(&b.arena, float, 3 * (size_t)count);
  b.is_rigid = MI_PUSH(&b.arena, unsigned char, count);
  int32_t *item = MI_PUSH(&b.arena, int32_t, count);
  for (uint32_t i = 0; i < (uint32_t)count; i++) {
    for (uint32_t k = 0; k < 3; k++) {
      b.low[3 * i + k] = (float)number(i, k);
      b.high[3 * i + k] = b.low[3 * i + k] + (float)(0.2 * mi_random_unit(67, i, 3 + k));
    }
    b.is_rigid[i] = i % 5 < 2;
    item[i] = (int32_t)i;
  }
  b.tree = mi_box_tree_create(count, item, b.low, b.is_rigid, &b.arena);
  assert_non_null(b.tree);
  b.box = MI_PUSH(&b.arena, float, (size_t)MI_BOX_FLOATS *(size_t)b.tree->nblock);
  for (int lane = 0; lane < MI_BOX_LANES * mi_box_tree_nleaf(b.tree); lane++) {
    int id = b.tree->item[lane];
    float *at = mi_box_block(b.box, lane / 8) + lane % 8;
    for (int k = 0; k < 3; k++) {
      at[8 * k] = id < 0 ? INFINITY : b.low[3 * id + k];
      at[8 * (k + 3)] = id < 0 ? -INFINITY : b.high[3 * id + k];
    }
  }
  mi_box_tree_refit(b.tree, b.box);
  return b;
}

typedef struct tally {
  const boxes *b;
  unsigned char *met; // (count x count)
  int most, total;
} tally;

static bool meet(void *task, int mine, int other, uint64_t hit) {
  tally *t = task;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      if (!(hit >> (8 * i + j) & 1)) continue;
      int a = t->b->tree->item[8 * mine + i], c = t->b->tree->item[8 * other + j];
      t->met[a * t->b->count + c]++;
      t->total++;
    }
  return t->total < t->most;
}

static bool overlap(const boxes *b, int i, int j) {
  for (int k = 0; k < 3; k++)
    if (b->low[3 * i + k] > b->high[3 * j + k] || b->low[3 * j + k] > b->high[3 * i + k])
      return false;
  return true;
}

static void every_item_is_in_once(void **state) {
  (void)state;
  for (int count = 0; count < 700; count += count < 20 ? 1 : 97) {
    boxes b = make(count);
    unsigned char seen[700] = {0};
    bool is_in_rigid = false;
    for (int i = 0; i < MI_BOX_LANES * mi_box_tree_nleaf(b.tree); i++) {
      int id = b.tree->item[i];
      if (id < 0) continue;
      assert_int_equal(seen[id]++, 0);
      assert_true(b.is_rigid[id] || !is_in_rigid); // rigid ones last
      is_in_rigid = b.is_rigid[id];
    }
    for (int i = 0; i < count; i++) assert_int_equal(seen[i], 1);
    mi_arena_free(&b.arena);
  }
}

static void walks_meet_what_brute_force_meets(void **state) {
  (void)state;
  const mi_box_kernels *kernels[2] = {&mi_box_body_scalar, mi_box_kernels_best()};
  const int counts[] = {1, 7, 8, 9, 65, 300, 600};
  for (int run = 0; run < 28; run++) {
    boxes b = make(counts[run % 7]);
    bool is_self = run / 7 % 2;
    tally t = {&b, calloc((size_t)b.count * (size_t)b.count, 1), 1 << 30, 0};
    mi_box_query query = {b.tree, b.tree, b.box, b.box, is_self, 0, meet};
    int nleaf = mi_box_tree_nleaf(b.tree);
    for (int leaf = 0, end; leaf < nleaf; leaf = end) { // one, or some of several blocks
      end = leaf + 1 + 11 * (run % 2) < nleaf ? leaf + 1 + 11 * (run % 2) : nleaf;
      assert_true(kernels[run / 14]->walk(&query, leaf, end, &t));
    }
    for (int i = 0; i < b.count; i++)
      for (int j = 0; j < b.count; j++) {
        int met = t.met[i * b.count + j];
        if (is_self) met += i == j ? 0 : t.met[j * b.count + i];
        bool expected = overlap(&b, i, j) && !(is_self && i == j);
        // only pairs that are rigid on both sides may be left out
        if (b.is_rigid[i] && b.is_rigid[j])
          assert_true(met <= expected);
        else
          assert_int_equal(met, expected);
      }
    free(t.met);
    mi_arena_free(&b.arena);
  }
}

static void a_walk_stops_when_told(void **state) {
  (void)state;
  boxes b = make(300);
  tally t = {&b, calloc(300 * 300, 1), 1, 0};
  mi_box_query query = {b.tree, b.tree, b.box, b.box, false, 0, meet};
  int nstopped = 0;
  for (int leaf = 0; leaf < mi_box_tree_nleaf(b.tree); leaf++)
    nstopped += !mi_box_kernels_best()->walk(&query, leaf, leaf + 1, &t);
  assert_true(nstopped > 0);
  free(t.met);
  mi_arena_free(&b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_is_in_once),
                                     cmocka_unit_test(walks_meet_what_brute_force_meets),
                                     cmocka_unit_test(a_walk_stops_when_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
