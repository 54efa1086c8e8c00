// make_state_seeds FOLDER: snapshots to begin with. They carry the hash of a face and so belong to
// one build; that is why they are made with it.
#include "small_face.h"

#include <stdio.h>
#include <stdlib.h>

static int write_seed(const mien_state *state, const char *folder, const char *name) {
  char path[4096];
  size_t size = mien_state_size(state);
  void *bytes = malloc(size);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = bytes ? fopen(path, "wb") : NULL;
  int done =
      file && mien_state_write(state, bytes, size, NULL) >= 0 && fwrite(bytes, size, 1, file) == 1;
  if (file && fclose(file)) done = 0;
  free(bytes);
  if (!done) fprintf(stderr, "'%s' could not be written\n", path);
  return done;
}

int main(int argc, char **argv) {
  if (argc != 2) return fputs("usage: make_state_seeds FOLDER\n", stderr), 2;
  mien_state *state = small_face_state();
  int done = state && write_seed(state, argv[1], "rest.state") &&
             small_face_step(state, MIEN_SOLVER_AUTO, 0) &&
             small_face_step(state, MIEN_SOLVER_AUTO, 0.02) &&
             write_seed(state, argv[1], "moving.state");
  mien_state_free(state);
  return done ? 0 : 1;
}
