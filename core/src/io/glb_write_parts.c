// How the rig falls into the parts of a written .glb.
#include "io/glb_writer.h"

static bool list_vertices(mi_glb_writer *w) {
  const mien_rig_info *rig = w->rig;
  int *part_of = mi_glb_take(w, (size_t)rig->nvert, sizeof *part_of);
  int *count = mi_glb_take(w, (size_t)rig->npart, sizeof *count);
  w->local = mi_glb_take(w, (size_t)rig->nrender, sizeof *w->local);
  if (!part_of || !count || !w->local) return false;
  for (int p = 0; p < rig->npart; p++)
    for (int i = 0; i < rig->parts[p].nvert; i++) part_of[rig->parts[p].first_vertex + i] = p;
  for (int v = 0; v < rig->nrender; v++) w->local[v] = count[part_of[rig->render_map.data[v]]]++;
  for (int p = 0; p < rig->npart; p++) {
    int32_t *render = mi_glb_take(w, (size_t)count[p], sizeof *render);
    int32_t *welded = mi_glb_take(w, (size_t)count[p], sizeof *welded);
    if (!render || !welded) return false;
    w->part[p] = (mi_glb_out){.render = render, .welded = welded, .nvert = count[p]};
    for (int v = 0; v < rig->nrender; v++) {
      int32_t from = rig->render_map.data[v];
      if (part_of[from] != p) continue;
      render[w->local[v]] = v;
      welded[w->local[v]] = from;
    }
  }
  return true;
}

static bool does_move(const mien_shape *shape, const mien_part *part) {
  for (int k = 0; k < shape->indices.count; k++) {
    int i = shape->indices.data[k] - part->first_vertex;
    if (i >= 0 && i < part->nvert) return true;
  }
  return false;
}

static bool list_shapes(mi_glb_writer *w) {
  const mien_rig_info *rig = w->rig;
  for (int p = 0; p < rig->npart; p++) {
    mi_glb_out *out = &w->part[p];
    out->shape = mi_glb_take(w, (size_t)rig->nshape, sizeof *out->shape);
    if (!out->shape) return false;
    for (int s = 0; s < rig->nshape; s++)
      if (does_move(&rig->shapes[s], &rig->parts[p])) out->shape[out->nshape++] = s;
    if (out->nshape > w->part[w->main_part].nshape) w->main_part = p;
  }
  for (int p = rig->npart - 1; p >= 0; p--)
    if (rig->parts[p].kind == MIEN_PART_SKIN && w->part[p].nvert) w->main_part = p;
  // shapes that move nothing go to the main part, in the rig's order
  mi_glb_out *out = &w->part[w->main_part];
  int *all = mi_glb_take(w, (size_t)rig->nshape, sizeof *all), n = 0;
  if (!all) return false;
  for (int s = 0, k = 0; s < rig->nshape; s++) {
    bool is_listed = k < out->nshape && out->shape[k] == s;
    k += is_listed;
    if (is_listed || rig->shapes[s].indices.count == 0) all[n++] = s;
  }
  out->shape = all;
  out->nshape = n;
  return true;
}

// Smooth normals over the welded surface, each triangle weighted by its area.
static bool make_normals(mi_glb_writer *w) {
  const mien_rig_info *rig = w->rig;
  double *sum = mi_glb_take(w, 3 * (size_t)rig->nvert, sizeof *sum);
  w->normals = mi_glb_take(w, 3 * (size_t)rig->nvert, sizeof *w->normals);
  if (!sum || !w->normals) return false;
  for (int t = 0; t < rig->ntri; t++) {
    const int32_t *corner = rig->triangles.data + 3 * (size_t)t;
    const float *p[3];
    for (int c = 0; c < 3; c++) p[c] = rig->positions.data + 3 * (size_t)corner[c];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
      u[k] = (double)p[1][k] - (double)p[0][k];
      v[k] = (double)p[2][k] - (double)p[0][k];
    }
    for (int k = 0; k < 3; k++) {
      double cross = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
      for (int c = 0; c < 3; c++) sum[3 * (size_t)corner[c] + (size_t)k] += cross;
    }
  }
  for (int i = 0; i < rig->nvert; i++) {
    const double *n = sum + 3 * (size_t)i;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
      w->normals[3 * (size_t)i + (size_t)k] = length > 0 ? (float)(n[k] / length) : (float)(k == 2);
  }
  return true;
}

bool mi_glb_split_parts(mi_glb_writer *w) {
  w->part = mi_glb_take(w, (size_t)w->rig->npart, sizeof *w->part);
  w->slot = mi_glb_take(w, (size_t)w->rig->nvert, sizeof *w->slot);
  if (!w->part || !w->slot) return false;
  for (int i = 0; i < w->rig->nvert; i++) w->slot[i] = -1;
  return list_vertices(w) && list_shapes(w) && make_normals(w);
}
