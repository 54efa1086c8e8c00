// How the rig falls into the parts of a written .glb.
#include "io/glb_writer.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Render vertices of other parts that the part's triangles use, each once, sorted. NULL when memory
// ends.
static int32_t *list_borrowed(mi_glb_writer *w, int p, int *count) {
  const mien_rig_info *rig = w->rig;
  const mien_part *part = &rig->parts[p];
  const int32_t *corner = rig->render_triangles.data + 3 * (size_t)part->first_triangle;
  int n = 0, kept = 0;
  for (int i = 0; i < 3 * part->ntri; i++) n += w->part_of[rig->render_map.data[corner[i]]] != p;
  int32_t *list = mi_glb_take(w, (size_t)n, sizeof *list);
  if (!list) return NULL;
  n = 0;
  for (int i = 0; i < 3 * part->ntri; i++)
    if (w->part_of[rig->render_map.data[corner[i]]] != p) list[n++] = corner[i];
  qsort(list, (size_t)n, sizeof *list, by_number);
  for (int i = 0; i < n; i++)
    if (i == 0 || list[i] != list[i - 1]) list[kept++] = list[i];
  *count = kept;
  return list;
}

static const int32_t *number_corners(mi_glb_writer *w, int p, const int32_t *borrowed, int count) {
  const mien_rig_info *rig = w->rig;
  const mien_part *part = &rig->parts[p];
  const int32_t *from = rig->render_triangles.data + 3 * (size_t)part->first_triangle;
  int32_t *corner = mi_glb_take(w, 3 * (size_t)part->ntri, sizeof *corner);
  for (int i = 0; corner && i < 3 * part->ntri; i++) {
    corner[i] = w->local[from[i]];
    if (w->part_of[rig->render_map.data[from[i]]] == p) continue;
    const int32_t *at = bsearch(&from[i], borrowed, (size_t)count, sizeof *borrowed, by_number);
    corner[i] = w->part[p].nown + (int32_t)(at - borrowed);
  }
  return corner;
}

static bool list_part(mi_glb_writer *w, int p, int nown) {
  const mien_rig_info *rig = w->rig;
  int nborrowed = 0;
  int32_t *borrowed = list_borrowed(w, p, &nborrowed);
  int32_t *render = mi_glb_take(w, (size_t)(nown + nborrowed), sizeof *render);
  int32_t *welded = mi_glb_take(w, (size_t)(nown + nborrowed), sizeof *welded);
  if (!borrowed || !render || !welded) return false;
  for (int v = 0; v < rig->nrender; v++)
    if (w->part_of[rig->render_map.data[v]] == p) render[w->local[v]] = v;
  memcpy(render + nown, borrowed, (size_t)nborrowed * sizeof *render);
  for (int i = 0; i < nown + nborrowed; i++) welded[i] = rig->render_map.data[render[i]];
  w->part[p] =
      (mi_glb_out){.render = render, .welded = welded, .nvert = nown + nborrowed, .nown = nown};
  w->part[p].corner = number_corners(w, p, borrowed, nborrowed);
  return w->part[p].corner != NULL;
}

static bool list_vertices(mi_glb_writer *w) {
  const mien_rig_info *rig = w->rig;
  int *count = mi_glb_take(w, (size_t)rig->npart, sizeof *count);
  w->part_of = mi_glb_take(w, (size_t)rig->nvert, sizeof *w->part_of);
  w->local = mi_glb_take(w, (size_t)rig->nrender, sizeof *w->local);
  if (!count || !w->part_of || !w->local) return false;
  for (int p = 0; p < rig->npart; p++)
    for (int i = 0; i < rig->parts[p].nvert; i++) w->part_of[rig->parts[p].first_vertex + i] = p;
  for (int v = 0; v < rig->nrender; v++) w->local[v] = count[w->part_of[rig->render_map.data[v]]]++;
  for (int p = 0; p < rig->npart; p++)
    if (!list_part(w, p, count[p])) return false;
  return true;
}

// Whether a shape, spread out in w->slot, moves a vertex of the part.
static bool does_move(const mi_glb_writer *w, const mi_glb_out *out) {
  for (int i = 0; i < out->nvert; i++)
    if (w->slot[out->welded[i]] >= 0) return true;
  return false;
}

static void spread(mi_glb_writer *w, const mien_shape *shape, bool is_set) {
  for (int k = 0; k < shape->indices.count; k++) w->slot[shape->indices.data[k]] = is_set ? k : -1;
}

static bool list_shapes(mi_glb_writer *w) {
  const mien_rig_info *rig = w->rig;
  for (int p = 0; p < rig->npart; p++) {
    w->part[p].shape = mi_glb_take(w, (size_t)rig->nshape, sizeof *w->part[p].shape);
    if (!w->part[p].shape) return false;
  }
  for (int s = 0; s < rig->nshape; s++) {
    spread(w, &rig->shapes[s], true);
    for (int p = 0; p < rig->npart; p++)
      if (does_move(w, &w->part[p])) w->part[p].shape[w->part[p].nshape++] = s;
    spread(w, &rig->shapes[s], false);
  }
  for (int p = 0; p < rig->npart; p++)
    if (w->part[p].nshape > w->part[w->main_part].nshape) w->main_part = p;
  for (int p = rig->npart - 1; p >= 0; p--)
    if (rig->parts[p].kind == MIEN_PART_SKIN && w->part[p].nvert) w->main_part = p;
  // shapes without deltas go to the main part, in the rig's order
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
