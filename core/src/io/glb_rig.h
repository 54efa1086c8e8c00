// A rig being gathered from a .glb file. A node with a mesh is a part; a mesh's primitives are
// merged; those that use the same arrays share their vertices, which are then one chunk.
#ifndef MI_GLB_RIG_H
#define MI_GLB_RIG_H

#include "io/glb.h"

typedef struct mi_glb_part {
  const json_t *node, *mesh;
  mi_affine world;
  bool is_moved;    // world is not the identity
  bool is_mirrored; // triangles turn inside out
  int first_vertex, nvert, first_corner, ncorner;
} mi_glb_part;

typedef struct mi_glb_chunk {
  int part;
  int first;               // in the rig
  int nvert;               // in the file
  int nkept;               // in the rig: fewer when the last ones are another part's, written twice
  const int32_t *borrowed; // the rig's vertices those are                     (nvert - nkept)
  const json_t *attributes, *targets, *material;
  mi_accessor position;
} mi_glb_chunk;

typedef struct mi_glb_primitive {
  int chunk, mode, ncorner; // corners of the triangles it will make
  int indices;              // accessor, -1 = vertices in order
} mi_glb_primitive;

typedef struct mi_glb_rig {
  mi_glb *glb;
  mi_glb_scene scene;
  mi_glb_part *part;
  mi_glb_chunk *chunk;
  mi_glb_primitive *primitive;
  int npart, nchunk, nprimitive;
  int nvert, ncorner;
  bool ignore_borrowed;
  bool is_skinned; // some mesh is, and the user was told
  mien_rig_def def;
} mi_glb_rig;

mien_result mi_glb_gather_parts(mi_glb_rig *r); // glb_parts.c
// glb_borrow.c: how many vertices at the end of a part belong to other parts, and which. Fails when
// the file contradicts itself: then every part keeps all its vertices.
int mi_glb_count_borrowed(const json_t *node);
mien_result mi_glb_find_borrowed(mi_glb_rig *r, bool *is_good);
mien_result mi_glb_read_faces(mi_glb_rig *r);      // glb_faces.c
mien_result mi_glb_read_attributes(mi_glb_rig *r); // glb_attributes.c: positions, uvs, colours
mien_result mi_glb_read_maps(mi_glb_rig *r);       // glb_attributes.c
mien_result mi_glb_read_numbers(mi_glb_rig *r);    // glb_file.c: _MIEN_FILE_VERTEX
mien_result mi_glb_read_shapes(mi_glb_rig *r);     // glb_shapes.c
// glb_vrm.c: expressions of a VRM file after the shapes they are made of
mien_result mi_glb_read_expressions(mi_glb_rig *r);
// glb_skeleton.c: the pivot, where a joint of the skins is the head's and nothing else said it
mien_result mi_glb_find_neck(mi_glb_rig *r);

// glb_file.c: a rig that was made of another file remembers that file's meshes. The numbers that
// the vertices of a chunk have there; NULL when nothing says so.
mien_result mi_glb_file_vertices(mi_glb *glb, const mi_glb_chunk *chunk, mien_f32s *out);
// From the mesh of the .glb to that of the file; false = they are the same.
bool mi_glb_file_space(const mi_glb_part *part, mi_affine *out);
// From the rig to the mesh of the .glb itself.
void mi_glb_own_space(const mi_glb_part *part, const double space[12], double out[12]);

#endif
