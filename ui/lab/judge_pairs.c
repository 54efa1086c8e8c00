#include "judge_pairs.h"

#include "box_pairs.h"
#include "crossings.h"

#include <stdlib.h>

typedef struct search {
  const pairs_mesh *mesh;
  const float *position;
  pairs_fn *found;
  void *user;
} search;

static bool share_vertex(const int32_t *a, const int32_t *b) {
  for (int i = 0; i < 9; i++)
    if (a[i / 3] == b[i % 3]) return true;
  return false;
}

static void compare(void *user, int32_t a, int32_t b) {
  const search *all = user;
  const pairs_mesh *mesh = all->mesh;
  if (a >= mesh->nskin && b >= mesh->nskin) return;
  const int32_t *s = mesh->tri + 3 * (size_t)a, *t = mesh->tri + 3 * (size_t)b;
  if (share_vertex(s, t)) return;
  const float *x[3], *y[3];
  for (int c = 0; c < 3; c++) {
    x[c] = all->position + 3 * (size_t)s[c];
    y[c] = all->position + 3 * (size_t)t[c];
  }
  if (crossings_of_two(x, y)) all->found(all->user, a, b);
}

bool pairs_find(const pairs_mesh *mesh, const float *position, pairs_fn *found, void *user) {
  search s = {mesh, position, found, user};
  box *boxes = malloc(sizeof *boxes * ((size_t)mesh->ntri + 1));
  bool is_known = boxes && box_bound(position, mesh->tri, mesh->ntri, boxes) &&
                  box_pairs_find(boxes, mesh->ntri, compare, &s);
  free(boxes);
  return is_known;
}
