// How near two surfaces of a sample rig come, for tests.
#ifndef TESTS_SAMPLE_RIGS_MESH_CLEARANCE_H
#define TESTS_SAMPLE_RIGS_MESH_CLEARANCE_H

// Triangles of a mesh, by their corners; `position` is the mesh's.
typedef struct triangle_list {
  const float *position;
  int (*corner)[3];
  int count;
} triangle_list;

typedef struct mesh_nearness {
  double distance; // m, between corners, edges and faces; INFINITY when nothing is within reach
  double at[3];    // m, about where
} mesh_nearness;

// Nearest place of the two, as far as `reach` metres. Surfaces that cross are near each other, too.
// A distance of -1 when memory ran out.
mesh_nearness mesh_clearance(const triangle_list *a, const triangle_list *b, double reach);

#endif
