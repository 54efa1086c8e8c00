// Arrays in the file: found, bounds-checked, and read as floats or whole numbers.
#include "io/glb.h"

int mi_glb_component_size(int component) {
  switch (component) {
  case MI_GLB_BYTE:
  case MI_GLB_UBYTE:
    return 1;
  case MI_GLB_SHORT:
  case MI_GLB_USHORT:
    return 2;
  case MI_GLB_UINT:
  case MI_GLB_FLOAT:
    return 4;
  default:
    return 0;
  }
}

static int type_width(const char *type) {
  static const struct {
    const char *name;
    int width;
  } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
               {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
  for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
    if (strcmp(type, types[i].name) == 0) return types[i].width;
  return 0;
}

mien_result mi_glb_view(mi_glb *glb, int index, mi_bytes *out, size_t *stride) {
  const json_t *view = json_array_get(glb->views, (size_t)index);
  const json_t *buffers = json_object_get(glb->root, "buffers");
  int64_t offset, length, step;
  int buffer;
  mien_result result = mi_glb_index(glb, view, "buffer", buffers, &buffer);
  if (result >= 0) result = mi_glb_whole(glb, view, "byteOffset", 0, &offset);
  if (result >= 0) result = mi_glb_whole(glb, view, "byteLength", 0, &length);
  if (result >= 0) result = mi_glb_whole(glb, view, "byteStride", 0, &step);
  if (result < 0) return result;
  bool is_unpacked = glb->unpacked && glb->unpacked[index].data; // its buffer may be a stand-in
  if (buffer < 0 || (!is_unpacked && offset + length > (int64_t)glb->buffer[buffer].size))
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: buffer view %d ends outside its buffer", index);
  if (step > INT32_MAX)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: the stride of buffer view %d",
                   index);
  if (is_unpacked)
    *out = glb->unpacked[index];
  else
    *out = (mi_bytes){glb->buffer[buffer].data + offset, (size_t)length};
  *stride = (size_t)step;
  return MIEN_OK;
}

// `count` elements of `size` bytes at `owner`'s bufferView and byteOffset. `data` stays NULL when
// there is no view.
static mien_result find_elements(mi_glb *glb, const json_t *owner, int64_t count, size_t size,
                                 mi_accessor *out, const unsigned char **data) {
  int view;
  int64_t offset;
  mien_result result = mi_glb_index(glb, owner, "bufferView", glb->views, &view);
  if (result >= 0) result = mi_glb_whole(glb, owner, "byteOffset", 0, &offset);
  if (result < 0 || view < 0) return result;
  mi_bytes bytes = {0};
  size_t stride = 0;
  result = mi_glb_view(glb, view, &bytes, &stride);
  if (result < 0) return result;
  if (!stride || !out) stride = size;
  // count < 2^31 and stride < 2^31: no overflow
  int64_t need = count ? offset + (count - 1) * (int64_t)stride + (int64_t)size : 0;
  if (need > (int64_t)bytes.size)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: %lld elements do not fit into buffer view %d",
                   (long long)count, view);
  *data = bytes.data + (count ? offset : 0);
  if (out) out->stride = stride;
  return MIEN_OK;
}

static bool read_sparse_index(const mi_accessor *a, int k, uint32_t *index) {
  uint16_t narrow;
  switch (a->sparse_component) {
  case MI_GLB_UBYTE:
    *index = a->sparse_index[k];
    break;
  case MI_GLB_USHORT:
    memcpy(&narrow, a->sparse_index + 2 * (size_t)k, sizeof narrow);
    *index = narrow;
    break;
  default:
    memcpy(index, a->sparse_index + 4 * (size_t)k, sizeof *index);
  }
  return *index < (uint32_t)a->count;
}

static mien_result check_sparse_indices(mi_glb *glb, const mi_accessor *a, int which) {
  uint32_t last = 0, index;
  for (int k = 0; k < a->nsparse; k++) {
    if (!read_sparse_index(a, k, &index) || (k && index <= last))
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "the file is damaged: the sparse indices of accessor %d do not rise", which);
    last = index;
  }
  return MIEN_OK;
}

static mien_result find_sparse(mi_glb *glb, const json_t *json, int which, mi_accessor *out) {
  const json_t *sparse = json_object_get(json, "sparse");
  if (!sparse) return MIEN_OK;
  const json_t *indices = json_object_get(sparse, "indices");
  int64_t count, component;
  mien_result result = mi_glb_whole(glb, sparse, "count", 0, &count);
  if (result >= 0) result = mi_glb_whole(glb, indices, "componentType", 0, &component);
  if (result < 0) return result;
  if (count > out->count ||
      (component != MI_GLB_UBYTE && component != MI_GLB_USHORT && component != MI_GLB_UINT))
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: accessor %d is not well formed",
                   which);
  out->sparse_component = (int)component;
  size_t size = (size_t)(mi_glb_component_size(out->component) * out->width);
  result = find_elements(glb, indices, count, (size_t)mi_glb_component_size((int)component), NULL,
                         &out->sparse_index);
  if (result >= 0)
    result = find_elements(glb, json_object_get(sparse, "values"), count, size, NULL,
                           &out->sparse_value);
  if (result < 0) return result;
  if (!out->sparse_index || !out->sparse_value)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: accessor %d is sparse but has no values", which);
  out->nsparse = (int)count;
  return check_sparse_indices(glb, out, which);
}

mien_result mi_glb_accessor(mi_glb *glb, int index, mi_accessor *out) {
  const json_t *json = json_array_get(glb->accessors, (size_t)index);
  *out = (mi_accessor){0};
  int64_t count, component;
  mien_result result = mi_glb_whole(glb, json, "count", 0, &count);
  if (result >= 0) result = mi_glb_whole(glb, json, "componentType", 0, &component);
  if (result < 0) return result;
  out->width = type_width(json_string_value(json_object_get(json, "type")));
  int size = component < 10000 ? mi_glb_component_size((int)component) : 0;
  bool is_padded = out->width >= 4 && size < 4 && // small matrices have padded columns
                   json_string_value(json_object_get(json, "type"))[0] == 'M';
  if (!out->width || !size || is_padded || count > INT32_MAX / 16)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: accessor %d is not well formed",
                   index);
  out->count = (int)count;
  out->component = (int)component;
  out->is_normalised = json_is_true(json_object_get(json, "normalized"));
  out->stride = (size_t)(size * out->width);
  if (glb->decoded && glb->decoded[index].data)
    out->data = glb->decoded[index].data;
  else
    result = find_elements(glb, json, count, out->stride, out, &out->data);
  return result < 0 ? result : find_sparse(glb, json, index, out);
}

// One loop per component type: no branch per element. A normalised signed number has two patterns
// for -1.
#define CONVERT(type, divisor)                                                                     \
  for (int i = 0; i < count; i++) {                                                                \
    const unsigned char *element = from + (size_t)i * stride;                                      \
    for (int k = 0; k < width; k++) {                                                              \
      type value;                                                                                  \
      memcpy(&value, element + (size_t)k * sizeof value, sizeof value);                            \
      float plain = (float)value;                                                                  \
      to[(size_t)i * (size_t)width + (size_t)k] =                                                  \
          is_normalised ? (plain / (divisor) < -1 ? -1 : plain / (divisor)) : plain;               \
    }                                                                                              \
  }

static void convert(const mi_accessor *a, const unsigned char *from, size_t stride, int count,
                    float *to) {
  const int width = a->width;
  const bool is_normalised = a->is_normalised;
  switch (a->component) {
  case MI_GLB_BYTE:
    CONVERT(int8_t, 127.0f)
    break;
  case MI_GLB_UBYTE:
    CONVERT(uint8_t, 255.0f)
    break;
  case MI_GLB_SHORT:
    CONVERT(int16_t, 32767.0f)
    break;
  case MI_GLB_USHORT:
    CONVERT(uint16_t, 65535.0f)
    break;
  case MI_GLB_UINT:
    CONVERT(uint32_t, 4294967295.0f)
    break;
  default:
    for (int i = 0; i < count; i++)
      memcpy(to + (size_t)i * (size_t)width, from + (size_t)i * stride, (size_t)width * sizeof *to);
  }
}

// Floats that lie where floats may lie are used in place.
static bool is_mappable(const mi_accessor *a, const unsigned char *data, size_t stride) {
  return a->component == MI_GLB_FLOAT && (uintptr_t)data % sizeof(float) == 0 &&
         stride % sizeof(float) == 0 && stride >= (size_t)a->width * sizeof(float);
}

static mien_result floats_at(mi_glb *glb, const mi_accessor *a, const unsigned char *data,
                             size_t stride, mien_f32s *out) {
  int count = out->count;
  if (data && is_mappable(a, data, stride)) {
    if (!mi_glb_charge(glb, (size_t)count * (size_t)a->width, sizeof(float))) return glb->err->code;
    *out = (mien_f32s){(const float *)(const void *)data, count, (int)(stride / sizeof(float))};
    return MIEN_OK;
  }
  float *to = mi_glb_push(glb, (size_t)count * (size_t)a->width, sizeof *to);
  if (!to) return glb->err->code;
  if (data) convert(a, data, stride, count, to);
  *out = (mien_f32s){to, count, a->width};
  return MIEN_OK;
}

mien_result mi_glb_sparse(mi_glb *glb, const mi_accessor *a, int offset, mien_i32s *indices,
                          mien_f32s *values) {
  int32_t *index = mi_glb_push(glb, (size_t)a->nsparse, sizeof *index);
  if (!index) return glb->err->code;
  uint32_t value;
  for (int k = 0; k < a->nsparse; k++) {
    read_sparse_index(a, k, &value);
    index[k] = (int32_t)value + offset;
  }
  *indices = (mien_i32s){index, a->nsparse};
  *values = (mien_f32s){.count = a->nsparse};
  size_t stride = (size_t)(mi_glb_component_size(a->component) * a->width);
  return floats_at(glb, a, a->sparse_value, stride, values);
}

mien_result mi_glb_floats(mi_glb *glb, const mi_accessor *a, mien_f32s *out) {
  *out = (mien_f32s){.count = a->count};
  if (!a->nsparse) return floats_at(glb, a, a->data, a->stride, out);
  size_t width = (size_t)a->width;
  float *to = mi_glb_push(glb, (size_t)a->count * width, sizeof *to);
  if (!to) return glb->err->code;
  if (a->data) convert(a, a->data, a->stride, a->count, to);
  mien_i32s indices;
  mien_f32s values;
  mien_result result = mi_glb_sparse(glb, a, 0, &indices, &values);
  if (result < 0) return result;
  for (int k = 0; k < indices.count; k++)
    memcpy(to + (size_t)indices.data[k] * width, values.data + (size_t)k * width,
           width * sizeof *to);
  *out = (mien_f32s){to, a->count, a->width};
  return MIEN_OK;
}

static uint32_t read_index(const mi_accessor *a, int i) {
  const unsigned char *at = a->data + (size_t)i * a->stride;
  uint16_t narrow;
  uint32_t wide;
  if (a->component == MI_GLB_UBYTE) return *at;
  if (a->component == MI_GLB_USHORT) {
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
  }
  memcpy(&wide, at, sizeof wide);
  return wide;
}

mien_result mi_glb_indices(mi_glb *glb, const mi_accessor *a, int limit, int offset, int32_t *out) {
  bool is_whole =
      a->component == MI_GLB_UBYTE || a->component == MI_GLB_USHORT || a->component == MI_GLB_UINT;
  if (a->width != 1 || !is_whole || a->nsparse || (!a->data && a->count))
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: triangle corners are not whole numbers");
  for (int i = 0; i < a->count; i++) {
    uint32_t index = read_index(a, i);
    if (index >= (uint32_t)limit)
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "the file is damaged: a triangle names vertex %u of %d", index, limit);
    out[i] = (int32_t)index + offset;
  }
  return MIEN_OK;
}
