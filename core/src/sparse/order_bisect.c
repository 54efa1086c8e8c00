// Nested dissection without help: cut the graph in two along a front of a breadth-first search,
// smooth the cut, do the same with both halves. Worse than METIS by some tens of percent of the
// factor, and part of every build.
#include "sparse/order.h"

#include <string.h>

enum { LEAF = 40, TRIES = 4, PASSES = 8, AWAY = -1, SEPARATOR = 2 };

typedef struct cutter {
  const mi_csr *graph;
  int32_t *order;    // vertices of the part in work are [begin, end)
  int32_t *part;     // vertex -> AWAY or 0
  int32_t *queue;    // of the search
  signed char *side; // 0, 1, SEPARATOR; AWAY = not in this part
  signed char *best;
} cutter;

// Vertices of the part that can be reached from `start`, nearest first.
static int search(cutter *c, int start, int32_t *seen, int stamp) {
  int count = 0;
  c->queue[count++] = start;
  seen[start] = stamp;
  for (int k = 0; k < count; k++) {
    int i = c->queue[k];
    for (int p = c->graph->first[i]; p < c->graph->first[i + 1]; p++) {
      int j = c->graph->column[p];
      if (c->part[j] == AWAY || seen[j] == stamp) continue;
      seen[j] = stamp;
      c->queue[count++] = j;
    }
  }
  return count;
}

static int count_side(const cutter *c, int i, int side) {
  int count = 0;
  for (int p = c->graph->first[i]; p < c->graph->first[i + 1]; p++) {
    int j = c->graph->column[p];
    count += j != i && c->side[j] == side;
  }
  return count;
}

// The first half of the queue against the rest; where they touch, the second half becomes the cut.
static void cut_queue(cutter *c, int count, int size[3]) {
  size[0] = count / 2, size[1] = count - count / 2, size[2] = 0;
  for (int k = 0; k < count; k++) c->side[c->queue[k]] = k >= count / 2;
  for (int k = count / 2; k < count; k++) {
    int i = c->queue[k];
    if (!count_side(c, i, 0)) continue;
    c->side[i] = SEPARATOR;
    size[1]--, size[2]++;
  }
}

static void move_to_side(cutter *c, int i, int side, int size[3]) {
  c->side[i] = (signed char)side;
  size[side]++, size[2]--;
  for (int p = c->graph->first[i]; p < c->graph->first[i + 1]; p++) {
    int j = c->graph->column[p];
    if (c->side[j] != 1 - side) continue;
    c->side[j] = SEPARATOR;
    size[1 - side]--, size[2]++;
  }
}

// A vertex leaves the cut when fewer vertices enter for it, or as many and the halves become more
// even.
static void smooth_cut(cutter *c, int count, int size[3]) {
  for (int pass = 0; pass < PASSES; pass++) {
    bool moved = false;
    for (int k = 0; k < count; k++) {
      int i = c->queue[k];
      if (c->side[i] != SEPARATOR) continue;
      int in[2] = {count_side(c, i, 0), count_side(c, i, 1)};
      int small = size[0] <= size[1] ? 0 : 1;
      int side = in[1 - small] <= in[small] ? small : 1 - small; // fewest neighbours across
      int gain = 1 - in[1 - side];
      bool even = size[side] + 1 <= size[1 - side] - in[1 - side];
      bool fits = 20 * (size[side] + 1) <= 11 * count;
      if (!(gain > 0 && fits) && !(gain == 0 && even)) continue;
      move_to_side(c, i, side, size);
      moved = true;
    }
    if (!moved) return;
  }
}

static double badness(const int size[3]) {
  double large = size[0] > size[1] ? size[0] : size[1], all = size[0] + size[1] + size[2];
  return size[2] * (0.6 + large / all);
}

// [begin, end) becomes side 0, side 1, cut; `middle` gets where side 1 and the cut begin.
static void split(cutter *c, int begin, int end, int32_t *seen, int *stamp, int middle[2]) {
  int count = end - begin, start = c->order[begin];
  double least = -1;
  for (int try = 0; try < TRIES; try++) {
    int reached = search(c, start, seen, ++*stamp), size[3];
    if (reached < count) { // two components already: no cut is needed
      for (int k = begin; k < end; k++) c->best[c->order[k]] = seen[c->order[k]] != *stamp;
      break;
    }
    int next = c->queue[count - 1]; // the farthest: the next front starts at the other end
    if (try == 1) next = c->queue[count / 2];
    start = next;
    if (try == 0) continue; // from anywhere
    cut_queue(c, count, size);
    smooth_cut(c, count, size);
    if (least >= 0 && badness(size) >= least) continue;
    least = badness(size);
    for (int k = begin; k < end; k++) c->best[c->order[k]] = c->side[c->order[k]];
  }
  int at = 0;
  for (int side = 0; side <= SEPARATOR; side++) {
    if (side) middle[side - 1] = begin + at;
    for (int k = begin; k < end; k++)
      if (c->best[c->order[k]] == side) c->queue[at++] = c->order[k];
  }
  for (int k = begin; k < end; k++) c->side[c->order[k]] = AWAY;
  memcpy(c->order + begin, c->queue, (size_t)count * sizeof *c->queue);
}

// A small part: along its longest extent, so that it stays a band.
static void order_leaf(cutter *c, int begin, int end, int32_t *seen, int *stamp) {
  int count = end - begin;
  if (count < 3 || search(c, c->order[begin], seen, ++*stamp) < count) return;
  search(c, c->queue[count - 1], seen, ++*stamp);
  memcpy(c->order + begin, c->queue, (size_t)count * sizeof *c->queue);
}

bool mi_order_bisect(const mi_csr *graph, int32_t *order, mi_arena *scratch) {
  int n = graph->nrow, depth = 0, stamp = 0;
  cutter c = {.graph = graph, .order = order};
  c.part = MI_PUSH(scratch, int32_t, n);
  c.queue = MI_PUSH(scratch, int32_t, n);
  c.side = MI_PUSH(scratch, signed char, n);
  c.best = MI_PUSH(scratch, signed char, n);
  int32_t *seen = MI_PUSH(scratch, int32_t, n);
  int32_t(*stack)[2] = mi_arena_push(scratch, (size_t)n + 2, sizeof *stack);
  if (!c.part || !c.queue || !c.side || !c.best || !seen || !stack) return false;
  for (int i = 0; i < n; i++) order[i] = i, c.part[i] = c.side[i] = AWAY;
  stack[depth][0] = 0;
  stack[depth++][1] = n;
  while (depth) {
    int begin = stack[--depth][0], end = stack[depth][1], middle[2];
    if (begin == end) continue;
    for (int k = begin; k < end; k++) c.part[order[k]] = 0;
    if (end - begin <= LEAF) {
      order_leaf(&c, begin, end, seen, &stamp);
    } else {
      split(&c, begin, end, seen, &stamp, middle);
      stack[depth][0] = begin;
      stack[depth++][1] = middle[0];
      stack[depth][0] = middle[0];
      stack[depth++][1] = middle[1];
    }
    for (int k = begin; k < end; k++) c.part[order[k]] = AWAY;
  }
  return true;
}
