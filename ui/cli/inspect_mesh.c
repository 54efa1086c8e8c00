#include "inspect.h"

#include <math.h>
#include <stdlib.h>

// An edge as one triangle runs along it.
typedef struct half_edge {
  int32_t low, high;
  bool is_upwards; // from low to high
} half_edge;

static int by_ends(const void *a, const void *b) {
  const half_edge *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->is_upwards - y->is_upwards;
}

static void list_edges(const mien_rig_info *rig, const mien_part *part, half_edge *edges) {
  const int32_t *tri = rig->triangles.data + 3 * (size_t)part->first_triangle;
  for (int k = 0; k < 3 * part->ntri; k++) {
    int32_t from = tri[k], to = tri[k % 3 == 2 ? k - 2 : k + 1];
    edges[k] = (half_edge){from < to ? from : to, from < to ? to : from, from < to};
  }
  qsort(edges, 3 * (size_t)part->ntri, sizeof *edges, by_ends);
}

static int32_t find_root(int32_t *root, int32_t i) {
  while (root[i] != i) i = root[i] = root[root[i]];
  return i;
}

// Counts the edges; open ones join their ends in `root`, where -1 means not on a border.
static void count_edges(const half_edge *edges, int count, int first_vertex, int32_t *root,
                        inspect_surface *out) {
  for (int i = 0, next; i < count; i = next) {
    for (next = i + 1;
         next < count && edges[next].low == edges[i].low && edges[next].high == edges[i].high;)
      next++;
    out->nnonmanifold += next - i > 2;
    out->nflipped += next - i == 2 && edges[i].is_upwards == edges[i + 1].is_upwards;
    if (next - i != 1) continue;
    out->nopen++;
    int32_t ends[2] = {edges[i].low - first_vertex, edges[i].high - first_vertex};
    for (int k = 0; k < 2; k++)
      if (root[ends[k]] < 0) root[ends[k]] = ends[k];
    root[find_root(root, ends[0])] = find_root(root, ends[1]);
  }
}

static double area_of(const mien_rig_info *rig, const int32_t *tri) {
  int stride = rig->positions.stride ? rig->positions.stride : 3;
  const float *p[3];
  double u[3], v[3];
  for (int c = 0; c < 3; c++) p[c] = rig->positions.data + (size_t)tri[c] * (size_t)stride;
  for (int k = 0; k < 3; k++) {
    u[k] = (double)p[1][k] - p[0][k];
    v[k] = (double)p[2][k] - p[0][k];
  }
  double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
         z = u[0] * v[1] - u[1] * v[0];
  return 0.5 * sqrt(x * x + y * y + z * z);
}

// Below a millionth of the mean area there is next to none.
static int count_flat(const mien_rig_info *rig, const mien_part *part) {
  const int32_t *tri = rig->triangles.data + 3 * (size_t)part->first_triangle;
  double total = 0;
  int count = 0;
  for (int t = 0; t < part->ntri; t++) total += area_of(rig, tri + 3 * (size_t)t);
  for (int t = 0; t < part->ntri; t++)
    count += area_of(rig, tri + 3 * (size_t)t) <= 1e-6 * total / part->ntri;
  return count;
}

bool inspect_surface_of(const mien_rig_info *rig, const mien_part *part, inspect_surface *out) {
  *out = (inspect_surface){0};
  half_edge *edges = malloc((3 * (size_t)part->ntri + 1) * sizeof *edges);
  int32_t *root = malloc(((size_t)part->nvert + 1) * sizeof *root);
  char *used = calloc((size_t)part->nvert + 1, 1);
  bool done = edges && root && used;
  if (done) {
    for (int i = 0; i < part->nvert; i++) root[i] = -1;
    list_edges(rig, part, edges);
    count_edges(edges, 3 * part->ntri, part->first_vertex, root, out);
    for (int k = 0; k < 3 * part->ntri; k++) used[edges[k].low - part->first_vertex] = 1;
    for (int k = 0; k < 3 * part->ntri; k++) used[edges[k].high - part->first_vertex] = 1;
    for (int i = 0; i < part->nvert; i++) {
      out->nborder += root[i] == i;
      out->nisolated += !used[i];
    }
    out->nflat = count_flat(rig, part);
  }
  free(edges);
  free(root);
  free(used);
  return done;
}
