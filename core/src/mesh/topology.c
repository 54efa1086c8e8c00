#include "mesh/mesh.h"

#include <string.h>

static bool count_rows(const mi_topology *topo, int32_t *first) {
  for (int k = 0; k < 3 * topo->ntri; k++) first[topo->tri[k] + 1]++;
  for (int i = 0; i < topo->nvert; i++) first[i + 1] += first[i];
  return true;
}

// triangles around each vertex, ascending because triangles are visited in order
static bool build_vert_tri(mi_topology *topo, mi_arena *arena, mi_arena *scratch) {
  topo->vert_first = MI_PUSH(arena, int32_t, topo->nvert + 1);
  topo->vert_tri = MI_PUSH(arena, int32_t, 3 * (size_t)topo->ntri);
  int32_t *fill = MI_PUSH(scratch, int32_t, topo->nvert);
  if (!topo->vert_first || !topo->vert_tri || !fill) return false;
  count_rows(topo, topo->vert_first);
  for (int k = 0; k < 3 * topo->ntri; k++) {
    int i = topo->tri[k];
    topo->vert_tri[topo->vert_first[i] + fill[i]++] = k / 3;
  }
  return true;
}

static void sort_ascending(int32_t *values, int count) {
  for (int i = 1; i < count; i++) {
    int32_t value = values[i];
    int j = i;
    for (; j > 0 && values[j - 1] > value; j--) values[j] = values[j - 1];
    values[j] = value;
  }
}

static int unique(int32_t *values, int count) {
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (!kept || values[i] != values[kept - 1]) values[kept++] = values[i];
  return kept;
}

static bool build_neighbours(mi_topology *topo, mi_arena *arena, mi_arena *scratch) {
  int32_t *all = MI_PUSH(scratch, int32_t, 6 * (size_t)topo->ntri);
  topo->nbr_first = MI_PUSH(arena, int32_t, topo->nvert + 1);
  if (!all || !topo->nbr_first) return false;
  int total = 0;
  for (int i = 0; i < topo->nvert; i++) {
    int begin = total, count = 0;
    for (int k = topo->vert_first[i]; k < topo->vert_first[i + 1]; k++) {
      const int32_t *tri = topo->tri + 3 * topo->vert_tri[k];
      for (int c = 0; c < 3; c++)
        if (tri[c] != i) all[begin + count++] = tri[c];
    }
    sort_ascending(all + begin, count);
    total += unique(all + begin, count);
    topo->nbr_first[i + 1] = total;
  }
  topo->nbr = MI_PUSH(arena, int32_t, total);
  topo->nbr_edge = MI_PUSH(arena, int32_t, total);
  if (!topo->nbr || !topo->nbr_edge) return false;
  memcpy(topo->nbr, all, (size_t)total * sizeof *all);
  topo->nedge = total / 2;
  return true;
}

static void number_edges(mi_topology *topo) {
  int nedge = 0;
  for (int a = 0; a < topo->nvert; a++) {
    for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++) {
      int b = topo->nbr[k];
      if (b < a) continue;
      topo->edge[2 * nedge] = a;
      topo->edge[2 * nedge + 1] = b;
      topo->edge_tri[2 * nedge] = topo->edge_tri[2 * nedge + 1] = -1;
      topo->nbr_edge[k] = nedge++;
    }
  }
  for (int a = 0; a < topo->nvert; a++)
    for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++)
      if (topo->nbr[k] < a) topo->nbr_edge[k] = mi_topology_edge(topo, topo->nbr[k], a);
}

static void attach_triangles(mi_topology *topo, int32_t *direction) {
  for (int t = 0; t < topo->ntri; t++) {
    for (int c = 0; c < 3; c++) {
      int a = topo->tri[3 * t + c], b = topo->tri[3 * t + (c + 1) % 3];
      int e = mi_topology_edge(topo, a, b);
      if (e < 0) continue; // a triangle that names one vertex twice has no such edge
      int n = topo->edge_ntri[e]++;
      if (n < 2) topo->edge_tri[2 * e + n] = t;
      direction[e] += a < b ? 1 : -1;
    }
  }
  for (int e = 0; e < topo->nedge; e++) {
    topo->nborder += topo->edge_ntri[e] == 1;
    topo->nnonmanifold += topo->edge_ntri[e] > 2;
    topo->nflipped += topo->edge_ntri[e] == 2 && direction[e] != 0;
  }
}

static bool build_edges(mi_topology *topo, mi_arena *arena, mi_arena *scratch) {
  topo->edge = MI_PUSH(arena, int32_t, 2 * (size_t)topo->nedge);
  topo->edge_ntri = MI_PUSH(arena, int32_t, topo->nedge);
  topo->edge_tri = MI_PUSH(arena, int32_t, 2 * (size_t)topo->nedge);
  int32_t *direction = MI_PUSH(scratch, int32_t, topo->nedge);
  if (!topo->edge || !topo->edge_ntri || !topo->edge_tri || !direction) return false;
  number_edges(topo);
  attach_triangles(topo, direction);
  return true;
}

bool mi_topology_build(int nvert, int ntri, const int32_t *tri, mi_arena *arena,
                       mi_topology *topo) {
  *topo = (mi_topology){.nvert = nvert, .ntri = ntri, .tri = tri};
  mi_arena scratch = {.allocator = arena->allocator, .limit = arena->limit};
  bool done = build_vert_tri(topo, arena, &scratch) && build_neighbours(topo, arena, &scratch) &&
              build_edges(topo, arena, &scratch);
  mi_arena_free(&scratch);
  return done;
}

int mi_topology_edge(const mi_topology *topo, int a, int b) {
  if (a > b) return mi_topology_edge(topo, b, a);
  int low = topo->nbr_first[a], high = topo->nbr_first[a + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (topo->nbr[middle] < b)
      low = middle + 1;
    else
      high = middle;
  }
  return low < topo->nbr_first[a + 1] && topo->nbr[low] == b ? topo->nbr_edge[low] : -1;
}

int mi_topology_components(const mi_topology *topo, mi_arena *scratch, int32_t *component) {
  int32_t *stack = MI_PUSH(scratch, int32_t, topo->nvert);
  if (!stack) return -1;
  int ncomponent = 0;
  for (int i = 0; i < topo->nvert; i++) component[i] = -1;
  for (int i = 0; i < topo->nvert; i++) {
    if (component[i] >= 0 || topo->vert_first[i] == topo->vert_first[i + 1]) continue;
    int depth = 0;
    stack[depth++] = i;
    component[i] = ncomponent;
    while (depth) {
      int a = stack[--depth];
      for (int k = topo->nbr_first[a]; k < topo->nbr_first[a + 1]; k++) {
        int b = topo->nbr[k];
        if (component[b] >= 0) continue;
        component[b] = ncomponent;
        stack[depth++] = b;
      }
    }
    ncomponent++;
  }
  return ncomponent;
}
