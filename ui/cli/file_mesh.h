// A mesh as its own file numbers it. Assimp reads files for us, but keeps neither the numbers that
// vertices have in the file nor the full weights of in-betweens.
#ifndef MIEN_CLI_FILE_MESH_H
#define MIEN_CLI_FILE_MESH_H

#include <stddef.h>
#include <stdint.h>

// A target of a channel. A channel with several has in-betweens: at `at` of the channel's way the
// mesh has the target's form, and between two targets something between them.
typedef struct file_shape {
  const char *name;
  int channel;    // of the mesh, in the file's order
  int number;     // among the targets of the mesh, in the file's order
  double at;      // 1 = at the end of the channel's way
  int32_t *index; // vertices                                                         (nmoved)
  double *delta;  //                                                            (nmoved x 3)
  size_t nmoved;
} file_shape;

typedef struct file_mesh {
  double *point; //                                                               (npoint x 3)
  size_t npoint;
  int32_t *corner;   // polygon after polygon, as vertices                             (ncorner)
  int32_t *size;     // corners of a polygon                                          (npolygon)
  int32_t *material; // or another group that Assimp makes a mesh of its own           (npolygon)
  size_t ncorner, npolygon;
  file_shape *shape; // channel after channel, targets in the order of `at`
  int nshape;
} file_mesh;

#endif
