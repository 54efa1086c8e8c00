// Maps the simulated vertices to the render skin: a fixed number of weights
// per vertex, found once.
//
// Motion of a render vertex is the moving least-squares fit, linear in the tangent plane, to that
// of the simulated vertices nearest along the surface. So uniform motion stays uniform, turning
// turns the details along, a vertex that is simulated itself moves as it does, and where nothing
// moves nothing is added. (Kozlov et al. solve a Laplacian system per frame; this is local, and a
// frame is bounded by memory.)
#ifndef MI_SKIN_MAP_H
#define MI_SKIN_MAP_H

#include "math/kernels.h"
#include "mesh/mesh.h"

enum { MI_MAP_WIDTH = 6, MI_MAP_SOURCES = UINT16_MAX };

typedef struct mi_skin_map {
  int nvert, nsource, nblock;
  mi_map_block *blocks; // of render vertices, ascending                              (nblock)
  int16_t *stream;      // their sources and weights
} mi_skin_map;

typedef struct mi_skin_map_def {
  const mi_topology *topo; // of the render skin
  const float *position;   // m                                                      (nvert x 3)
  const float *normal;     // unit                                                   (nvert x 3)
  const int32_t *vert;     // rig vertices of its vertices                           (nvert)
  const int32_t *source;   // number of a simulated vertex, -1 = it is not           (nvert)
  int nsource;             // at most MI_MAP_SOURCES
  const mien_host *host;
} mi_skin_map_def;

// False when memory ends.
bool mi_skin_map_build(const mi_skin_map_def *def, mi_arena *arena, mi_skin_map *map);
// positions[vert] += motion; `motion` is x, y, z, 0 of every simulated vertex.
void mi_skin_map_apply(const mi_skin_map *map, const float *motion, int threads, float *positions);

#endif
