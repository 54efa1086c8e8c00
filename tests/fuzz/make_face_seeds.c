// A small face as mien attach stores it: maps, inner surface, hashes.
#include "small_face.h"
#include "solve/state.h"

#include <stdio.h>

int main(int argc, char **argv) {
  char path[4096];
  mien_state *state = small_face_state();
  mien_error err;
  if (argc < 2 || !state) return 1;
  snprintf(path, sizeof path, "%s/stored.glb", argv[1]);
  mien_result result = mien_rig_save(state->face->rig, state->face, NULL, path, &err);
  if (result < 0) fprintf(stderr, "%s\n", err.text);
  mien_state_free(state);
  return result < 0;
}
