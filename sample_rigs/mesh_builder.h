// A triangle mesh that grows while a sample rig is being modelled.
//
// Memory errors are sticky: after one, every call does nothing and returns 0 or -1, so a generator
// can model a whole part and look at `failed` once at the end.
#ifndef SAMPLE_RIGS_MESH_BUILDER_H
#define SAMPLE_RIGS_MESH_BUILDER_H

typedef struct mesh_builder {
  int nvert;
  int ntri;
  int vert_capacity;
  int tri_capacity;
  float (*position)[3]; // metres
  float (*uv)[2];       // one per vertex, 0 until set
  float (*colour)[3];   // linear RGB 0-1, white until set
  int (*triangle)[3];   // counter-clockwise seen from outside
  int failed;           // 1 once memory ran out
} mesh_builder;

// All fields zero is a valid empty builder; this only spells it out.
void mesh_builder_init(mesh_builder *mesh);
void mesh_builder_free(mesh_builder *mesh);

// Adds one vertex and returns its index, -1 when memory ran out.
int mesh_builder_vertex(mesh_builder *mesh, float x, float y, float z);
void mesh_builder_triangle(mesh_builder *mesh, int a, int b, int c);

// Splits the quad a b c d along its shorter diagonal; on a tie along a-c.
void mesh_builder_quad(mesh_builder *mesh, int a, int b, int c, int d);

// Joins two loops of `count` vertices with quads; `closed` also joins the last to the first.
// Seen from outside, `upper` lies above `lower` when both run to the right.
void mesh_builder_bridge(mesh_builder *mesh, const int *lower, const int *upper, int count,
                         int closed);

// Closes a loop of `count` vertices with a fan around a new vertex at (x, y, z), returned.
// Seen from outside the loop runs counter-clockwise.
int mesh_builder_fan(mesh_builder *mesh, const int *loop, int count, const float centre[3]);

// Paints the vertices first .. nvert-1.
void mesh_builder_paint(mesh_builder *mesh, int first, const float colour[3]);

#endif
