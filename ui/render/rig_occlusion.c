// Occlusion that follows the jaw: baked with the mouth closed and with it open, mixed by how far a
// pose goes along the jaw-open shape. So teeth come out of the dark as the mouth opens.
#include "rig_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REACH 0.22f // of the head's size: how far things darken each other

static bool is_jaw_open(const char *name) {
  const char *wanted = "jawopen";
  for (; *name; name++) {
    if (*name == '_' || *name == ' ' || *name == '-') continue;
    if (tolower((unsigned char)*name) != *wanted) return false;
    wanted++;
  }
  return *wanted == 0;
}

const mien_shape *rd_find_jaw_shape(const mien_rig_info *rig) {
  for (int i = 0; i < rig->nshape; i++) {
    if (rig->shapes[i].indices.data && is_jaw_open(rig->shapes[i].name)) return &rig->shapes[i];
  }
  return NULL;
}

// How far a pose goes along the jaw-open shape: 0 = closed, 1 = open.
float rd_jaw_opening(const rig_view *view, mien_f32s positions) {
  if (!view->jaw) return 0.0f;
  double along = 0.0, square = 0.0;
  for (int k = 0; k < view->jaw->indices.count; k++) {
    int vertex = view->jaw->indices.data[k];
    rd_vec delta = rd_at(rd_element(view->jaw->deltas, 3, k));
    rd_vec moved = rd_sub(rd_at(rd_element(positions, 3, vertex)),
                          rd_at(rd_element(view->rig->positions, 3, vertex)));
    along += (double)rd_dot(moved, delta);
    square += (double)rd_dot(delta, delta);
  }
  return square > 0.0 ? rd_clamp((float)(along / square), 0.0f, 1.0f) : 0.0f;
}

// Everything but lashes and hair darkens.
static int32_t *dark_triangles(const mien_rig_info *rig, int *ntri) {
  int32_t *triangles = RD_NEW(int32_t, rig->triangles.count);
  *ntri = 0;
  for (int p = 0; p < rig->npart && triangles; p++) {
    const mien_part *part = &rig->parts[p];
    if (part->kind == MIEN_PART_OTHER) continue;
    memcpy(triangles + 3 * (ptrdiff_t)*ntri,
           rig->triangles.data + 3 * (ptrdiff_t)part->first_triangle,
           3 * (size_t)part->ntri * sizeof *triangles);
    *ntri += part->ntri;
  }
  return triangles;
}

static float head_size(const mien_rig_info *rig) {
  float size = 0.0f;
  for (int k = 0; k < 3; k++) size = rd_max(size, rig->box_max[k] - rig->box_min[k]);
  return size > 0.0f ? size : 1.0f;
}

mien_result rd_bake_occlusion(rig_view *view, mien_error *err) {
  const mien_rig_info *rig = view->rig;
  int ntri = 0;
  if (view->is_plain) {
    view->open[0] = RD_NEW(float, rig->nvert);
    if (!view->open[0]) return rd_fail_memory(err);
    for (int i = 0; i < rig->nvert; i++) view->open[0][i] = 1;
    return MIEN_OK;
  }
  int32_t *triangles = dark_triangles(rig, &ntri);
  float *pose = RD_NEW(float, 3 * (size_t)rig->nvert);
  mien_result result = triangles && pose ? MIEN_OK : rd_fail_memory(err);
  for (int i = 0; i < rig->nvert && result >= 0; i++) {
    memcpy(pose + 3 * (ptrdiff_t)i, rd_element(rig->positions, 3, i), 3 * sizeof *pose);
  }
  for (int jaw = 0; jaw < (view->jaw ? 2 : 1) && result >= 0; jaw++) {
    for (int k = 0; jaw && k < view->jaw->indices.count; k++) {
      float *p = pose + 3 * (ptrdiff_t)view->jaw->indices.data[k];
      for (int c = 0; c < 3; c++) p[c] += rd_element(view->jaw->deltas, 3, k)[c];
    }
    view->open[jaw] = RD_NEW(float, rig->nvert);
    if (!view->open[jaw]) {
      result = rd_fail_memory(err);
    } else if (ntri) {
      result = render_occlusion((mien_f32s){pose, rig->nvert, 3}, (mien_i32s){triangles, 3 * ntri},
                                REACH * head_size(rig), view->open[jaw], err);
    }
  }
  free(triangles);
  free(pose);
  return result;
}

mien_result rd_paint_occlusion(rig_view *view, float opening, mien_error *err) {
  mien_result result = MIEN_OK;
  for (int p = 0; p < view->npart && result >= 0; p++) {
    const rd_view_part *part = &view->parts[p];
    for (int i = 0; i < part->nvert; i++) {
      int vertex = part->source[i];
      float open = view->open[0][vertex];
      if (view->open[1]) open += opening * (view->open[1][vertex] - open);
      view->scratch[i] = part->look.least_open + (1.0f - part->look.least_open) * open;
    }
    result = render_mesh_paint(part->mesh, (mien_f32s){NULL, 0, 0},
                               (mien_f32s){view->scratch, part->nvert, 1}, err);
  }
  view->painted_jaw = opening;
  return result;
}
