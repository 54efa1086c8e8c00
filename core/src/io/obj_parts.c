// Groups of an OBJ file as parts. A part is a stretch of vertices and a stretch of faces; groups
// that share vertices or are mixed cannot be that, and then the whole mesh is one part.
#include "io/obj.h"

#include <string.h>

// The group of every vertex, -1 where no face uses it. False when two groups share one.
static bool group_vertices(const mi_obj *obj, int32_t *group) {
  for (int v = 0; v < obj->nvert; v++) group[v] = -1;
  for (int f = 0, at = 0; f < obj->nface; at += obj->face_size[f], f++)
    for (int i = at; i < at + obj->face_size[f]; i++) {
      int32_t *mine = &group[obj->corner_vert[i]];
      if (*mine >= 0 && *mine != obj->face_group[f]) return false;
      *mine = obj->face_group[f];
    }
  return true;
}

// How many stretches the values make, -1 when one comes back after another; values of -1 belong to
// the stretch they lie in. first[value] is where a value starts.
static int find_stretches(const int32_t *value, int count, int32_t *first, int nvalue) {
  int nstretch = 0, last = -1;
  for (int i = 0; i < nvalue; i++) first[i] = -1;
  for (int i = 0; i < count; i++) {
    if (value[i] < 0 || value[i] == last) continue;
    last = value[i];
    if (first[last] >= 0) return -1;
    first[last] = nstretch ? i : 0;
    nstretch++;
  }
  return nstretch;
}

static bool are_sorted_alike(const mi_obj *obj, const int32_t *vert_first,
                             const int32_t *face_first) {
  // walking through the faces' stretches must walk through the vertices' in the same order
  int last = -1;
  for (int f = 0; f < obj->nface; f++) {
    int g = obj->face_group[f];
    if (g < 0 || face_first[g] != f) continue;
    if (vert_first[g] < last) return false;
    last = vert_first[g];
  }
  return true;
}

static mien_result fill_parts(mi_obj_rig *rig, const int32_t *vert_first, int npart,
                              mien_rig_def *def) {
  const mi_obj *obj = &rig->neutral;
  mien_part *parts = MI_PUSH(&rig->arena, mien_part, npart);
  if (!parts) return mi_fail_memory(rig->err);
  int p = -1, last = -1;
  for (int f = 0; f < obj->nface; f++) {
    int g = obj->face_group[f];
    if (g != last) {
      parts[++p] = (mien_part){.name = obj->groups.name[g],
                               .first_vertex = rig->first_render[vert_first[g]],
                               .first_triangle = f};
      if (p) parts[p - 1].nvert = parts[p].first_vertex - parts[p - 1].first_vertex;
    }
    last = g;
    parts[p].ntri++;
  }
  parts[p].nvert = rig->nrender - parts[p].first_vertex;
  def->parts = parts;
  def->npart = npart;
  return MIEN_OK;
}

mien_result mi_obj_make_parts(mi_obj_rig *rig, mien_rig_def *def) {
  const mi_obj *obj = &rig->neutral;
  int ngroup = obj->groups.count;
  if (ngroup < 2) return MIEN_OK;
  int32_t *group = MI_PUSH(&rig->arena, int32_t, obj->nvert);
  int32_t *vert_first = MI_PUSH(&rig->arena, int32_t, ngroup);
  int32_t *face_first = MI_PUSH(&rig->arena, int32_t, ngroup);
  if (!group || !vert_first || !face_first) return mi_fail_memory(rig->err);
  bool is_clean = group_vertices(obj, group);
  for (int f = 0; f < obj->nface; f++) is_clean &= obj->face_group[f] >= 0;
  int npart = is_clean ? find_stretches(obj->face_group, obj->nface, face_first, ngroup) : -1;
  if (npart >= 0) is_clean = find_stretches(group, obj->nvert, vert_first, ngroup) == npart;
  if (npart < 0 || !is_clean || !are_sorted_alike(obj, vert_first, face_first)) {
    if (!mi_remark(&rig->remarks, "the groups of the OBJ file share vertices or are mixed: all is "
                                  "read as one part"))
      return mi_fail_memory(rig->err);
    return MIEN_OK;
  }
  return npart < 2 ? MIEN_OK : fill_parts(rig, vert_first, npart, def);
}
