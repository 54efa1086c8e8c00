// The line where the lips meet, as walks along edges: Dijkstra with the cost of mouth.c.
#include "rig/finding.h"

typedef struct entry {
  double cost;
  int32_t vert;
} entry;

// A binary heap that may hold a vertex more than once; outdated entries are skipped when popped.
typedef struct queue {
  entry *at;
  int count, capacity;
} queue;

static bool comes_before(entry a, entry b) {
  return a.cost < b.cost || (a.cost == b.cost && a.vert < b.vert);
}

static void push(queue *q, entry e) {
  if (q->count == q->capacity) return; // cannot happen: one entry per directed edge
  int k = q->count++;
  for (; k > 0 && comes_before(e, q->at[(k - 1) / 2]); k = (k - 1) / 2)
    q->at[k] = q->at[(k - 1) / 2];
  q->at[k] = e;
}

static entry pop(queue *q) {
  entry top = q->at[0], last = q->at[--q->count];
  int k = 0;
  while (2 * k + 1 < q->count) {
    int child = 2 * k + 1;
    if (child + 1 < q->count && comes_before(q->at[child + 1], q->at[child])) child++;
    if (!comes_before(q->at[child], last)) break;
    q->at[k] = q->at[child];
    k = child;
  }
  q->at[k] = last;
  return top;
}

typedef struct walk {
  double *cost;  //                                                                   (nvert)
  int32_t *from; // the vertex before this one on the way, -1 = none                  (nvert)
  queue q;
} walk;

// A path may cross skin that is unlike a slit, at the square of the cost.
static double edge_cost(const mi_finding *f, const float *cost, int a, int b) {
  double length = mi_distance(mi_skin_at(f, a), mi_skin_at(f, b)), floor = 0.5 * f->mm;
  double mean = floor + 0.5 * (cost[a] + cost[b]);
  return length * mean * mean;
}

static void find_walk(const mi_finding *f, const mi_mouth *mouth, int lip, walk *w) {
  const mi_topology *topo = &f->skin->topo;
  for (int i = 0; i < topo->nvert; i++) {
    w->cost[i] = INFINITY;
    w->from[i] = -1;
  }
  w->q.count = 0;
  w->cost[mouth->corner[0]] = 0;
  push(&w->q, (entry){0, mouth->corner[0]});
  while (w->q.count) {
    entry e = pop(&w->q);
    if (e.vert == mouth->corner[1]) return;
    if (e.cost > w->cost[e.vert]) continue;
    for (int k = topo->nbr_first[e.vert]; k < topo->nbr_first[e.vert + 1]; k++) {
      int b = topo->nbr[k];
      if (!mouth->is_near[b]) continue;
      double reach = e.cost + edge_cost(f, mouth->cost[lip], e.vert, b);
      if (reach >= w->cost[b]) continue;
      w->cost[b] = reach;
      w->from[b] = e.vert;
      push(&w->q, (entry){reach, b});
    }
  }
}

// Writes the walk from the right corner to the left one; 0 when the left one was not reached.
static int unroll(const walk *w, const mi_mouth *mouth, int32_t *way) {
  int count = 1;
  if (w->from[mouth->corner[1]] < 0) return 0;
  for (int i = mouth->corner[1]; i != mouth->corner[0]; i = w->from[i]) count++;
  int k = count;
  for (int i = mouth->corner[1]; k > 0; i = w->from[i]) way[--k] = i;
  return count;
}

static int count_shared(const int32_t *a, int na, const int32_t *b, int nb) {
  int nshared = 0;
  for (int i = 0; i < na; i++)
    for (int j = 0; j < nb; j++) nshared += a[i] == b[j];
  return nshared;
}

bool mi_trace_slit(mi_finding *f, const mi_mouth *mouth) {
  int nvert = f->skin->nvert, capacity = 2 * f->skin->topo.nedge + 1, count[2];
  walk w = {.cost = MI_PUSH(&f->scratch, double, nvert),
            .from = MI_PUSH(&f->scratch, int32_t, nvert),
            .q = {MI_PUSH(&f->scratch, entry, capacity), 0, capacity}};
  int32_t *way[2] = {MI_PUSH(&f->scratch, int32_t, nvert), MI_PUSH(&f->scratch, int32_t, nvert)};
  if (!w.cost || !w.from || !w.q.at || !way[0] || !way[1]) return false;
  for (int lip = 0; lip < 2; lip++) {
    find_walk(f, mouth, lip, &w);
    count[lip] = unroll(&w, mouth, way[lip]);
  }
  if (count[0] < 3 || count[1] < 3) return true;
  int nshared = count_shared(way[0], count[0], way[1], count[1]);
  if (2 * nshared > count[0] || 2 * nshared > count[1]) return true;
  mi_regions *out = f->out;
  int32_t *slit = MI_PUSH(f->arena, int32_t, count[0] + count[1] - 2);
  if (!slit) return false;
  out->slit = slit;
  out->nslit_upper = count[0];
  out->nslit = count[0] + count[1] - 2;
  for (int k = 0; k < count[0]; k++) slit[k] = way[0][k];
  for (int k = 1; k + 1 < count[1]; k++) slit[count[0] + k - 1] = way[1][count[1] - 1 - k];
  return true;
}
