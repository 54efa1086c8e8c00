#include "mesh/cross.h"

#include <math.h>
#include <stdlib.h>

// Does the segment a b go through the triangle?
static bool pierces(mi_vec3 a, mi_vec3 b, const mi_vec3 t[3]) {
  double from = mi_det(t[0], t[1], t[2], a), to = mi_det(t[0], t[1], t[2], b);
  if ((from > 0) == (to > 0)) return false;
  double u = mi_det(a, b, t[0], t[1]), v = mi_det(a, b, t[1], t[2]), w = mi_det(a, b, t[2], t[0]);
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

bool mi_triangles_cross(const mi_vec3 a[3], const mi_vec3 b[3]) {
  for (int k = 0; k < 3; k++)
    if (pierces(a[k], a[(k + 1) % 3], b) || pierces(b[k], b[(k + 1) % 3], a)) return true;
  return false;
}

typedef struct boxed { // a triangle and its box
  float low[3], high[3];
  int32_t tri, mesh; // mesh 0 = a, 1 = b
} boxed;

static int by_low(const void *a, const void *b) {
  const boxed *x = a, *y = b;
  if (x->low[0] != y->low[0]) return x->low[0] < y->low[0] ? -1 : 1;
  return x->mesh != y->mesh ? x->mesh - y->mesh : x->tri - y->tri;
}

static int put_in_boxes(const mi_cross_mesh *mesh, int number, boxed *out) {
  for (int t = 0; t < mesh->ntri; t++) {
    boxed *box = out + t;
    *box = (boxed){.tri = t, .mesh = number};
    for (int k = 0; k < 3; k++) {
      box->low[k] = INFINITY, box->high[k] = -INFINITY;
      for (int c = 0; c < 3; c++) {
        float at = mesh->position[3 * (size_t)mesh->tri[3 * (size_t)t + (size_t)c] + (size_t)k];
        box->low[k] = fminf(box->low[k], at);
        box->high[k] = fmaxf(box->high[k], at);
      }
    }
  }
  return mesh->ntri;
}

static bool share_vertex(const int32_t *a, const int32_t *b) {
  for (int k = 0; k < 9; k++)
    if (a[k / 3] == b[k % 3]) return true;
  return false;
}

static bool cross(const mi_cross_mesh *const mesh[2], const boxed *a, const boxed *b) {
  for (int k = 1; k < 3; k++)
    if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
  const int32_t *ta = mesh[a->mesh]->tri + 3 * (size_t)a->tri;
  const int32_t *tb = mesh[b->mesh]->tri + 3 * (size_t)b->tri;
  if (a->mesh == b->mesh && share_vertex(ta, tb)) return false;
  mi_vec3 x[3], y[3];
  for (int k = 0; k < 3; k++) {
    x[k] = mi_vec3_load(mesh[a->mesh]->position + 3 * (size_t)ta[k]);
    y[k] = mi_vec3_load(mesh[b->mesh]->position + 3 * (size_t)tb[k]);
  }
  return mi_triangles_cross(x, y);
}

// Boxes in order along x: each is compared with those that begin before it ends.
mi_crossings mi_cross_find(const mi_cross_mesh *a, const mi_cross_mesh *b, mi_arena *scratch) {
  const mi_cross_mesh *const mesh[2] = {a, b};
  mi_crossings found = {.count = -1};
  boxed *box = MI_PUSH(scratch, boxed, a->ntri + (b ? b->ntri : 0));
  if (!box) return found;
  int count = put_in_boxes(a, 0, box);
  if (b) count += put_in_boxes(b, 1, box + count);
  qsort(box, (size_t)count, sizeof *box, by_low);
  found.count = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count && box[j].low[0] <= box[i].high[0]; j++) {
      if ((b && box[i].mesh == box[j].mesh) || !cross(mesh, box + i, box + j)) continue;
      for (int k = 0; k < 3 && !found.count; k++)
        found.near[k] = 0.5 * ((double)box[j].low[k] + (double)box[j].high[k]);
      found.count++;
    }
  return found;
}
