// Vertex attributes of a .glb: positions, uvs, colours, and mien's painted maps.
#include "io/glb_rig.h"
#include "io/name_table.h"

#include "rig/rig.h"

enum { MOST_MAPS = 256, MOST_NAME = 200 };

// The attribute as floats; out->data stays NULL when the chunk has none.
static mien_result read_attribute(mi_glb_rig *r, const mi_glb_chunk *chunk, const char *key,
                                  int *width, mien_f32s *out) {
  int index;
  mi_accessor accessor;
  *out = (mien_f32s){0};
  mien_result result = mi_glb_index(r->glb, chunk->attributes, key, r->glb->accessors, &index);
  if (result < 0 || index < 0) return result;
  result = mi_glb_accessor(r->glb, index, &accessor);
  if (result < 0) return result;
  if (accessor.count != chunk->nvert)
    return mi_fail(r->glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: %.80s has %d elements for %d vertices", key,
                   accessor.count, chunk->nvert);
  *width = accessor.width;
  result = mi_glb_floats(r->glb, &accessor, out);
  out->count = chunk->nkept;
  return result;
}

static void copy_rows(const mien_f32s *from, int width, float *to, int to_width) {
  for (int i = 0; i < from->count; i++)
    memcpy(to + (size_t)i * (size_t)to_width, from->data + (size_t)i * (size_t)from->stride,
           (size_t)width * sizeof *to);
}

static mien_result read_positions(mi_glb_rig *r) {
  bool in_place = r->nchunk == 1 && !r->part[0].is_moved;
  if (in_place) return mi_glb_floats(r->glb, &r->chunk[0].position, &r->def.positions);
  float *to = mi_glb_push(r->glb, (size_t)r->nvert * 3, sizeof *to);
  if (!to) return r->glb->err->code;
  r->def.positions = (mien_f32s){to, r->nvert, 3};
  for (int c = 0; c < r->nchunk; c++) {
    const mi_glb_chunk *chunk = &r->chunk[c];
    const mi_glb_part *part = &r->part[chunk->part];
    mien_f32s from;
    mien_result result = mi_glb_floats(r->glb, &chunk->position, &from);
    if (result < 0) return result;
    from.count = chunk->nkept;
    float *at = to + (size_t)chunk->first * 3;
    if (!part->is_moved) copy_rows(&from, 3, at, 3);
    for (int i = 0; part->is_moved && i < from.count; i++)
      mi_affine_apply(&part->world, from.data + (size_t)i * (size_t)from.stride, 1,
                      at + (size_t)i * 3);
  }
  return MIEN_OK;
}

// An attribute of all chunks, zero where a chunk has none.
static mien_result read_joined(mi_glb_rig *r, const char *key, int width, mien_f32s *out) {
  float *to = NULL;
  for (int c = 0; c < r->nchunk; c++) {
    const mi_glb_chunk *chunk = &r->chunk[c];
    mien_f32s from;
    int file_width = 0;
    mien_result result = read_attribute(r, chunk, key, &file_width, &from);
    if (result < 0) return result;
    if (!from.data) continue;
    if (file_width != width)
      return mi_fail(r->glb->err, MIEN_ERR_FORMAT,
                     "%.80s has %d numbers per vertex in one part and %d in another", key, width,
                     file_width);
    if (r->nchunk == 1) {
      *out = from;
      return MIEN_OK;
    }
    if (!to) to = mi_glb_push(r->glb, (size_t)r->nvert * (size_t)width, sizeof *to);
    if (!to) return r->glb->err->code;
    copy_rows(&from, width, to + (size_t)chunk->first * (size_t)width, width);
  }
  if (to) *out = (mien_f32s){to, r->nvert, width};
  return MIEN_OK;
}

// A material's colour; white when it has none.
static mien_result read_factor(mi_glb_rig *r, const mi_glb_chunk *chunk, float rgba[4]) {
  double factor[4] = {1, 1, 1, 1};
  const json_t *materials = json_object_get(r->glb->root, "materials");
  if (json_is_integer(chunk->material)) {
    json_int_t index = json_integer_value(chunk->material);
    const json_t *material = index >= 0 ? json_array_get(materials, (size_t)index) : NULL;
    const json_t *pbr = json_object_get(material, "pbrMetallicRoughness");
    mien_result result = mi_glb_numbers(r->glb, pbr, "baseColorFactor", 4, factor);
    if (result < 0) return result;
  }
  for (int k = 0; k < 4; k++) rgba[k] = (float)fmin(1, fmax(0, factor[k]));
  return MIEN_OK;
}

static bool is_white(const float rgba[4]) {
  return rgba[0] == 1 && rgba[1] == 1 && rgba[2] == 1 && rgba[3] == 1;
}

static mien_result read_chunk_colours(mi_glb_rig *r, const mi_glb_chunk *chunk, float *to) {
  mien_f32s from;
  int width = 0;
  float rgba[4];
  mien_result result = read_attribute(r, chunk, "COLOR_0", &width, &from);
  if (result >= 0) result = read_factor(r, chunk, rgba);
  if (result < 0) return result;
  if (from.data && width != 3 && width != 4)
    return mi_fail(r->glb->err, MIEN_ERR_FORMAT, "the file is damaged: COLOR_0 has %d numbers",
                   width);
  if (from.data) rgba[3] = 1;
  for (int i = 0; i < chunk->nkept; i++) memcpy(to + (size_t)i * 4, rgba, sizeof rgba);
  if (from.data) copy_rows(&from, width, to, 4);
  return MIEN_OK;
}

// Colours are only made when some chunk has any: COLOR_0, or a material that is not white.
static mien_result read_colours(mi_glb_rig *r) {
  bool has_any = false;
  for (int c = 0; c < r->nchunk; c++) {
    float rgba[4];
    mien_result result = read_factor(r, &r->chunk[c], rgba);
    if (result < 0) return result;
    has_any |= !is_white(rgba) || json_object_get(r->chunk[c].attributes, "COLOR_0");
  }
  if (!has_any) return MIEN_OK;
  float *to = mi_glb_push(r->glb, (size_t)r->nvert * 4, sizeof *to);
  if (!to) return r->glb->err->code;
  mien_result result = MIEN_OK;
  for (int c = 0; result >= 0 && c < r->nchunk; c++)
    result = read_chunk_colours(r, &r->chunk[c], to + (size_t)r->chunk[c].first * 4);
  r->def.colours = (mien_f32s){to, r->nvert, 4};
  return result;
}

mien_result mi_glb_read_attributes(mi_glb_rig *r) {
  mien_result result = read_positions(r);
  if (result >= 0) result = read_joined(r, "TEXCOORD_0", 2, &r->def.uvs);
  if (result >= 0) result = read_colours(r);
  return result;
}

// -- Maps -----------------------------------------------------------------------------------------

// "_MIEN_THICKNESS" -> "thickness"
static bool map_name(const char *key, char out[MOST_NAME]) {
  static const char prefix[] = "_mien_";
  size_t length = strlen(key), skip = sizeof prefix - 1;
  if (length <= skip || length - skip >= MOST_NAME) return false;
  for (size_t i = 0; i <= length; i++) {
    char c = key[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 32);
    if (i < skip && c != prefix[i]) return false;
    if (i >= skip) out[i - skip] = c;
  }
  return true;
}

// Lengths turn and grow with their part.
static void move_lengths(const mi_glb_rig *r, const mien_map *map, float *values) {
  bool is_vector = mi_map_is_length(map->name) && map->width == 3;
  bool is_length = mi_map_is_length(map->name) && map->width == 1;
  for (int p = 0; p < r->npart; p++) {
    const mi_glb_part *part = &r->part[p];
    if (!part->is_moved) continue;
    float scale = (float)cbrt(fabs(mi_affine_determinant(&part->world)));
    for (int i = part->first_vertex; i < part->first_vertex + part->nvert; i++) {
      float *at = values + (size_t)i * (size_t)map->width, from[3];
      if (is_length) *at *= scale;
      if (!is_vector) continue;
      memcpy(from, at, sizeof from);
      mi_affine_apply(&part->world, from, 0, at);
    }
  }
}

static mien_result read_map(mi_glb_rig *r, const char *key, mien_map *map) {
  mien_result result = read_joined(r, key, map->width, &map->values);
  if (result < 0) return result;
  bool is_any_moved = false;
  for (int p = 0; p < r->npart; p++) is_any_moved |= r->part[p].is_moved;
  if (!is_any_moved) return MIEN_OK;
  size_t width = (size_t)map->width;
  float *values = mi_glb_push(r->glb, (size_t)r->nvert * width, sizeof *values);
  if (!values) return r->glb->err->code;
  copy_rows(&map->values, map->width, values, map->width);
  move_lengths(r, map, values);
  map->values = (mien_f32s){values, r->nvert, map->width};
  return MIEN_OK;
}

// One attribute of one chunk: a map met for the first time, or again.
static mien_result note_map(mi_glb_rig *r, const char *key, const json_t *value,
                            mi_name_table *names, mien_map *maps, const char **keys) {
  mi_glb *glb = r->glb;
  char name[MOST_NAME];
  if (!map_name(key, name) || mi_name_find(names, name) >= 0 || !strcmp(name, "file_vertex"))
    return MIEN_OK; // glb_file.c reads that one
  json_int_t index = json_is_integer(value) ? json_integer_value(value) : -1;
  if (index < 0 || index >= mi_glb_length(glb->accessors))
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: %.80s has no accessor", key);
  mi_accessor accessor;
  mien_result result = mi_glb_accessor(glb, (int)index, &accessor);
  if (result < 0) return result;
  if (accessor.width != 1 && accessor.width != 3)
    return mi_remark(&glb->remarks, "the attribute %.80s is left out: %d numbers per vertex", key,
                     accessor.width)
               ? MIEN_OK
               : mi_fail_memory(glb->err);
  if (names->count == MOST_MAPS)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file has more than %d maps", MOST_MAPS);
  int m = mi_name_add(names, name);
  if (m < 0) return mi_fail_memory(glb->err);
  maps[m] = (mien_map){.name = names->name[m], .width = accessor.width};
  keys[m] = key;
  return MIEN_OK;
}

mien_result mi_glb_read_maps(mi_glb_rig *r) {
  mi_name_table names = {.arena = &r->glb->arena};
  mien_map *maps = mi_glb_push(r->glb, MOST_MAPS, sizeof *maps);
  const char **keys = mi_glb_push(r->glb, MOST_MAPS, sizeof *keys);
  if (!maps || !keys) return r->glb->err->code;
  mien_result result = MIEN_OK;
  for (int c = 0; c < r->nchunk; c++) {
    json_t *attributes = (json_t *)r->chunk[c].attributes; // iterating does not change it
    for (void *at = json_object_iter(attributes); at; at = json_object_iter_next(attributes, at)) {
      result =
          note_map(r, json_object_iter_key(at), json_object_iter_value(at), &names, maps, keys);
      if (result < 0) return result;
    }
  }
  for (int m = 0; result >= 0 && m < names.count; m++) result = read_map(r, keys[m], &maps[m]);
  r->def.maps = maps;
  r->def.nmap = names.count;
  return result;
}
