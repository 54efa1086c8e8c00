// Everything that can be wrong with a rig definition, said before anything is built.
#include "rig/rig.h"

#include <math.h>
#include <string.h>

// 2^31 / 12: indices times three stay inside an int
enum { MOST_VERTICES = 178956970 };

void(mien_rig_def_init)(mien_rig_def *def, size_t struct_size) {
  mi_struct_init(def, struct_size, &(mien_rig_def){.metres_per_unit = 1, .weld = 1}, sizeof *def);
}

static mien_result check_view(const mien_f32s *view, int width, int count, const char *what,
                              mien_error *err) {
  if (!view->data && view->count) return mi_fail(err, MIEN_ERR_ARGUMENT, "%s has no data", what);
  if (view->stride && view->stride < width)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "%s has a stride of %d floats; it needs at least %d",
                   what, view->stride, width);
  if (view->count != count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%s has %d entries, the rig has %d vertices", what,
                   view->count, count);
  return MIEN_OK;
}

static mien_result check_finite(const mien_f32s *view, int width, const char *what,
                                mien_error *err) {
  for (int i = 0; i < view->count; i++) {
    const float *at = mi_f32s_at(view, width, i);
    for (int k = 0; k < width; k++)
      if (!isfinite(at[k]))
        return mi_fail(err, MIEN_ERR_NOT_FINITE, "%s: entry %d is not a finite number", what, i);
  }
  return MIEN_OK;
}

static mien_result check_faces(const mien_rig_def *def, mien_error *err) {
  long long corners = 0;
  int nface = def->face_sizes.data ? def->face_sizes.count : def->faces.count / 3;
  if (!def->faces.data || def->faces.count <= 0)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the rig has no faces");
  if (!def->face_sizes.data && def->faces.count % 3)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d corners do not make whole triangles",
                   def->faces.count);
  for (int f = 0; def->face_sizes.data && f < nface; f++) {
    if (def->face_sizes.data[f] < 3)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "face %d has %d corners; a face needs 3", f,
                     def->face_sizes.data[f]);
    corners += def->face_sizes.data[f];
  }
  if (def->face_sizes.data && corners != def->faces.count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "the faces ask for %lld corners, there are %d", corners,
                   def->faces.count);
  for (int i = 0; i < def->faces.count; i++)
    if (def->faces.data[i] < 0 || def->faces.data[i] >= def->positions.count)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "corner %d names vertex %d; the rig has %d", i,
                     def->faces.data[i], def->positions.count);
  return MIEN_OK;
}

static mien_result check_parts(const mien_rig_def *def, mien_error *err) {
  int vert = 0, face = 0;
  int nface = def->face_sizes.data ? def->face_sizes.count : def->faces.count / 3;
  for (int p = 0; p < def->npart; p++) {
    const mien_part *part = def->parts + p;
    if (!part->name) return mi_fail(err, MIEN_ERR_ARGUMENT, "part %d has no name", p);
    if (part->kind < MIEN_PART_AUTO || part->kind > MIEN_PART_OTHER)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "part '%s' has an unknown kind", part->name);
    if (part->first_vertex != vert || part->nvert < 0 || part->first_triangle != face ||
        part->ntri < 0 || part->nvert > def->positions.count - vert || part->ntri > nface - face)
      return mi_fail(err, MIEN_ERR_MISMATCH, "part '%s' does not follow on from the part before it",
                     part->name);
    vert += part->nvert;
    face += part->ntri;
  }
  if (def->npart && (vert != def->positions.count || face != nface))
    return mi_fail(err, MIEN_ERR_MISMATCH, "the parts cover %d of %d vertices and %d of %d faces",
                   vert, def->positions.count, face, nface);
  return MIEN_OK;
}

static mien_result check_shape(const mien_rig_def *def, int s, mien_error *err) {
  const mien_shape *shape = def->shapes + s;
  if (!shape->name || !shape->name[0])
    return mi_fail(err, MIEN_ERR_ARGUMENT, "shape %d has no name", s);
  int count = shape->indices.data ? shape->indices.count : def->positions.count;
  if (count < 0 || shape->deltas.count != count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "shape '%s' has %d deltas for %d vertices", shape->name,
                   shape->deltas.count, count);
  mien_result result = check_view(&shape->deltas, 3, count, shape->name, err);
  for (int k = 0; result == MIEN_OK && shape->indices.data && k < count; k++)
    if (shape->indices.data[k] < 0 || shape->indices.data[k] >= def->positions.count)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "shape '%s' names vertex %d; the rig has %d",
                     shape->name, shape->indices.data[k], def->positions.count);
  return result;
}

static mien_result check_maps(const mien_rig_def *def, mien_error *err) {
  for (int m = 0; m < def->nmap; m++) {
    const mien_map *map = def->maps + m;
    if (!map->name || !map->name[0])
      return mi_fail(err, MIEN_ERR_ARGUMENT, "map %d has no name", m);
    if (map->width != 1 && map->width != 3)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "map '%s' has width %d; it must be 1 or 3", map->name,
                     map->width);
    mien_result result = check_view(&map->values, map->width, def->positions.count, map->name, err);
    if (result == MIEN_OK) result = check_finite(&map->values, map->width, map->name, err);
    if (result != MIEN_OK) return result;
  }
  return MIEN_OK;
}

static mien_result check_head(const mien_rig_def *def, mien_error *err) {
  if (!(def->metres_per_unit > 0) || !isfinite(def->metres_per_unit))
    return mi_fail(err, MIEN_ERR_OPTIONS, "metres_per_unit must be above 0");
  if (!def->positions.data || def->positions.count <= 0)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the rig has no vertices");
  if (def->positions.count > MOST_VERTICES)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "%d vertices are more than mien can handle",
                   def->positions.count);
  if (def->npart < 0 || def->nshape < 0 || def->nmap < 0 || def->nremark < 0 ||
      (def->npart && !def->parts) || (def->nshape && !def->shapes) || (def->nmap && !def->maps) ||
      (def->nremark && !def->remarks))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "parts, shapes, maps or remarks are missing");
  if (def->landmarks.data && def->landmarks.count != 68)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d landmarks were given; 68 are expected",
                   def->landmarks.count);
  return MIEN_OK;
}

static mien_result check_way_back(const mien_rig_def *def, mien_error *err) {
  for (int k = 0; def->part_spaces && k < 12 * def->npart; k++)
    if (!isfinite(def->part_spaces[k]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "the space of a part is not finite");
  if (!def->file_vertices.data) return MIEN_OK;
  if (def->file_vertices.count != def->positions.count)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d numbers of vertices for %d positions",
                   def->file_vertices.count, def->positions.count);
  for (int i = 0; i < def->file_vertices.count; i++)
    if (def->file_vertices.data[i] < 0 || def->file_vertices.data[i] >= def->positions.count)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "position %d is vertex %d of its mesh", i,
                     def->file_vertices.data[i]);
  return MIEN_OK;
}

static mien_result check_jaw(const mien_jaw *jaw, mien_error *err) {
  if (!jaw->is_known) return MIEN_OK;
  float length2 = 0;
  for (int k = 0; k < 3; k++) {
    if (!isfinite(jaw->hinge[k]) || !isfinite(jaw->axis[k]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "the jaw's hinge is not finite");
    length2 += jaw->axis[k] * jaw->axis[k];
  }
  if (fabsf(length2 - 1) > 1e-3f || !isfinite(jaw->open_angle))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the jaw's axis must be a unit vector");
  return MIEN_OK;
}

mien_result mi_rig_def_check(const mien_rig_def *def, mien_error *err) {
  mien_result result = check_head(def, err);
  if (result == MIEN_OK)
    result = check_view(&def->positions, 3, def->positions.count, "positions", err);
  if (result == MIEN_OK) result = check_finite(&def->positions, 3, "positions", err);
  if (result == MIEN_OK && def->uvs.data)
    result = check_view(&def->uvs, 2, def->positions.count, "uvs", err);
  if (result == MIEN_OK && def->colours.data)
    result = check_view(&def->colours, 4, def->positions.count, "colours", err);
  if (result == MIEN_OK) result = check_faces(def, err);
  if (result == MIEN_OK) result = check_parts(def, err);
  for (int s = 0; result == MIEN_OK && s < def->nshape; s++) result = check_shape(def, s, err);
  if (result == MIEN_OK) result = check_maps(def, err);
  if (result == MIEN_OK) result = check_jaw(&def->jaw, err);
  if (result == MIEN_OK) result = check_way_back(def, err);
  for (int i = 0; result == MIEN_OK && def->landmarks.data && i < 68; i++)
    if (def->landmarks.data[i] < -1 || def->landmarks.data[i] >= def->positions.count)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "landmark %d names vertex %d; the rig has %d", i,
                     def->landmarks.data[i], def->positions.count);
  return result;
}
