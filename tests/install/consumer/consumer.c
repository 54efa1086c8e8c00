#include <mien/mien.h>
#include <stdio.h>

// A stranger's program: loads a rig, gives it flesh, takes one step.
int main(int argc, char **argv) {
  mien_rig *rig = NULL;
  mien_face *face = NULL;
  mien_state *state = NULL;
  mien_error err;
  if (argc != 2 || mien_version() != MIEN_VERSION) return 2;
  if (mien_rig_load(argv[1], NULL, &rig, &err) < 0 ||
      mien_face_create(rig, NULL, NULL, &face, &err) < 0 ||
      mien_state_create(face, NULL, &state, &err) < 0 || mien_step(state, NULL, NULL, &err) < 0) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  printf("%d tetrahedra, hash %016llx\n", mien_face_get_info(face)->ntet,
         (unsigned long long)mien_state_hash(state));
  mien_state_free(state);
  mien_face_free(face);
  mien_rig_free(rig);
  return 0;
}
