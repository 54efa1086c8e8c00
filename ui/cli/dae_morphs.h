// Shapes in COLLADA files. Assimp 5.2 cannot resolve any <morph> controller and gives up on the
// whole file, so we take the controllers out of the text before Assimp sees it and put every target
// into the scene as a node of its own, from which the importer makes the shapes.
#ifndef MIEN_DAE_MORPHS_H
#define MIEN_DAE_MORPHS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dae_target {
  char *base, *mesh; // ids of geometries
  char *name;        // of the shape
  bool is_relative;  // the mesh holds deltas, not positions
} dae_target;

typedef struct dae_morphs {
  char *text; // the file without controllers
  size_t size;
  dae_target *target;
  int ntarget;
} dae_morphs;

// Every target node is called this with the target's number after it.
#define DAE_TARGET_NODE "mien-target-"

// Whether a text has morph controllers at all.
bool dae_has_morphs(const char *text);
// False when memory ran out; free in either case.
bool dae_morphs_read(const char *text, dae_morphs *out);
void dae_morphs_free(dae_morphs *morphs);

#endif
