// One part as a glTF mesh.
#include "io/glb_writer.h"

#include <stdio.h>

// Rows `which[i]` of a view, one after the other.
static float *gather_rows(mi_glb_writer *w, const mien_f32s *from, int width, const int32_t *which,
                          int count) {
  size_t n = (size_t)width, stride = (size_t)(from->stride ? from->stride : width);
  float *to = mi_glb_take(w, (size_t)count * n, sizeof *to);
  for (int i = 0; to && i < count; i++)
    memcpy(to + (size_t)i * n, from->data + (size_t)which[i] * stride, n * sizeof *to);
  return to;
}

static void add_attribute(mi_glb_writer *w, json_t *attributes, const char *name, const float *data,
                          int count, int width) {
  if (!data) return;
  mi_glb_set(w, attributes, name,
             json_integer(mi_glb_add_floats(w, data, count, width, MI_GLB_VERTICES)));
}

static void add_positions(mi_glb_writer *w, json_t *attributes, const mi_glb_out *out) {
  float low[3], high[3];
  float *data = gather_rows(w, &w->rig->positions, 3, out->welded, out->nvert);
  if (!data) return;
  mi_glb_bounds(data, out->nvert, 3, low, high);
  size_t size = 3 * (size_t)out->nvert * sizeof *data;
  mi_glb_array array = {.view = mi_glb_add_view(w, data, size, MI_GLB_VERTICES),
                        .component = MI_GLB_FLOAT,
                        .count = out->nvert,
                        .width = 3,
                        .low = low,
                        .high = high};
  mi_glb_set(w, attributes, "POSITION", json_integer(mi_glb_add_accessor(w, &array)));
}

static bool is_zero_on(const mien_map *map, const int32_t *welded, int count) {
  int stride = map->values.stride ? map->values.stride : map->width;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < map->width; k++)
      if (map->values.data[(size_t)welded[i] * (size_t)stride + (size_t)k] != 0) return false;
  return true;
}

// A map is left out of parts where it is zero, which is what readers fill in, but not of the main
// part: the map itself must not get lost.
static void add_maps(mi_glb_writer *w, json_t *attributes, int p) {
  const mi_glb_out *out = &w->part[p];
  for (int m = 0; m < w->nmap; m++) {
    const mien_map *map = &w->maps[m];
    if (p != w->main_part && is_zero_on(map, out->welded, out->nvert)) continue;
    char name[256];
    snprintf(name, sizeof name, "_MIEN_%s", map->name);
    for (char *at = name; *at; at++)
      if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 32);
    float *data = gather_rows(w, &map->values, map->width, out->welded, out->nvert);
    add_attribute(w, attributes, name, data, out->nvert, map->width);
  }
}

static void add_numbers(mi_glb_writer *w, json_t *attributes, const mi_glb_out *out) {
  float *data = out->file_vertex ? mi_glb_take(w, (size_t)out->nvert, sizeof *data) : NULL;
  for (int i = 0; data && i < out->nvert; i++) data[i] = (float)out->file_vertex[i];
  if (data) add_attribute(w, attributes, "_MIEN_FILE_VERTEX", data, out->nvert, 1);
}

static int add_corners(mi_glb_writer *w, int p) {
  const int32_t *corner = w->part[p].corner;
  int count = 3 * w->rig->parts[p].ntri;
  bool is_wide = w->part[p].nvert >= UINT16_MAX; // 65535 itself is reserved
  size_t size = is_wide ? sizeof(uint32_t) : sizeof(uint16_t);
  void *data = mi_glb_take(w, (size_t)count, size);
  uint32_t *wide = data;
  uint16_t *narrow = data;
  for (int i = 0; data && i < count; i++) {
    if (is_wide) wide[i] = (uint32_t)corner[i];
    if (!is_wide) narrow[i] = (uint16_t)corner[i];
  }
  mi_glb_array array = {.view = mi_glb_add_view(w, data, (size_t)count * size, MI_GLB_CORNERS),
                        .component = is_wide ? MI_GLB_UINT : MI_GLB_USHORT,
                        .count = count,
                        .width = 1};
  return mi_glb_add_accessor(w, &array);
}

// -- Morph targets --------------------------------------------------------------------------------

static bool collect_moved(mi_glb_writer *w, const mi_glb_out *out, const mien_shape *shape,
                          mi_glb_moved *to) {
  for (int i = 0; i < out->nvert; i++) to->count += w->slot[out->welded[i]] >= 0;
  to->vert = mi_glb_take(w, (size_t)to->count, sizeof *to->vert);
  to->delta = mi_glb_take(w, 3 * (size_t)to->count, sizeof *to->delta);
  if (!to->vert || !to->delta) return false;
  int stride = shape->deltas.stride ? shape->deltas.stride : 3;
  for (int i = 0, n = 0; i < out->nvert; i++) {
    int k = w->slot[out->welded[i]];
    if (k < 0) continue;
    to->vert[n] = (uint32_t)i;
    memcpy(to->delta + 3 * (size_t)n++, shape->deltas.data + (size_t)k * (size_t)stride,
           3 * sizeof *to->delta);
  }
  return true;
}

static json_t *make_sparse(mi_glb_writer *w, const mi_glb_moved *from, bool is_wide) {
  size_t index_size = is_wide ? sizeof(uint32_t) : sizeof(uint16_t);
  const void *index = from->vert;
  if (!is_wide) {
    uint16_t *narrow = mi_glb_take(w, (size_t)from->count, sizeof *narrow);
    for (int k = 0; narrow && k < from->count; k++) narrow[k] = (uint16_t)from->vert[k];
    index = narrow;
  }
  int indices = mi_glb_add_view(w, index, (size_t)from->count * index_size, 0);
  int values = mi_glb_add_view(w, from->delta, 3 * (size_t)from->count * sizeof(float), 0);
  return mi_glb_keep(w, json_pack("{s:i, s:{s:i, s:i}, s:{s:i}}", "count", from->count, "indices",
                                  "bufferView", indices, "componentType",
                                  is_wide ? MI_GLB_UINT : MI_GLB_USHORT, "values", "bufferView",
                                  values));
}

static int add_dense(mi_glb_writer *w, const mi_glb_moved *from, int nvert) {
  float *all = mi_glb_take(w, 3 * (size_t)nvert, sizeof *all);
  for (int k = 0; all && k < from->count; k++)
    memcpy(all + 3 * (size_t)from->vert[k], from->delta + 3 * (size_t)k, 3 * sizeof *all);
  return mi_glb_add_view(w, all, 3 * (size_t)nvert * sizeof *all, MI_GLB_VERTICES);
}

int mi_glb_add_moved(mi_glb_writer *w, const mi_glb_moved *moved, int nvert) {
  float low[3], high[3];
  mi_glb_bounds(moved->delta, moved->count, 3, low, high);
  for (int k = 0; k < 3 && moved->count < nvert; k++) { // the rest stays where it is
    if (low[k] > 0) low[k] = 0;
    if (high[k] < 0) high[k] = 0;
  }
  bool is_wide = nvert > UINT16_MAX;
  size_t sparse = (size_t)moved->count * (3 * sizeof(float) + (is_wide ? 4 : 2));
  mi_glb_array array = {
      .view = -1, .component = MI_GLB_FLOAT, .count = nvert, .width = 3, .low = low, .high = high};
  if (sparse >= 3 * (size_t)nvert * sizeof(float))
    array.view = add_dense(w, moved, nvert);
  else if (moved->count)
    array.sparse = make_sparse(w, moved, is_wide);
  return mi_glb_add_accessor(w, &array);
}

static int add_target(mi_glb_writer *w, const mi_glb_out *out, const mien_shape *shape) {
  mi_glb_moved to = {0};
  for (int k = 0; k < shape->indices.count; k++) w->slot[shape->indices.data[k]] = k;
  bool is_good = collect_moved(w, out, shape, &to);
  for (int k = 0; k < shape->indices.count; k++) w->slot[shape->indices.data[k]] = -1;
  return is_good ? mi_glb_add_moved(w, &to, out->nvert) : 0;
}

static void add_targets(mi_glb_writer *w, json_t *mesh, json_t *primitive, const mi_glb_out *out) {
  if (!out->nshape) return;
  json_t *targets = mi_glb_keep(w, json_array()), *names = mi_glb_keep(w, json_array());
  json_t *weights = mi_glb_keep(w, json_array());
  for (int i = 0; i < out->nshape; i++) {
    const mien_shape *shape = &w->rig->shapes[out->shape[i]];
    json_t *target = mi_glb_keep(w, json_object());
    mi_glb_set(w, target, "POSITION", json_integer(add_target(w, out, shape)));
    mi_glb_append(w, targets, target);
    mi_glb_append(w, names, mi_glb_text(w, shape->name));
    mi_glb_append(w, weights, json_real(0));
  }
  mi_glb_set(w, primitive, "targets", targets);
  mi_glb_set(w, mesh, "weights", weights);
  json_t *extras = mi_glb_keep(w, json_object());
  mi_glb_set(w, extras, "targetNames", names);
  mi_glb_set(w, mesh, "extras", extras);
}

json_t *mi_glb_make_mesh(mi_glb_writer *w, int p, int material) {
  const mien_rig_info *rig = w->rig;
  const mi_glb_out *out = &w->part[p];
  json_t *mesh = mi_glb_keep(w, json_object()), *primitive = mi_glb_keep(w, json_object());
  json_t *attributes = mi_glb_keep(w, json_object()), *primitives = mi_glb_keep(w, json_array());
  mien_f32s normals = {w->normals, rig->nvert, 3};
  add_positions(w, attributes, out);
  add_attribute(w, attributes, "NORMAL", gather_rows(w, &normals, 3, out->welded, out->nvert),
                out->nvert, 3);
  if (rig->uvs.data)
    add_attribute(w, attributes, "TEXCOORD_0",
                  gather_rows(w, &rig->uvs, 2, out->render, out->nvert), out->nvert, 2);
  if (rig->colours.data)
    add_attribute(w, attributes, "COLOR_0",
                  gather_rows(w, &rig->colours, 4, out->render, out->nvert), out->nvert, 4);
  add_maps(w, attributes, p);
  add_numbers(w, attributes, out);
  mi_glb_set(w, primitive, "attributes", attributes);
  // without indices every three vertices would be a triangle
  if (rig->parts[p].ntri)
    mi_glb_set(w, primitive, "indices", json_integer(add_corners(w, p)));
  else
    mi_glb_set(w, primitive, "mode", json_integer(0));
  mi_glb_set(w, primitive, "material", json_integer(material));
  add_targets(w, mesh, primitive, out);
  mi_glb_append(w, primitives, primitive);
  mi_glb_set(w, mesh, "name", mi_glb_text(w, rig->parts[p].name));
  mi_glb_set(w, mesh, "primitives", primitives);
  return mesh;
}

json_t *mi_glb_make_material(mi_glb_writer *w, int p) {
  const mien_part *part = &w->rig->parts[p];
  double roughness = 0.5;
  if (part->kind == MIEN_PART_TEETH_UPPER || part->kind == MIEN_PART_TEETH_LOWER) roughness = 0.3;
  if (part->kind == MIEN_PART_EYE_LEFT || part->kind == MIEN_PART_EYE_RIGHT) roughness = 0.1;
  return mi_glb_keep(w, json_pack("{s:o, s:b, s:{s:[f,f,f,f], s:f, s:f}}", "name",
                                  mi_glb_text(w, part->name), "doubleSided", 1,
                                  "pbrMetallicRoughness", "baseColorFactor", 1.0, 1.0, 1.0, 1.0,
                                  "metallicFactor", 0.0, "roughnessFactor", roughness));
}
