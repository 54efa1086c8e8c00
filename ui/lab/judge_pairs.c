#include "judge_pairs.h"

#include "crossings.h"

#include <math.h>
#include <stdlib.h>

typedef struct box {
  float low[3], high[3];
  int32_t tri;
} box;

static int by_low(const void *a, const void *b) {
  const box *x = a, *y = b;
  if (x->low[0] != y->low[0]) return x->low[0] < y->low[0] ? -1 : 1;
  return (x->tri > y->tri) - (x->tri < y->tri);
}

static bool bound(const pairs_mesh *mesh, const float *position, box *boxes) {
  for (int t = 0; t < mesh->ntri; t++) {
    box *b = boxes + t;
    *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, t};
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++) {
        float x = position[3 * (size_t)mesh->tri[3 * (size_t)t + (size_t)c] + (size_t)k];
        if (!isfinite(x)) return false;
        b->low[k] = x < b->low[k] ? x : b->low[k];
        b->high[k] = x > b->high[k] ? x : b->high[k];
      }
  }
  return true;
}

static bool share_vertex(const int32_t *a, const int32_t *b) {
  for (int i = 0; i < 9; i++)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

static bool cross(const pairs_mesh *mesh, const float *position, const box *a, const box *b) {
  if (a->low[1] > b->high[1] || b->low[1] > a->high[1]) return false;
  if (a->low[2] > b->high[2] || b->low[2] > a->high[2]) return false;
  if (a->tri >= mesh->nskin && b->tri >= mesh->nskin) return false;
  const int32_t *s = mesh->tri + 3 * (size_t)a->tri, *t = mesh->tri + 3 * (size_t)b->tri;
  if (share_vertex(s, t)) return false;
  const float *x[3], *y[3];
  for (int c = 0; c < 3; c++) {
    x[c] = position + 3 * (size_t)s[c];
    y[c] = position + 3 * (size_t)t[c];
  }
  return crossings_of_two(x, y);
}

bool pairs_find(const pairs_mesh *mesh, const float *position, pairs_fn *found, void *user) {
  box *boxes = malloc(sizeof *boxes * ((size_t)mesh->ntri + 1));
  bool is_known = boxes && bound(mesh, position, boxes);
  if (is_known) qsort(boxes, (size_t)mesh->ntri, sizeof *boxes, by_low);
  for (int i = 0; is_known && i < mesh->ntri; i++)
    for (int j = i + 1; j < mesh->ntri && boxes[j].low[0] <= boxes[i].high[0]; j++)
      if (cross(mesh, position, boxes + i, boxes + j)) found(user, boxes[i].tri, boxes[j].tri);
  free(boxes);
  return is_known;
}
