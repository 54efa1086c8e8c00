// Polygons into triangles. Quads are cut along the shorter diagonal of the rest pose (the better
// triangles, and the same ones every time); larger polygons are fanned from their first corner.
#include "rig/build.h"

#include "math/vec.h"

static bool cut_the_other_way(const mi_rig_build *b, const int32_t *corner) {
  mi_vec3 p[4];
  for (int k = 0; k < 4; k++)
    p[k] = mi_vec3_load(b->rig->positions + 3 * (size_t)b->weld[corner[k]]);
  return mi_distance(p[1], p[3]) < mi_distance(p[0], p[2]) * (1 - 1e-6);
}

static void emit(const mi_rig_build *b, int32_t *render, int32_t *welded, int *ntri, int i, int j,
                 int k) {
  const int32_t corner[3] = {i, b->is_inside_out ? k : j, b->is_inside_out ? j : k};
  for (int c = 0; c < 3; c++) {
    render[3 * *ntri + c] = corner[c];
    welded[3 * *ntri + c] = b->weld[corner[c]];
  }
  ++*ntri;
}

static bool mark_backs(mi_rig_build *b, int ntri) {
  if (!b->nback) return true;
  b->rig->is_back = MI_PUSH(&b->rig->arena, bool, ntri);
  for (int f = 0; b->rig->is_back && f < b->nface; f++)
    for (int t = b->face_first_tri[f]; t < b->face_first_tri[f + 1]; t++)
      b->rig->is_back[t] = b->is_back[f];
  return b->rig->is_back != NULL;
}

mien_result mi_rig_triangulate(mi_rig_build *b) {
  const mien_rig_def *def = b->def;
  int ntri = def->faces.count - 2 * b->nface, done = 0;
  int32_t *render = MI_PUSH(&b->rig->arena, int32_t, 3 * (size_t)ntri);
  b->rig->triangles = MI_PUSH(&b->rig->arena, int32_t, 3 * (size_t)ntri);
  b->face_first_tri = MI_PUSH(&b->scratch, int32_t, (size_t)b->nface + 1);
  if (!render || !b->rig->triangles || !b->face_first_tri) return mi_fail_memory(b->err);
  const int32_t *corner = def->faces.data;
  for (int f = 0; f < b->nface; f++) {
    int size = def->face_sizes.data ? def->face_sizes.data[f] : 3;
    b->face_first_tri[f] = done;
    if (size == 4 && cut_the_other_way(b, corner)) {
      emit(b, render, b->rig->triangles, &done, corner[0], corner[1], corner[3]);
      emit(b, render, b->rig->triangles, &done, corner[1], corner[2], corner[3]);
    } else {
      for (int k = 1; k + 1 < size; k++)
        emit(b, render, b->rig->triangles, &done, corner[0], corner[k], corner[k + 1]);
    }
    corner += size;
  }
  b->face_first_tri[b->nface] = done;
  if (!mark_backs(b, ntri)) return mi_fail_memory(b->err);
  b->rig->info.ntri = ntri;
  b->rig->info.triangles = (mien_i32s){b->rig->triangles, 3 * ntri};
  b->rig->info.render_triangles = (mien_i32s){render, 3 * ntri};
  return MIEN_OK;
}
