// Muscles of the user's own, from a file whose meshes they are.
#ifndef MIEN_CLI_MUSCLE_MESHES_H
#define MIEN_CLI_MUSCLE_MESHES_H

#include "cli.h"

#define MUSCLE_MESH_OPTIONS                                                                        \
  {"muscle-meshes", 0, "FILE.glb",                                                                 \
   "closed meshes, one per muscle, in the head's space, instead of the atlas's muscles"},          \
  {                                                                                                \
    "muscle-unit", 0, "UNIT", "what one unit of that file is: m, cm, mm, in, or a number (m)"      \
  }

typedef struct muscle_meshes {
  mien_rig *rig; // NULL = there are none
  mien_muscle_mesh *meshes;
  int32_t *triangles;
} muscle_meshes;

// Puts the meshes of --muscle-meshes into the definition of a face; they are used until close.
int muscle_meshes_open(muscle_meshes *m, const cli_args *args, mien_face_def *def);
void muscle_meshes_close(muscle_meshes *m);

#endif
