// Meshes of a COLLADA file, numbered as the file numbers them.
#ifndef MIEN_CLI_DAE_MESHES_H
#define MIEN_CLI_DAE_MESHES_H

#include "file_mesh.h"

typedef struct dae_meshes {
  file_mesh *mesh; // without shapes; `material` is the number of the list of polygons
  int nmesh;
} dae_meshes;

// Geometries that cannot be read this way, as strips, are left out.
void dae_meshes_read(const char *text, dae_meshes *out);
void dae_meshes_free(dae_meshes *meshes);

#endif
