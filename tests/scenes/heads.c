#include "scenes/heads.h"

#include <stdlib.h>

static mien_rig *rig;
static mien_face *faces[2];

static void free_all(void) {
  for (int k = 0; k < 2; k++) mien_face_free(faces[k]);
  mien_rig_free(rig);
}

mien_rig *head_rig(void) {
  mien_error err;
  if (rig) return rig;
  if (mien_rig_load(MIEN_SAMPLE_DIR "/head_small.glb", NULL, &rig, &err) < 0)
    fail_msg("%s", err.text);
  atexit(free_all);
  return rig;
}

mien_face *head_face(bool has_muscles) {
  mien_error err;
  mien_face_def def;
  mien_face_def_init(&def);
  def.muscles = has_muscles;
  if (!faces[has_muscles] &&
      mien_face_create(head_rig(), &def, NULL, faces + has_muscles, &err) < 0)
    fail_msg("%s", err.text);
  return faces[has_muscles];
}
