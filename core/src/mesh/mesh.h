// Triangle meshes: topology, measures, distances, rays.
#ifndef MI_MESH_H
#define MI_MESH_H

#include "base/base.h"
#include "math/vec.h"
#include "sparse/sparse.h"

// Neighbourhoods of a triangle mesh. Edges are unique vertex pairs (a < b) in order of a, then b;
// everything is a plain array in compressed rows: row i is [first[i], first[i + 1]).
typedef struct mi_topology {
  int nvert, ntri, nedge;
  const int32_t *tri;  // borrowed                                                  (ntri x 3)
  int32_t *vert_first; //                                                           (nvert + 1)
  int32_t *vert_tri;   // triangles around a vertex, ascending                      (3 ntri)
  int32_t *nbr_first;  //                                                           (nvert + 1)
  int32_t *nbr;        // neighbours of a vertex, ascending                         (2 nedge)
  int32_t *nbr_edge;   // the edge to that neighbour                                (2 nedge)
  int32_t *edge;       //                                                           (nedge x 2)
  int32_t *edge_ntri;  // 1 = border, 2 = inside, more = not a manifold             (nedge)
  int32_t *edge_tri;   // the first two triangles at an edge, -1 = none             (nedge x 2)
  int nborder;         // edges with one triangle
  int nnonmanifold;    // edges with more than two triangles
  int nflipped;        // inside edges whose two triangles run the same way round
} mi_topology;
// False when memory ends. Indices must be in range.
bool mi_topology_build(int nvert, int ntri, const int32_t *tri, mi_arena *arena, mi_topology *topo);
// The edge between a and b, -1 when there is none.
int mi_topology_edge(const mi_topology *topo, int a, int b);
// component[i] = number of the connected part of vertex i, numbered by smallest vertex; vertices in
// no triangle get -1. Returns the count, -1 when memory ends.
int mi_topology_components(const mi_topology *topo, mi_arena *scratch, int32_t *component);

// measure.c
void mi_triangle_normal(const float *position, const int32_t *tri, double normal[3]); // 2 x area
double mi_triangle_area(const float *position, const int32_t *tri);
// Angle-weighted unit normals; zero where a vertex has no triangle of any size.     (nvert x 3)
void mi_vertex_normals(const mi_topology *topo, const float *position, float *normal);
// Signed volumes of tetrahedra; returns how many are not above 0.
int mi_measure_tets(const float *position, const int32_t *tets, int ntet, int threads,
                    float *volume);
// That of one. The same in double, and how it grows with each corner.
float mi_measure_tet(const float *position, const int32_t tet[4]);
double mi_tet_slope(const float *position, const int32_t tet[4], mi_vec3 slope[4]);
double mi_mean_edge_length(const mi_topology *topo, const float *position);

// geodesic.c: lengths along edges from a set of seeds (start[i] < INFINITY), up to `limit`;
// distance[i] stays INFINITY beyond. `source` (may be NULL) gets the seed each vertex came from.
// False when memory ends.
bool mi_geodesic(const mi_topology *topo, const float *position, const float *start, double limit,
                 mi_arena *scratch, float *distance, int32_t *source);

// laplacian.c: rows of border vertices are empty. False when memory ends.
bool mi_laplacian_build(const mi_topology *topo, const float *position, mi_arena *arena,
                        mi_csr *laplacian);

// bvh.c: a tree of boxes over triangles, for rays.
typedef struct mi_bvh mi_bvh;
mi_bvh *mi_bvh_build(int ntri, const int32_t *tri, const float *position, mi_arena *arena);
typedef struct mi_hit {
  int tri;          // -1 = nothing was hit
  double distance;  // along the unit direction
  bool from_behind; // the ray left through the back of the triangle
} mi_hit;
// The nearest triangle along a ray, within `reach`; triangles that use vertex `except` are skipped.
mi_hit mi_bvh_ray(const mi_bvh *bvh, const double origin[3], const double direction[3],
                  double reach, int except);

#endif
