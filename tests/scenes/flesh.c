#include "scene.h"

scene_flesh scene_flesh_create(scene_mesh mesh, const mien_rig_def *def, const mien_host *host) {
  scene_flesh f = {.mesh = mesh};
  assert_true(mien_rig_create(def, NULL, &f.rig, NULL) >= 0);
  assert_true(mien_face_create(f.rig, NULL, host, &f.face, NULL) >= 0);
  assert_int_equal(mien_state_create(f.face, host, &f.state, NULL), MIEN_OK);
  return f;
}

void scene_flesh_free(scene_flesh *flesh) {
  mien_state_free(flesh->state);
  mien_face_free(flesh->face);
  mien_rig_free(flesh->rig);
  scene_mesh_free(&flesh->mesh);
}
