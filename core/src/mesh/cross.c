#include "mesh/cross.h"

#include <math.h>
#include <stdlib.h>

typedef struct triangle {
  const mi_vec3 *corner;
  mi_vec3 normal;
  int side[3]; // of the corners of the other one: above, in its plane, below
} triangle;

static triangle of_corners(const mi_vec3 corner[3]) {
  return (triangle){.corner = corner,
                    .normal = mi_cross(mi_sub(corner[1], corner[0]), mi_sub(corner[2], corner[0]))};
}

// False when the other lies on one side or only touches the plane: the usual case.
static bool is_cut(triangle *t, const triangle *other) {
  bool has_above = false, has_below = false;
  for (int k = 0; k < 3; k++) {
    double height = mi_dot(t->normal, mi_sub(other->corner[k], t->corner[0]));
    t->side[k] = (height > 0) - (height < 0);
    has_above |= height > 0;
    has_below |= height < 0;
  }
  return has_above && has_below;
}

// Does an edge of `other` go through the triangle, or end in it?
static bool is_pierced(const triangle *t, const triangle *other) {
  for (int k = 0; k < 3; k++) {
    if (t->side[k] == t->side[(k + 1) % 3]) continue;
    mi_vec3 a = other->corner[k], b = other->corner[(k + 1) % 3];
    double u = mi_det(a, b, t->corner[0], t->corner[1]);
    double v = mi_det(a, b, t->corner[1], t->corner[2]);
    double w = mi_det(a, b, t->corner[2], t->corner[0]);
    if ((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) return true;
  }
  return false;
}

bool mi_triangles_cross(const mi_vec3 a[3], const mi_vec3 b[3]) {
  triangle p = of_corners(a), q = of_corners(b);
  return is_cut(&p, &q) && is_cut(&q, &p) && (is_pierced(&p, &q) || is_pierced(&q, &p));
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
bool mi_cross_each(const mi_cross_mesh *a, const mi_cross_mesh *b, mi_arena *scratch,
                   void (*fn)(void *task, int a, int b), void *task) {
  const mi_cross_mesh *const mesh[2] = {a, b};
  boxed *box = MI_PUSH(scratch, boxed, a->ntri + (b ? b->ntri : 0));
  if (!box) return false;
  int count = put_in_boxes(a, 0, box);
  if (b) count += put_in_boxes(b, 1, box + count);
  qsort(box, (size_t)count, sizeof *box, by_low);
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count && box[j].low[0] <= box[i].high[0]; j++) {
      if ((b && box[i].mesh == box[j].mesh) || !cross(mesh, box + i, box + j)) continue;
      fn(task, box[box[i].mesh ? j : i].tri, box[box[i].mesh ? i : j].tri);
    }
  return true;
}

typedef struct count_ctx {
  const mi_cross_mesh *mesh; // of the first of a pair
  mi_crossings found;
} count_ctx;

static void count_pair(void *task, int a, int b) {
  count_ctx *c = task;
  const int32_t *tri = c->mesh->tri + 3 * (size_t)a;
  (void)b;
  for (int k = 0; k < 9 && !c->found.count; k++)
    c->found.near[k % 3] += (double)c->mesh->position[3 * (size_t)tri[k / 3] + (size_t)(k % 3)] / 3;
  c->found.count++;
}

mi_crossings mi_cross_find(const mi_cross_mesh *a, const mi_cross_mesh *b, mi_arena *scratch) {
  count_ctx c = {.mesh = a};
  if (!mi_cross_each(a, b, scratch, count_pair, &c)) c.found.count = -1;
  return c.found;
}
