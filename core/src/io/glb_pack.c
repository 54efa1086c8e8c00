// Bytes, buffer views and accessors of a .glb being written.
#include "io/glb_writer.h"

void *mi_glb_take(mi_glb_writer *w, size_t count, size_t size) {
  void *memory = mi_arena_push(&w->arena, count, size);
  if (!memory) w->is_out_of_memory = true;
  return memory;
}

json_t *mi_glb_keep(mi_glb_writer *w, json_t *json) {
  if (!json) w->is_out_of_memory = true;
  return json;
}

json_t *mi_glb_text(mi_glb_writer *w, const char *name) {
  return mi_glb_keep(w, json_string(name));
}

void mi_glb_set(mi_glb_writer *w, json_t *object, const char *key, json_t *value) {
  if (json_object_set_new(object, key, value) != 0) w->is_out_of_memory = true;
}

void mi_glb_append(mi_glb_writer *w, json_t *array, json_t *value) {
  if (json_array_append_new(array, value) != 0) w->is_out_of_memory = true;
}

void mi_glb_add_bytes(mi_glb_writer *w, const void *data, size_t size) {
  if (w->nsegment == w->capacity) {
    int capacity = w->capacity ? 2 * w->capacity : 64;
    mi_bytes *segment = mi_glb_take(w, (size_t)capacity, sizeof *segment);
    if (!segment) return;
    if (w->nsegment) memcpy(segment, w->segment, (size_t)w->nsegment * sizeof *segment);
    w->segment = segment;
    w->capacity = capacity;
  }
  w->segment[w->nsegment++] = (mi_bytes){data, size};
  w->bin_size += (size + 3) & ~(size_t)3;
}

int mi_glb_add_view(mi_glb_writer *w, const void *data, size_t size, int target) {
  json_t *view = mi_glb_keep(w, json_object());
  mi_glb_set(w, view, "buffer", json_integer(0));
  mi_glb_set(w, view, "byteOffset", json_integer((json_int_t)w->bin_size));
  mi_glb_set(w, view, "byteLength", json_integer((json_int_t)size));
  if (target) mi_glb_set(w, view, "target", json_integer(target));
  mi_glb_append(w, w->views, view);
  mi_glb_add_bytes(w, data, size);
  return mi_glb_length(w->views) - 1;
}

static json_t *float_list(mi_glb_writer *w, const float *value, int count) {
  json_t *list = mi_glb_keep(w, json_array());
  for (int i = 0; i < count; i++) mi_glb_append(w, list, json_real((double)value[i]));
  return list;
}

int mi_glb_add_accessor(mi_glb_writer *w, const mi_glb_array *array) {
  static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  json_t *accessor = mi_glb_keep(w, json_object());
  if (array->view >= 0) mi_glb_set(w, accessor, "bufferView", json_integer(array->view));
  mi_glb_set(w, accessor, "componentType", json_integer(array->component));
  mi_glb_set(w, accessor, "count", json_integer(array->count));
  mi_glb_set(w, accessor, "type", json_string(types[array->width - 1]));
  if (array->low) mi_glb_set(w, accessor, "min", float_list(w, array->low, array->width));
  if (array->high) mi_glb_set(w, accessor, "max", float_list(w, array->high, array->width));
  if (array->sparse) mi_glb_set(w, accessor, "sparse", array->sparse);
  mi_glb_append(w, w->accessors, accessor);
  return mi_glb_length(w->accessors) - 1;
}

int mi_glb_add_floats(mi_glb_writer *w, const float *data, int count, int width, int target) {
  size_t size = (size_t)count * (size_t)width * sizeof *data;
  mi_glb_array array = {.view = mi_glb_add_view(w, data, size, target),
                        .component = MI_GLB_FLOAT,
                        .count = count,
                        .width = width};
  return mi_glb_add_accessor(w, &array);
}

void mi_glb_bounds(const float *data, int count, int width, float *low, float *high) {
  for (int k = 0; k < width; k++) low[k] = high[k] = count ? data[k] : 0;
  for (int i = 1; i < count; i++)
    for (int k = 0; k < width; k++) {
      float value = data[(size_t)i * (size_t)width + (size_t)k];
      if (value < low[k]) low[k] = value;
      if (value > high[k]) high[k] = value;
    }
}

static void write_u32s(mi_file *file, const uint32_t *value, int count) {
  mi_file_write(file, value, (size_t)count * sizeof *value);
}

mien_result mi_glb_put(mi_glb_writer *w, mi_file *file) {
  if (w->is_out_of_memory) return mi_fail_memory(w->err);
  size_t length = json_dumpb(w->root, NULL, 0, JSON_COMPACT);
  size_t padded = (length + 3) & ~(size_t)3;
  char *text = length ? mi_glb_take(w, padded, 1) : NULL;
  if (!text) return mi_fail_memory(w->err);
  memset(text, ' ', padded);
  if (json_dumpb(w->root, text, length, JSON_COMPACT) != length) return mi_fail_memory(w->err);
  uint64_t total = 12 + 8 + padded + 8 + w->bin_size;
  if (total > UINT32_MAX)
    return mi_fail(w->err, MIEN_ERR_ARGUMENT,
                   "the rig needs %.1f GB; a .glb file holds at most 4 GB", (double)total * 1e-9);
  const uint32_t head[] = {0x46546C67, 2, (uint32_t)total, (uint32_t)padded, 0x4E4F534A};
  const uint32_t bin[] = {(uint32_t)w->bin_size, 0x004E4942};
  write_u32s(file, head, 5);
  mi_file_write(file, text, padded);
  write_u32s(file, bin, 2);
  for (int i = 0; i < w->nsegment; i++) {
    static const char zeros[4] = {0};
    mi_file_write(file, w->segment[i].data, w->segment[i].size);
    mi_file_write(file, zeros, (size_t)-w->segment[i].size & 3);
  }
  return mi_file_check(file, w->err);
}

mien_result mi_glb_save(mi_glb_writer *w, const char *path, const mien_host *host) {
  mi_file *file;
  mien_result result = mi_file_create(path, host, &file, w->err);
  if (result < 0) return result;
  result = mi_glb_put(w, file);
  if (result >= 0) return mi_file_commit(file, w->err);
  mi_file_abandon(file);
  return result;
}
