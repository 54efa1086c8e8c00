// Any text as a COLLADA file, before Assimp sees it. Run: fuzz_dae corpus/dae
#include "dae_meshes.h"
#include "dae_morphs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double sum; // all that was found is read, so that the sanitizer sees where it is

static void look_at(const file_mesh *mesh) {
  size_t ncorner = 0;
  for (size_t p = 0; p < mesh->npolygon; p++) {
    ncorner += (size_t)mesh->size[p];
    sum += mesh->material[p];
  }
  if (ncorner != mesh->ncorner) abort();
  for (size_t i = 0; i < ncorner; i++) sum += mesh->point[3 * (size_t)mesh->corner[i] + 2];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, data, size);
  text[size] = 0;
  dae_morphs morphs;
  if (dae_has_morphs(text)) {
    dae_morphs_read(text, &morphs);
    dae_morphs_free(&morphs);
  }
  dae_meshes meshes;
  dae_meshes_read(text, &meshes);
  for (int m = 0; m < meshes.nmesh; m++) look_at(meshes.mesh + m);
  dae_meshes_free(&meshes);
  free(text);
  return 0;
}
