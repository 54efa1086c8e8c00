// Boxes over triangles, halved at the median of the longest side; leaves of up to four.
#include "mesh/mesh.h"

#include "math/vec.h"

#include <stdlib.h>

enum { LEAF = 4, DEEPEST = 64 };

typedef struct node {
  float low[3], high[3];
  int32_t first, count; // of `order` in a leaf; else first child, count 0
} node;

struct mi_bvh {
  const int32_t *tri;
  const float *position;
  int32_t *order;
  node *nodes;
  int nnode;
};

typedef struct sorter {
  float key;
  int32_t tri;
} sorter;

static int by_key(const void *a, const void *b) {
  const sorter *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->tri > y->tri) - (x->tri < y->tri);
}

static void grow(node *box, const float *at) {
  for (int k = 0; k < 3; k++) {
    if (at[k] < box->low[k]) box->low[k] = at[k];
    if (at[k] > box->high[k]) box->high[k] = at[k];
  }
}

static void bound(const mi_bvh *bvh, node *box, int first, int count) {
  for (int k = 0; k < 3; k++) box->low[k] = INFINITY, box->high[k] = -INFINITY;
  for (int i = first; i < first + count; i++)
    for (int c = 0; c < 3; c++)
      grow(box, bvh->position + 3 * (size_t)bvh->tri[3 * (size_t)bvh->order[i] + c]);
}

static void split(mi_bvh *bvh, int at, int first, int count, sorter *sorted) {
  node *box = bvh->nodes + at;
  bound(bvh, box, first, count);
  box->first = first;
  box->count = count;
  if (count <= LEAF) return;
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis]) axis = k;
  for (int i = 0; i < count; i++) {
    const int32_t *tri = bvh->tri + 3 * (size_t)bvh->order[first + i];
    float key = 0;
    for (int c = 0; c < 3; c++) key += bvh->position[3 * (size_t)tri[c] + axis];
    sorted[i] = (sorter){key, bvh->order[first + i]};
  }
  qsort(sorted, (size_t)count, sizeof *sorted, by_key);
  for (int i = 0; i < count; i++) bvh->order[first + i] = sorted[i].tri;
  int child = bvh->nnode;
  bvh->nnode += 2;
  box->first = child;
  box->count = 0;
  split(bvh, child, first, count / 2, sorted);
  split(bvh, child + 1, first + count / 2, count - count / 2, sorted);
}

mi_bvh *mi_bvh_build(int ntri, const int32_t *tri, const float *position, mi_arena *arena) {
  mi_bvh *bvh = MI_PUSH(arena, mi_bvh, 1);
  sorter *sorted = MI_PUSH(arena, sorter, ntri);
  if (!bvh || !sorted) return NULL;
  *bvh = (mi_bvh){tri, position, MI_PUSH(arena, int32_t, ntri),
                  MI_PUSH(arena, node, 2 * (size_t)ntri + 1), 1};
  if (!bvh->order || !bvh->nodes) return NULL;
  for (int t = 0; t < ntri; t++) bvh->order[t] = t;
  if (ntri)
    split(bvh, 0, 0, ntri, sorted);
  else
    bvh->nnode = 0;
  return bvh;
}

static bool enters(const node *box, const double origin[3], const double inverse[3], double reach) {
  double from = 0, to = reach;
  for (int k = 0; k < 3; k++) {
    double a = (box->low[k] - origin[k]) * inverse[k], b = (box->high[k] - origin[k]) * inverse[k];
    // a NaN (0 x infinity: the ray lies in the slab's face) leaves the bound as it is
    if (fmin(a, b) > from) from = fmin(a, b);
    if (fmax(a, b) < to) to = fmax(a, b);
  }
  return from <= to;
}

// Moeller and Trumbore; `hit` is replaced when this triangle is nearer
static void try_triangle(const mi_bvh *bvh, int t, mi_vec3 origin, mi_vec3 direction, mi_hit *hit) {
  const int32_t *tri = bvh->tri + 3 * (size_t)t;
  mi_vec3 a = mi_vec3_load(bvh->position + 3 * (size_t)tri[0]);
  mi_vec3 u = mi_sub(mi_vec3_load(bvh->position + 3 * (size_t)tri[1]), a);
  mi_vec3 v = mi_sub(mi_vec3_load(bvh->position + 3 * (size_t)tri[2]), a);
  mi_vec3 p = mi_cross(direction, v);
  double det = mi_dot(u, p);
  if (det == 0) return;
  mi_vec3 s = mi_sub(origin, a), q = mi_cross(s, u);
  double x = mi_dot(s, p) / det, y = mi_dot(direction, q) / det, d = mi_dot(v, q) / det;
  if (!(x >= 0 && y >= 0 && x + y <= 1 && d >= 0 && d < hit->distance)) return;
  *hit = (mi_hit){t, d, det < 0};
}

static bool uses(const int32_t *tri, int vert) {
  return tri[0] == vert || tri[1] == vert || tri[2] == vert;
}

mi_hit mi_bvh_ray(const mi_bvh *bvh, const double origin[3], const double direction[3],
                  double reach, int except) {
  mi_hit hit = {-1, reach, false};
  mi_vec3 from = {origin[0], origin[1], origin[2]};
  mi_vec3 along = {direction[0], direction[1], direction[2]};
  double inverse[3] = {1 / direction[0], 1 / direction[1], 1 / direction[2]};
  int stack[DEEPEST], depth = 0;
  if (bvh->nnode) stack[depth++] = 0;
  while (depth) {
    const node *box = bvh->nodes + stack[--depth];
    if (!enters(box, origin, inverse, hit.distance)) continue;
    if (!box->count && depth + 2 <= DEEPEST) {
      stack[depth++] = box->first;
      stack[depth++] = box->first + 1;
    }
    for (int i = box->first; i < box->first + box->count; i++)
      if (!uses(bvh->tri + 3 * (size_t)bvh->order[i], except))
        try_triangle(bvh, bvh->order[i], from, along, &hit);
  }
  return hit;
}
