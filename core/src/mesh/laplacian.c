// The umbrella operator with cotangent weights, (L x)_i = x_i - sum_j w_ij x_j with sum_j w_ij = 1:
// no unit, so that a weight in front of it means the same on every rig.
#include "mesh/mesh.h"

#include "math/vec.h"

// cotangent of the angle at `corner`, clamped so that slivers and obtuse triangles neither drop a
// neighbour nor let one dominate
static double cotangent(const float *position, int corner, int a, int b) {
  mi_vec3 at = mi_vec3_load(position + 3 * (size_t)corner);
  mi_vec3 u = mi_sub(mi_vec3_load(position + 3 * (size_t)a), at);
  mi_vec3 v = mi_sub(mi_vec3_load(position + 3 * (size_t)b), at);
  double sine = mi_length(mi_cross(u, v)), cosine = mi_dot(u, v);
  double value = sine > 0 ? cosine / sine : 5;
  return fmin(5, fmax(0.05, value));
}

static double edge_weight(const mi_topology *topo, const float *position, int e) {
  int a = topo->edge[2 * e], b = topo->edge[2 * e + 1];
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    int t = topo->edge_tri[2 * e + k];
    if (t < 0) continue;
    const int32_t *tri = topo->tri + 3 * (size_t)t;
    sum += cotangent(position, tri[0] + tri[1] + tri[2] - a - b, a, b);
  }
  return sum > 0 ? sum : 0.05;
}

bool mi_laplacian_build(const mi_topology *topo, const float *position, mi_arena *arena,
                        mi_csr *laplacian) {
  int nvert = topo->nvert, entries = topo->nbr_first[nvert] + nvert;
  laplacian->nrow = nvert;
  laplacian->first = MI_PUSH(arena, int32_t, (size_t)nvert + 1);
  laplacian->column = MI_PUSH(arena, int32_t, entries);
  laplacian->value = MI_PUSH(arena, double, entries);
  unsigned char *on_border = MI_PUSH(arena, unsigned char, nvert);
  if (!laplacian->first || !laplacian->column || !laplacian->value || !on_border) return false;
  for (int e = 0; e < topo->nedge; e++)
    if (topo->edge_ntri[e] != 2)
      on_border[topo->edge[2 * e]] = on_border[topo->edge[2 * e + 1]] = 1;
  int at = 0;
  for (int i = 0; i < nvert; i++) {
    laplacian->first[i] = at;
    int begin = topo->nbr_first[i], end = topo->nbr_first[i + 1];
    // a border has neighbours on one side only: its umbrella would pull it inwards
    if (on_border[i] || begin == end) continue;
    laplacian->column[at] = i;
    laplacian->value[at] = 1;
    double sum = 0;
    for (int k = begin; k < end; k++) {
      laplacian->column[at + 1 + k - begin] = topo->nbr[k];
      sum += laplacian->value[at + 1 + k - begin] = edge_weight(topo, position, topo->nbr_edge[k]);
    }
    for (int k = begin; k < end; k++) laplacian->value[at + 1 + k - begin] /= -sum;
    at += 1 + end - begin;
  }
  laplacian->first[nvert] = at;
  return true;
}
