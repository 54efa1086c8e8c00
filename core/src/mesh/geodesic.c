// Dijkstra along edges with a binary heap: coarse as a metric, exact as an order, and it needs no
// matrix. Good enough to grow regions by a few centimetres.
#include "mesh/mesh.h"

#include "math/vec.h"

typedef struct heap {
  int32_t *vert; // heap order
  int32_t *slot; // vertex -> place in `vert`, -1 = not in it
  const float *key;
  int count;
} heap;

static void place(heap *h, int at, int32_t vert) {
  h->vert[at] = vert;
  h->slot[vert] = at;
}

static void sift_up(heap *h, int at) {
  int32_t vert = h->vert[at];
  while (at > 0 && h->key[h->vert[(at - 1) / 2]] > h->key[vert]) {
    place(h, at, h->vert[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  place(h, at, vert);
}

static int32_t pop(heap *h) {
  int32_t top = h->vert[0], last = h->vert[--h->count];
  h->slot[top] = -1;
  int at = 0;
  while (2 * at + 1 < h->count) {
    int child = 2 * at + 1;
    if (child + 1 < h->count && h->key[h->vert[child + 1]] < h->key[h->vert[child]]) child++;
    if (h->key[h->vert[child]] >= h->key[last]) break;
    place(h, at, h->vert[child]);
    at = child;
  }
  if (h->count) place(h, at, last);
  return top;
}

static void push_or_raise(heap *h, int32_t vert) {
  if (h->slot[vert] < 0) place(h, h->count++, vert);
  sift_up(h, h->slot[vert]);
}

bool mi_geodesic(const mi_topology *topo, const float *position, const float *start, double limit,
                 mi_arena *scratch, float *distance, int32_t *source) {
  heap h = {.vert = MI_PUSH(scratch, int32_t, topo->nvert),
            .slot = MI_PUSH(scratch, int32_t, topo->nvert),
            .key = distance};
  if (!h.vert || !h.slot) return false;
  for (int i = 0; i < topo->nvert; i++) {
    h.slot[i] = -1;
    distance[i] = start[i];
    if (source) source[i] = start[i] < INFINITY ? i : -1;
  }
  for (int i = 0; i < topo->nvert; i++)
    if (start[i] < INFINITY) push_or_raise(&h, i);
  while (h.count) {
    int a = pop(&h);
    mi_vec3 from = mi_vec3_load(position + 3 * a);
    for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++) {
      int b = topo->nbr[k];
      float reach = (float)(distance[a] + mi_distance(from, mi_vec3_load(position + 3 * b)));
      if (reach >= distance[b] || reach > limit) continue;
      distance[b] = reach;
      if (source) source[b] = source[a];
      push_or_raise(&h, b);
    }
  }
  return true;
}
