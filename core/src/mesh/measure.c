#include "mesh/mesh.h"

#include "math/vec.h"

void mi_triangle_normal(const float *position, const int32_t *tri, double normal[3]) {
  mi_vec3 a = mi_vec3_load(position + 3 * tri[0]);
  mi_vec3 b = mi_vec3_load(position + 3 * tri[1]);
  mi_vec3 c = mi_vec3_load(position + 3 * tri[2]);
  mi_vec3 n = mi_cross(mi_sub(b, a), mi_sub(c, a));
  normal[0] = n.x;
  normal[1] = n.y;
  normal[2] = n.z;
}

double mi_triangle_area(const float *position, const int32_t *tri) {
  double n[3];
  mi_triangle_normal(position, tri, n);
  return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static double corner_angle(const float *position, const int32_t *tri, int corner) {
  mi_vec3 a = mi_vec3_load(position + 3 * tri[corner]);
  mi_vec3 u = mi_sub(mi_vec3_load(position + 3 * tri[(corner + 1) % 3]), a);
  mi_vec3 v = mi_sub(mi_vec3_load(position + 3 * tri[(corner + 2) % 3]), a);
  return atan2(mi_length(mi_cross(u, v)), mi_dot(u, v));
}

void mi_vertex_normals(const mi_topology *topo, const float *position, float *normal) {
  for (int i = 0; i < topo->nvert; i++) {
    mi_vec3 sum = {0, 0, 0};
    for (int k = topo->vert_first[i]; k < topo->vert_first[i + 1]; k++) {
      const int32_t *tri = topo->tri + 3 * topo->vert_tri[k];
      int corner = tri[0] == i ? 0 : tri[1] == i ? 1 : 2;
      double n[3];
      mi_triangle_normal(position, tri, n);
      mi_vec3 unit = mi_unit((mi_vec3){n[0], n[1], n[2]});
      sum = mi_add_scaled(sum, corner_angle(position, tri, corner), unit);
    }
    mi_vec3_store(normal + 3 * i, mi_unit(sum));
  }
}

double mi_mean_edge_length(const mi_topology *topo, const float *position) {
  double sum = 0;
  for (int e = 0; e < topo->nedge; e++)
    sum += mi_distance(mi_vec3_load(position + 3 * topo->edge[2 * e]),
                       mi_vec3_load(position + 3 * topo->edge[2 * e + 1]));
  return topo->nedge ? sum / topo->nedge : 0;
}
