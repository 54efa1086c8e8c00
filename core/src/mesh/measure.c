#include "mesh/mesh.h"

#include "math/kernels.h"

#include <stdatomic.h>

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

typedef struct measuring {
  const float *position;
  const int32_t *tets;
  float *volume;
  atomic_int ninverted;
} measuring;

static void measure_range(void *user, int begin, int end) {
  measuring *m = user;
  int count = 0;
  mi_kernels_best()->measure_tets(m->position, m->tets + 4 * (size_t)begin, end - begin,
                                  m->volume + begin, NULL);
  for (int t = begin; t < end; t++) count += !(m->volume[t] > 0);
  atomic_fetch_add(&m->ninverted, count);
}

int mi_measure_tets(const float *position, const int32_t *tets, int ntet, int threads,
                    float *volume) {
  enum { CHUNK = 4096 };
  measuring m = {.position = position, .tets = tets, .volume = volume};
  mi_parallel(threads, ntet, CHUNK, measure_range, &m);
  return atomic_load(&m.ninverted);
}

float mi_measure_tet(const float *position, const int32_t tet[4]) {
  const float *o = position + 3 * (size_t)tet[0];
  float e[3][3];
  for (int i = 0; i < 9; i++)
    e[i / 3][i % 3] = position[3 * (size_t)tet[1 + i / 3] + i % 3] - o[i % 3];
  const float *a = e[0], *b = e[1], *c = e[2];
  return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
          a[2] * (b[0] * c[1] - b[1] * c[0])) /
         6;
}

double mi_tet_slope(const float *position, const int32_t tet[4], mi_vec3 slope[4]) {
  mi_vec3 x[4];
  for (int c = 0; c < 4; c++) x[c] = mi_vec3_load(position + 3 * (size_t)tet[c]);
  mi_vec3 a = mi_sub(x[1], x[0]), b = mi_sub(x[2], x[0]), d = mi_sub(x[3], x[0]);
  slope[1] = mi_scale(1.0 / 6, mi_cross(b, d));
  slope[2] = mi_scale(1.0 / 6, mi_cross(d, a));
  slope[3] = mi_scale(1.0 / 6, mi_cross(a, b));
  slope[0] = mi_scale(-1, mi_add(slope[1], mi_add(slope[2], slope[3])));
  return mi_dot(a, slope[1]);
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
