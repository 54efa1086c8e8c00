// Meshes and shapes of an FBX file, numbered as the file numbers them.
#ifndef MIEN_CLI_FBX_MESHES_H
#define MIEN_CLI_FBX_MESHES_H

#include "fbx_tree.h"

// A target of a channel. A channel with several has in-betweens: at `at` of the channel's way the
// mesh has the target's form, and between two targets something between them.
typedef struct fbx_shape {
  const char *name;
  int channel;    // of the mesh, in the file's order
  int number;     // among the targets of the mesh, in the file's order
  double at;      // 1 = at the end of the channel's way
  int32_t *index; // control points                                                 (nmoved)
  double *delta;  //                                                            (nmoved x 3)
  size_t nmoved;
} fbx_shape;

typedef struct fbx_mesh {
  double *point; // control points                                                  (npoint x 3)
  size_t npoint;
  int32_t *corner;   // polygon after polygon, as control points                       (ncorner)
  int32_t *size;     // corners of a polygon                                          (npolygon)
  int32_t *material; //                                                               (npolygon)
  size_t ncorner, npolygon;
  fbx_shape *shape; // channel after channel, targets in the order of `at`
  int nshape;
} fbx_mesh;

typedef struct fbx_meshes {
  fbx_tree tree;
  fbx_mesh *mesh;
  int nmesh;
} fbx_meshes;

// No meshes when the file cannot be read this way.
void fbx_meshes_read(const char *bytes, size_t size, fbx_meshes *out);
void fbx_meshes_free(fbx_meshes *meshes);

#endif
