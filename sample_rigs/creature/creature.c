#include "creature.h"

#include "creature_model.h"

#include <stdlib.h>

int creature_vertex(creature_model *model, vec3 p, skin_vertex what) {
  mesh_builder *mesh = &model->store->mesh;
  if (model->nskin == CREATURE_SKIN_MAX) {
    mesh->failed = 1;
    return -1;
  }
  int v = mesh_builder_vertex(mesh, (float)p.x, (float)p.y, (float)p.z);
  if (v >= 0) model->skin[model->nskin++] = what;
  return v;
}

vec3 creature_position(const creature_model *model, int v) {
  if (v < 0) return v3(0, 0, 0);
  const float *p = model->store->mesh.position[v];
  return v3(p[0], p[1], p[2]);
}

void creature_move(creature_model *model, int v, vec3 p) {
  float *to = model->store->mesh.position[v];
  to[0] = (float)p.x;
  to[1] = (float)p.y;
  to[2] = (float)p.z;
}

static int build(creature_model *model) {
  creature_model_face(model);
  creature_model_lips(model);
  creature_model_lids(model);
  creature_model_tentacles(model);
  if (model->store->mesh.failed) return -1;
  creature_model_melt(model);
  rig_store_part(model->store, "skin", MIEN_PART_SKIN);
  creature_model_bones(model);
  if (model->store->mesh.failed) return -1;
  creature_paint(model);
  if (creature_model_shapes(model) != 0 || rig_store_define(model->store, "elder") != 0) return -1;
  model->store->def.jaw =
      (mien_jaw){.is_known = 1,
                 .hinge = {(float)model->hinge.x, (float)model->hinge.y, (float)model->hinge.z},
                 .axis = {1.0f, 0.0f, 0.0f},
                 .open_angle = (float)model->open_angle};
  return 0;
}

int creature_create(creature_rig *out) {
  rig_store_init(&out->store);
  creature_model *model = calloc(1, sizeof *model);
  if (!model) return -1;
  model->store = &out->store;
  model->hinge = v3(0.0, -0.012, -0.010);
  model->open_angle = 0.26;
  int result = build(model);
  free(model);
  if (result != 0) rig_store_free(&out->store);
  return result;
}

void creature_free(creature_rig *rig) {
  rig_store_free(&rig->store);
}
