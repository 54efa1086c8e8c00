#include "box_pairs.h"

#include <math.h>
#include <stdlib.h>

bool box_bound(const float *position, const int32_t *tri, int ntri, box *boxes) {
  for (int t = 0; t < ntri; t++) {
    box *b = boxes + t;
    *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int c = 0; c < 9; c++) {
      float x = position[3 * (size_t)tri[3 * (size_t)t + (size_t)(c / 3)] + (size_t)(c % 3)];
      if (!isfinite(x)) return false;
      b->low[c % 3] = x < b->low[c % 3] ? x : b->low[c % 3];
      b->high[c % 3] = x > b->high[c % 3] ? x : b->high[c % 3];
    }
  }
  return true;
}

typedef struct edge { // where a box begins along the first axis
  float low;
  int32_t number;
} edge;

static int compare_edges(const void *a, const void *b) {
  const edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return x->number - y->number;
}

// A box is listed in every cell that it reaches, in the order in which boxes begin.
typedef struct grid {
  double low[3], scale[3]; // cells a metre
  int size[3];
  int32_t *first; // of the list of a cell; one more at the end
  int32_t *list;  // boxes
} grid;

enum { FINEST = 64, MOST_LISTED = 24 }; // cells along an axis; entries a box, in the mean

static int cell_of(const grid *g, int axis, float x) {
  double at = ((double)x - g->low[axis]) * g->scale[axis];
  return at > 0 ? (at < g->size[axis] - 1 ? (int)at : g->size[axis] - 1) : 0;
}

// Calls for every cell of a box: counts entries, or lists the box.
static int64_t visit(const grid *g, const box *b, int32_t number, bool is_listing) {
  int low[3], high[3];
  for (int k = 0; k < 3; k++)
    low[k] = cell_of(g, k, b->low[k]), high[k] = cell_of(g, k, b->high[k]);
  for (int x = low[0]; x <= high[0]; x++)
    for (int y = low[1]; y <= high[1]; y++)
      for (int z = low[2]; z <= high[2]; z++) {
        int32_t *first =
            g->first + ((size_t)x * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[2] + z;
        if (is_listing)
          g->list[(*first)++] = number;
        else
          ++*first;
      }
  return (int64_t)(high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
}

// Cells as wide as two boxes in the mean, wider where large boxes would be listed too often.
static bool make_grid(const box *boxes, const edge *order, int count, grid *g) {
  double high[3] = {-INFINITY, -INFINITY, -INFINITY}, width[3] = {0};
  for (int k = 0; k < 3; k++) g->low[k] = INFINITY;
  for (int i = 0; i < 3 * count; i++) {
    const box *b = boxes + i / 3;
    int k = i % 3;
    g->low[k] = fmin(g->low[k], (double)b->low[k]);
    high[k] = fmax(high[k], (double)b->high[k]);
    width[k] += 2 * ((double)b->high[k] - (double)b->low[k]) / count;
  }
  for (int finest = FINEST;; finest /= 2) {
    size_t ncell = 1;
    for (int k = 0; k < 3; k++) {
      double all = high[k] - g->low[k], cells = width[k] > 0 ? all / width[k] : 1;
      g->size[k] = cells < 1 ? 1 : cells < finest ? (int)cells : finest;
      g->scale[k] = all > 0 ? g->size[k] / all : 0;
      ncell *= (size_t)g->size[k];
    }
    free(g->first);
    g->first = calloc(ncell + 1, sizeof *g->first);
    if (!g->first) return false;
    int64_t listed = 0;
    for (int i = 0; i < count; i++) listed += visit(g, boxes + i, i, false);
    if (listed > (int64_t)MOST_LISTED * count && finest > 1) continue;
    g->list = malloc(((size_t)listed + 1) * sizeof *g->list);
    if (!g->list) return false;
    int32_t sum = 0; // first[c] is where cell c begins, and after listing where it ends
    for (size_t c = 0; c <= ncell; c++) {
      int32_t own = g->first[c];
      g->first[c] = sum;
      sum += own;
    }
    for (int i = 0; i < count; i++) visit(g, boxes + order[i].number, order[i].number, true);
    return true;
  }
}

static bool overlap(const box *a, const box *b) {
  for (int k = 0; k < 3; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

// A pair that shares several cells counts in the one where the common box begins.
static bool is_first_cell(const grid *g, const box *a, const box *b, int cell) {
  int at = 0;
  for (int k = 0; k < 3; k++)
    at = at * g->size[k] + cell_of(g, k, a->low[k] > b->low[k] ? a->low[k] : b->low[k]);
  return at == cell;
}

static void find_in_cell(const box *boxes, const grid *g, int cell, box_pair_fn *found,
                         void *user) {
  int end = g->first[cell];
  for (int i = cell ? g->first[cell - 1] : 0; i < end; i++) {
    const box *a = boxes + g->list[i];
    for (int j = i + 1; j < end; j++) {
      const box *b = boxes + g->list[j];
      if (b->low[0] > a->high[0]) break; // so do all that follow
      if (!overlap(a, b) || !is_first_cell(g, a, b, cell)) continue;
      bool is_ordered = g->list[i] < g->list[j];
      found(user, g->list[is_ordered ? i : j], g->list[is_ordered ? j : i]);
    }
  }
}

bool box_pairs_find(const box *boxes, int count, box_pair_fn *found, void *user) {
  grid g = {.first = NULL};
  edge *order = malloc(((size_t)count + 1) * sizeof *order);
  for (int i = 0; order && i < count; i++) order[i] = (edge){boxes[i].low[0], i};
  if (order) qsort(order, (size_t)count, sizeof *order, compare_edges);
  bool is_made = order && make_grid(boxes, order, count, &g);
  int ncell = is_made ? g.size[0] * g.size[1] * g.size[2] : 0;
  for (int c = 0; c < ncell; c++) find_in_cell(boxes, &g, c, found, user);
  free(g.first);
  free(g.list);
  free(order);
  return is_made;
}
