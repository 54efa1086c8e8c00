#include "crossings.h"

#include "exact.h"

#include <math.h>
#include <stdlib.h>

// -- In a plane: axis `drop` is dropped -----------------------------------------------------------

static bool in_box_2d(const float *p, const float *a, const float *b, int drop) {
  for (int k = 0; k < 3; k++) {
    if (k == drop) continue;
    float low = a[k] < b[k] ? a[k] : b[k], high = a[k] < b[k] ? b[k] : a[k];
    if (p[k] < low || p[k] > high) return false;
  }
  return true;
}

static bool segments_meet_2d(const float *a, const float *b, const float *c, const float *d,
                             int drop) {
  int c_side = exact_side_2d(a, b, c, drop), d_side = exact_side_2d(a, b, d, drop);
  int a_side = exact_side_2d(c, d, a, drop), b_side = exact_side_2d(c, d, b, drop);
  if (c_side * d_side < 0 && a_side * b_side < 0) return true;
  return (c_side == 0 && in_box_2d(c, a, b, drop)) || (d_side == 0 && in_box_2d(d, a, b, drop)) ||
         (a_side == 0 && in_box_2d(a, c, d, drop)) || (b_side == 0 && in_box_2d(b, c, d, drop));
}

// the triangle has an area in this projection
static bool inside_2d(const float *p, const float *const t[3], int drop) {
  int first = exact_side_2d(t[0], t[1], p, drop), second = exact_side_2d(t[1], t[2], p, drop);
  int third = exact_side_2d(t[2], t[0], p, drop);
  return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

static bool segment_meets_triangle_2d(const float *p, const float *q, const float *const t[3],
                                      int drop) {
  if (inside_2d(p, t, drop) || inside_2d(q, t, drop)) return true;
  for (int i = 0; i < 3; i++)
    if (segments_meet_2d(p, q, t[i], t[(i + 1) % 3], drop)) return true;
  return false;
}

// -- In space -------------------------------------------------------------------------------------

// An axis along which the triangle keeps an area, -1 = it has none.
static int flat_axis(const float *const t[3]) {
  for (int drop = 0; drop < 3; drop++)
    if (exact_side_2d(t[0], t[1], t[2], drop)) return drop;
  return -1;
}

// In one plane, and meeting in all three projections: one of them is one-to-one on that plane.
static bool segments_meet(const float *a, const float *b, const float *c, const float *d) {
  if (exact_side_3d(a, b, c, d)) return false;
  return segments_meet_2d(a, b, c, d, 0) && segments_meet_2d(a, b, c, d, 1) &&
         segments_meet_2d(a, b, c, d, 2);
}

static bool segment_meets_triangle(const float *p, const float *q, const float *const t[3],
                                   int axis) {
  int p_side = exact_side_3d(t[0], t[1], t[2], p), q_side = exact_side_3d(t[0], t[1], t[2], q);
  if (p_side * q_side > 0) return false;
  if (p_side == 0 && q_side == 0) return segment_meets_triangle_2d(p, q, t, axis);
  int first = exact_side_3d(p, q, t[0], t[1]), second = exact_side_3d(p, q, t[1], t[2]);
  int third = exact_side_3d(p, q, t[2], t[0]);
  return (first >= 0 && second >= 0 && third >= 0) || (first <= 0 && second <= 0 && third <= 0);
}

static bool edges_meet_triangle(const float *const edges[3], const float *const t[3], int axis) {
  for (int i = 0; i < 3; i++)
    if (segment_meets_triangle(edges[i], edges[(i + 1) % 3], t, axis)) return true;
  return false;
}

// All of `a` lies on one side of the plane of `b`, and not in it.
static bool is_beside(const float *const a[3], const float *const b[3]) {
  int side = exact_side_3d(b[0], b[1], b[2], a[0]);
  return side && exact_side_3d(b[0], b[1], b[2], a[1]) == side &&
         exact_side_3d(b[0], b[1], b[2], a[2]) == side;
}

bool crossings_of_two(const float *const a[3], const float *const b[3]) {
  if (is_beside(a, b) || is_beside(b, a)) return false;
  int a_axis = flat_axis(a), b_axis = flat_axis(b);
  if (b_axis >= 0 && edges_meet_triangle(a, b, b_axis)) return true;
  if (a_axis >= 0 && edges_meet_triangle(b, a, a_axis)) return true;
  if (a_axis >= 0 || b_axis >= 0) return false;
  for (int i = 0; i < 9; i++)
    if (segments_meet(a[i / 3], a[(i / 3 + 1) % 3], b[i % 3], b[(i % 3 + 1) % 3])) return true;
  return false;
}

// -- Many: in the cells of a grid -----------------------------------------------------------------

typedef struct box {
  float low[3], high[3];
  int32_t tri;
  int32_t which; // mesh 0 or 1
} box;

static bool fill(const crossings_mesh *mesh, int which, box *boxes) {
  for (int t = 0; t < mesh->ntri; t++) {
    box *b = boxes + t;
    *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, t, which};
    for (int c = 0; c < 9; c++) {
      float x =
          mesh->position[3 * (size_t)mesh->tri[3 * (size_t)t + (size_t)(c / 3)] + (size_t)(c % 3)];
      if (!isfinite(x)) return false;
      b->low[c % 3] = x < b->low[c % 3] ? x : b->low[c % 3];
      b->high[c % 3] = x > b->high[c % 3] ? x : b->high[c % 3];
    }
  }
  return true;
}

static bool share_vertex(const int32_t *a, const int32_t *b) {
  for (int i = 0; i < 9; i++)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

static bool cross_at(const float *position, const int32_t *s, const float *other,
                     const int32_t *t) {
  const float *x[3], *y[3];
  for (int i = 0; i < 3; i++) {
    x[i] = position + 3 * (size_t)s[i];
    y[i] = other + 3 * (size_t)t[i];
  }
  return crossings_of_two(x, y);
}

static bool overlap(const box *a, const box *b) {
  for (int k = 0; k < 3; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  return true;
}

static bool cross(const crossings_mesh *const mesh[2], const box *a, const box *b, bool is_within) {
  const int32_t *s = mesh[a->which]->tri + 3 * (size_t)a->tri;
  const int32_t *t = mesh[b->which]->tri + 3 * (size_t)b->tri;
  if (is_within && share_vertex(s, t)) return false;
  return cross_at(mesh[a->which]->position, s, mesh[b->which]->position, t);
}

static bool crossed_before(const crossings_mesh *const mesh[2], const box *a, const box *b) {
  const float *x = mesh[a->which]->before, *y = mesh[b->which]->before;
  return x && y &&
         cross_at(x, mesh[a->which]->tri + 3 * (size_t)a->tri, y,
                  mesh[b->which]->tri + 3 * (size_t)b->tri);
}

// A box is listed in every cell that it reaches.
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
static bool make_grid(const box *boxes, int count, grid *g) {
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
    for (int i = 0; i < count; i++) visit(g, boxes + i, i, true);
    return true;
  }
}

// A pair that shares several cells counts in the one where the common box begins.
static bool is_first_cell(const grid *g, const box *a, const box *b, int cell) {
  int at = 0;
  for (int k = 0; k < 3; k++)
    at = at * g->size[k] + cell_of(g, k, a->low[k] > b->low[k] ? a->low[k] : b->low[k]);
  return at == cell;
}

static void compare(const crossings_mesh *const mesh[2], const box *a, const box *b, bool is_within,
                    crossings *found) {
  if (!cross(mesh, a, b, is_within)) return;
  if (crossed_before(mesh, a, b)) {
    found->apart++;
    return;
  }
  if (found->count++) return;
  found->first[0] = a->which <= b->which ? a->tri : b->tri;
  found->first[1] = a->which <= b->which ? b->tri : a->tri;
}

static void compare_all(const crossings_mesh *const mesh[2], const box *boxes, const grid *g,
                        bool is_within, crossings *found) {
  int ncell = g->size[0] * g->size[1] * g->size[2];
  for (int c = 0; c < ncell; c++)
    for (int i = c ? g->first[c - 1] : 0; i < g->first[c]; i++)
      for (int j = i + 1; j < g->first[c]; j++) {
        const box *a = boxes + g->list[i], *b = boxes + g->list[j];
        if (!is_within && a->which == b->which) continue;
        if (overlap(a, b) && is_first_cell(g, a, b, c)) compare(mesh, a, b, is_within, found);
      }
}

static crossings find(const crossings_mesh *const mesh[2], bool is_within) {
  crossings found = {-1, {-1, -1}, 0};
  grid g = {.first = NULL};
  int count = mesh[0]->ntri + (is_within ? 0 : mesh[1]->ntri);
  box *boxes = malloc(sizeof *boxes * ((size_t)count + 1));
  if (boxes && fill(mesh[0], 0, boxes) && (is_within || fill(mesh[1], 1, boxes + mesh[0]->ntri)) &&
      make_grid(boxes, count, &g)) {
    found.count = 0;
    compare_all(mesh, boxes, &g, is_within, &found);
  }
  free(boxes);
  free(g.first);
  free(g.list);
  return found;
}

crossings crossings_within(const crossings_mesh *mesh) {
  return find((const crossings_mesh *const[2]){mesh, mesh}, true);
}

crossings crossings_between(const crossings_mesh *a, const crossings_mesh *b) {
  return find((const crossings_mesh *const[2]){a, b}, false);
}
