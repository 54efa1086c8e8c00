#include "head_rig.h"

#include <stdlib.h>
#include <string.h>

typedef struct totals {
  size_t nvert, ntri, ndelta;
} totals;

static mien_part_kind kind_of(const head_part *part) {
  switch (part->kind) {
  case HEAD_SKIN:
    return MIEN_PART_SKIN;
  case HEAD_SKULL:
    return MIEN_PART_SKULL;
  case HEAD_JAW:
    return MIEN_PART_JAW;
  case HEAD_TEETH:
    return part->follows_jaw ? MIEN_PART_TEETH_LOWER : MIEN_PART_TEETH_UPPER;
  case HEAD_TONGUE:
    return MIEN_PART_TONGUE;
  case HEAD_EYEBALL:
    return strstr(part->name, "left") ? MIEN_PART_EYE_LEFT : MIEN_PART_EYE_RIGHT;
  }
  return MIEN_PART_OTHER;
}

static int moves(const float delta[3]) {
  return delta[0] != 0 || delta[1] != 0 || delta[2] != 0;
}

static totals count(const head_model *model) {
  totals sum = {0};
  for (int p = 0; p < model->npart; p++) {
    const head_part *part = model->part + p;
    sum.nvert += (size_t)part->nsplit;
    sum.ntri += (size_t)part->ntri;
    for (int s = 0; s < model->nshape; s++)
      for (int i = 0; i < part->nsplit; i++)
        sum.ndelta +=
            (size_t)moves(model->shape[s].delta[model->first_vertex[p] + part->split_vertex[i]]);
  }
  return sum;
}

static int reserve(head_rig *rig, const head_model *model, totals sum) {
  rig->parts = calloc((size_t)model->npart, sizeof *rig->parts);
  rig->shapes = calloc((size_t)model->nshape, sizeof *rig->shapes);
  rig->positions = calloc(3 * sum.nvert, sizeof(float));
  rig->uvs = calloc(2 * sum.nvert, sizeof(float));
  rig->colours = calloc(4 * sum.nvert, sizeof(float));
  rig->triangles = calloc(3 * sum.ntri, sizeof(int32_t));
  rig->indices = calloc(sum.ndelta + 1, sizeof(int32_t));
  rig->deltas = calloc(3 * sum.ndelta + 1, sizeof(float));
  return rig->parts && rig->shapes && rig->positions && rig->uvs && rig->colours &&
         rig->triangles && rig->indices && rig->deltas;
}

static void copy_part(head_rig *rig, const head_part *part, int first, int first_tri) {
  for (int i = 0; i < part->nsplit; i++) {
    int v = part->split_vertex[i], to = first + i;
    for (int k = 0; k < 3; k++) {
      rig->positions[3 * to + k] = part->position[v][k];
      rig->colours[4 * to + k] = part->colour[v][k];
    }
    rig->colours[4 * to + 3] = 1;
    rig->uvs[2 * to] = part->split_uv[i][0];
    rig->uvs[2 * to + 1] = part->split_uv[i][1];
  }
  for (int t = 0; t < part->ntri; t++)
    for (int c = 0; c < 3; c++)
      rig->triangles[3 * (first_tri + t) + c] = first + part->split_triangle[t][c];
}

static void copy_shapes(head_rig *rig, const head_model *model) {
  int at = 0;
  for (int s = 0; s < model->nshape; s++) {
    int begin = at;
    for (int p = 0; p < model->npart; p++)
      for (int i = 0; i < model->part[p].nsplit; i++) {
        int v = model->first_vertex[p] + model->part[p].split_vertex[i];
        const float *delta = model->shape[s].delta[v];
        if (!moves(delta)) continue;
        rig->indices[at] = rig->parts[p].first_vertex + i;
        memcpy(rig->deltas + 3 * at++, delta, 3 * sizeof(float));
      }
    rig->shapes[s] = (mien_shape){model->shape[s].name,
                                  {rig->indices + begin, at - begin},
                                  {rig->deltas + 3 * begin, at - begin, 3}};
  }
}

// a landmark is a skin vertex; the first render vertex made from it stands for it
static void copy_landmarks(head_rig *rig, const head_model *model) {
  for (int l = 0; l < HEAD_NLANDMARK; l++) {
    rig->landmarks[l] = -1;
    for (int i = model->part[0].nsplit - 1; i >= 0; i--)
      if (model->part[0].split_vertex[i] == model->landmark[l]) rig->landmarks[l] = i;
  }
}

int head_rig_create(const head_model *model, const char *name, head_rig *rig) {
  memset(rig, 0, sizeof *rig);
  totals sum = count(model);
  if (!reserve(rig, model, sum)) {
    head_rig_free(rig);
    return -1;
  }
  int vert = 0, tri = 0;
  for (int p = 0; p < model->npart; p++) {
    const head_part *part = model->part + p;
    rig->parts[p] = (mien_part){part->name, kind_of(part), vert, part->nsplit, tri, part->ntri};
    copy_part(rig, part, vert, tri);
    vert += part->nsplit;
    tri += part->ntri;
  }
  copy_shapes(rig, model);
  copy_landmarks(rig, model);
  mien_rig_def_init(&rig->def);
  rig->def.name = name;
  rig->def.has_pivot = 1; // the origin is where the neck carries it
  rig->def.positions = (mien_f32s){rig->positions, vert, 3};
  rig->def.uvs = (mien_f32s){rig->uvs, vert, 2};
  rig->def.colours = (mien_f32s){rig->colours, vert, 4};
  rig->def.faces = (mien_i32s){rig->triangles, 3 * tri};
  rig->def.parts = rig->parts;
  rig->def.npart = model->npart;
  rig->def.shapes = rig->shapes;
  rig->def.nshape = model->nshape;
  rig->def.landmarks = (mien_i32s){rig->landmarks, HEAD_NLANDMARK};
  rig->def.jaw.is_known = 1;
  memcpy(rig->def.jaw.hinge, model->jaw.point, sizeof rig->def.jaw.hinge);
  memcpy(rig->def.jaw.axis, model->jaw.axis, sizeof rig->def.jaw.axis);
  rig->def.jaw.open_angle = model->jaw.open_angle;
  return 0;
}

void head_rig_free(head_rig *rig) {
  free(rig->parts);
  free(rig->shapes);
  free(rig->positions);
  free(rig->uvs);
  free(rig->colours);
  free(rig->triangles);
  free(rig->indices);
  free(rig->deltas);
  memset(rig, 0, sizeof *rig);
}
