#include "creature_model.h"

#include <stdlib.h>

enum { MELT_REACH = 4, MELT_PASSES = 12 };

// Where two pieces of the model meet the seam gets distance 0, its neighbours 1, and so on.
static void spread_distance(const creature_model *model, int *distance) {
  const mesh_builder *mesh = &model->store->mesh;
  for (int v = 0; v < model->nskin; v++) distance[v] = MELT_REACH;
  for (int c = 0; c < CREATURE_COLUMNS; c++) distance[model->mouth[c]] = 0;
  for (int e = 0; e < 2; e++) {
    for (int j = 0; j < CREATURE_LID_SIDES; j++) distance[model->eye[e].loop[j]] = 0;
  }
  for (int i = 0; i < CREATURE_TENTACLES; i++) {
    for (int j = 0; j < CREATURE_SIDES; j++) distance[model->root_loop[i][j]] = 0;
  }
  for (int pass = 1; pass < MELT_REACH; pass++) {
    for (int t = 0; t < mesh->ntri; t++) {
      for (int k = 0; k < 3; k++) {
        int from = mesh->triangle[t][k], to = mesh->triangle[t][(k + 1) % 3];
        if (distance[from] == pass - 1 && distance[to] > pass) distance[to] = pass;
        if (distance[to] == pass - 1 && distance[from] > pass) distance[from] = pass;
      }
    }
  }
}

typedef struct neighbourhood {
  vec3 sum;
  int count;
} neighbourhood;

static void melt_once(creature_model *model, const int *distance, neighbourhood *near) {
  static const double SHARE[MELT_REACH + 1] = {0.5, 0.4, 0.25, 0.12, 0.0};
  const mesh_builder *mesh = &model->store->mesh;
  for (int v = 0; v < model->nskin; v++) near[v] = (neighbourhood){v3(0, 0, 0), 0};
  // Inner edges are seen from both sides, which weighs all neighbours of an inner vertex alike.
  for (int t = 0; t < mesh->ntri; t++) {
    for (int k = 0; k < 3; k++) {
      int v = mesh->triangle[t][k];
      for (int j = 1; j < 3; j++) {
        near[v].sum = v3_add(near[v].sum, creature_position(model, mesh->triangle[t][(k + j) % 3]));
        near[v].count++;
      }
    }
  }
  for (int v = 0; v < model->nskin; v++) {
    double share = SHARE[distance[v]];
    int is_margin = model->skin[v].kind == SKIN_LID && model->skin[v].row > 2.0;
    if (share == 0.0 || is_margin) continue;
    vec3 mean = v3_scale(near[v].sum, 1.0 / near[v].count);
    creature_move(model, v, v3_mix(creature_position(model, v), mean, share));
  }
}

// The skin around an eye must not have sunk into the eyeball.
static void lift_off_eyes(creature_model *model) {
  const double lid = 0.0026; // m
  for (int v = 0; v < model->nskin; v++) {
    const skin_vertex *s = &model->skin[v];
    if (s->kind != SKIN_FACE && (s->kind != SKIN_LID || s->row > 3.0)) continue;
    for (int e = 0; e < 2; e++) {
      const creature_eye *eye = &model->eye[e];
      vec3 from = v3_sub(creature_position(model, v), eye->centre);
      double distance = v3_length(from), least = eye->radius + lid;
      if (distance < least) creature_move(model, v, v3_madd(eye->centre, least / distance, from));
    }
  }
}

void creature_model_melt(creature_model *model) {
  int *distance = malloc((size_t)model->nskin * sizeof *distance);
  neighbourhood *near = malloc((size_t)model->nskin * sizeof *near);
  if (distance && near) {
    spread_distance(model, distance);
    for (int pass = 0; pass < MELT_PASSES; pass++) melt_once(model, distance, near);
    lift_off_eyes(model);
  } else {
    model->store->mesh.failed = 1;
  }
  free(distance);
  free(near);
}
