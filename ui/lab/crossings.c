#include "crossings.h"

#include "box_pairs.h"
#include "exact.h"

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

// -- Many -----------------------------------------------------------------------------------------

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

typedef struct search {
  const crossings_mesh *mesh[2]; // boxes of the second follow those of the first
  bool is_within;                // one mesh with itself
  crossings found;
} search;

static void compare(void *user, int32_t first, int32_t second) {
  search *s = user;
  int n = s->mesh[0]->ntri;
  if (!s->is_within && (first < n) == (second < n)) return;
  const crossings_mesh *a = s->mesh[0], *b = s->mesh[1]; // first < second
  int32_t other = s->is_within ? second : second - n;
  const int32_t *t = a->tri + 3 * (size_t)first, *u = b->tri + 3 * (size_t)other;
  if (s->is_within && share_vertex(t, u)) return;
  if (!cross_at(a->position, t, b->position, u)) return;
  if (a->before && b->before && cross_at(a->before, t, b->before, u)) {
    s->found.apart++;
    return;
  }
  if (!s->found.count++) s->found.first[0] = first, s->found.first[1] = other;
}

static crossings find(const crossings_mesh *a, const crossings_mesh *b, bool is_within) {
  search s = {{a, b}, is_within, {0, {-1, -1}, 0}};
  int count = a->ntri + (is_within ? 0 : b->ntri);
  box *boxes = malloc(sizeof *boxes * ((size_t)count + 1));
  bool done = boxes && box_bound(a->position, a->tri, a->ntri, boxes) &&
              (is_within || box_bound(b->position, b->tri, b->ntri, boxes + a->ntri)) &&
              box_pairs_find(boxes, count, compare, &s);
  free(boxes);
  return done ? s.found : (crossings){-1, {-1, -1}, 0};
}

crossings crossings_within(const crossings_mesh *mesh) {
  return find(mesh, mesh, true);
}

crossings crossings_between(const crossings_mesh *a, const crossings_mesh *b) {
  return find(a, b, false);
}
