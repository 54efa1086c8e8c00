// Meshes and shapes of an FBX file, numbered as the file numbers them.
#ifndef MIEN_CLI_FBX_MESHES_H
#define MIEN_CLI_FBX_MESHES_H

#include "fbx_tree.h"
#include "file_mesh.h"

typedef struct fbx_meshes {
  fbx_tree tree;
  file_mesh *mesh;
  int nmesh;
} fbx_meshes;

// No meshes when the file cannot be read this way.
void fbx_meshes_read(const char *bytes, size_t size, fbx_meshes *out);
void fbx_meshes_free(fbx_meshes *meshes);

#endif
