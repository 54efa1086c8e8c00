// KHR_draco_mesh_compression: meshes packed by Draco. Their accessors say type and count alone;
// what Draco unpacks becomes their elements. Draco's order of vertices is the mesh's: every reader
// of the file sees it.
#include "io/glb.h"

#include <draco_adapter.h>
#include <string.h>

static const char *const EXTENSION = "KHR_draco_mesh_compression";

// Memory for an accessor's elements; NULL with an error, or with none when it has elements already:
// primitives may share accessors.
static mien_result reserve(mi_glb *glb, int index, int count, mi_accessor *out, void **to) {
  *to = NULL;
  if (glb->decoded[index].data) return MIEN_OK;
  mien_result result = mi_glb_accessor(glb, index, out);
  if (result < 0) return result;
  if (out->count != count)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: accessor %d has %d elements, its Draco mesh %d", index,
                   out->count, count);
  size_t size = (size_t)mi_glb_component_size(out->component) * (size_t)out->width;
  *to = mi_glb_push(glb, (size_t)count, size);
  return *to ? MIEN_OK : glb->err->code;
}

static void keep(mi_glb *glb, int index, const mi_accessor *accessor, const void *data) {
  size_t size = (size_t)mi_glb_component_size(accessor->component) * (size_t)accessor->width;
  glb->decoded[index] = (mi_bytes){data, size * (size_t)accessor->count};
}

static mien_result take_corners(mi_glb *glb, const json_t *primitive, const mien_draco *draco) {
  int index;
  mi_accessor accessor;
  void *to;
  mien_result result = mi_glb_index(glb, primitive, "indices", glb->accessors, &index);
  if (result < 0) return result;
  if (index < 0)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: a Draco mesh has no indices");
  result = reserve(glb, index, 3 * mien_draco_triangles(draco), &accessor, &to);
  if (result < 0 || !to) return result;
  if (accessor.width != 1 || !mien_draco_corners(draco, accessor.component, to))
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: accessor %d cannot hold the corners of its Draco mesh",
                   index);
  keep(glb, index, &accessor, to);
  return MIEN_OK;
}

static mien_result take_attribute(mi_glb *glb, const json_t *primitive, const char *name,
                                  const json_t *id, const mien_draco *draco) {
  int index;
  mi_accessor accessor;
  void *to;
  const json_t *attributes = json_object_get(primitive, "attributes");
  mien_result result = mi_glb_index(glb, attributes, name, glb->accessors, &index);
  if (result < 0 || index < 0) return result; // what the primitive does not name is not used
  result = reserve(glb, index, mien_draco_vertices(draco), &accessor, &to);
  if (result < 0 || !to) return result;
  json_int_t number = json_is_integer(id) ? json_integer_value(id) : -1;
  if (number < 0 || number > INT32_MAX ||
      !mien_draco_attribute(draco, (unsigned)number, accessor.component, accessor.width, to))
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: the Draco mesh has no %.40s as accessor %d says it", name,
                   index);
  keep(glb, index, &accessor, to);
  return MIEN_OK;
}

static mien_result unpack(mi_glb *glb, const json_t *primitive, const json_t *packed) {
  int view;
  mi_bytes bytes;
  size_t stride, unfolded, limit = glb->host->memory_limit;
  char why[160];
  mien_result result = mi_glb_index(glb, packed, "bufferView", glb->views, &view);
  if (result >= 0 && view < 0)
    result = mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: a Draco mesh has no bytes");
  if (result >= 0) result = mi_glb_view(glb, view, &bytes, &stride);
  if (result < 0) return result;
  size_t most = limit && limit < glb->budget ? limit : glb->budget;
  mien_draco *draco = mien_draco_open(bytes.data, bytes.size, most, &unfolded, why);
  if (limit && unfolded > limit) return mi_fail_memory(glb->err);
  // a view may be named by many primitives, and costs as much each time
  if (!mi_glb_charge(glb, unfolded, 1)) {
    mien_draco_close(draco);
    return glb->err->code;
  }
  if (!draco)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is damaged: Draco cannot unpack buffer view %d: %.120s", view, why);
  result = take_corners(glb, primitive, draco);
  json_t *list = json_object_get(packed, "attributes");
  for (void *at = json_object_iter(list); at && result >= 0; at = json_object_iter_next(list, at))
    result =
        take_attribute(glb, primitive, json_object_iter_key(at), json_object_iter_value(at), draco);
  mien_draco_close(draco);
  return result;
}

mien_result mi_glb_unpack_meshes(mi_glb *glb) {
  for (int m = 0; m < mi_glb_length(glb->meshes); m++) {
    const json_t *mesh = json_array_get(glb->meshes, (size_t)m);
    const json_t *primitives = json_object_get(mesh, "primitives");
    for (int p = 0; p < mi_glb_length(primitives); p++) {
      const json_t *primitive = json_array_get(primitives, (size_t)p);
      const json_t *packed = json_object_get(json_object_get(primitive, "extensions"), EXTENSION);
      if (!packed) continue;
      size_t count = (size_t)mi_glb_length(glb->accessors);
      if (!glb->decoded) glb->decoded = mi_glb_push(glb, count, sizeof *glb->decoded);
      if (!glb->decoded) return glb->err->code;
      mien_result result = unpack(glb, primitive, packed);
      if (result < 0) return result;
    }
  }
  return MIEN_OK;
}
