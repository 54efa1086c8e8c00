// Any bytes as an FBX file, binary or text: what is found of meshes and shapes stays within them.
// Run: fuzz_fbx corpus/fbx
#include "fbx_meshes.h"
#include "limited_host.h"

#include <stdlib.h>
#include <string.h>

static double sum; // all that was found is read, so that the sanitizer sees where it is

static void look_at(const file_mesh *mesh) {
  size_t ncorner = 0;
  for (size_t i = 0; i < 3 * mesh->npoint; i++) sum += mesh->point[i];
  for (size_t p = 0; p < mesh->npolygon; p++) {
    ncorner += (size_t)mesh->size[p];
    sum += mesh->material[p];
  }
  if (ncorner > mesh->ncorner) abort();
  for (size_t i = 0; i < ncorner; i++) sum += mesh->point[3 * (size_t)mesh->corner[i]];
  for (int s = 0; s < mesh->nshape; s++) {
    const file_shape *shape = mesh->shape + s;
    sum += (double)strlen(shape->name) + shape->at;
    for (size_t k = 0; k < shape->nmoved; k++)
      sum += mesh->point[3 * (size_t)shape->index[k]] + shape->delta[3 * k + 2];
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1); // files are read with a zero behind them
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;
  fbx_meshes meshes;
  fbx_meshes_read(text, size, &meshes);
  for (int m = 0; m < meshes.nmesh; m++) look_at(meshes.mesh + m);
  fbx_meshes_free(&meshes);
  free(text);
  return 0;
}
