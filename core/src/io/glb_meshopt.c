// EXT_meshopt_compression, and KHR_meshopt_compression as it is called since: buffer views packed
// by meshoptimizer, which unpacks them.
#include "io/glb.h"

#include <meshoptimizer.h>

typedef struct packed {
  mi_bytes from;
  int64_t count, stride;
  const char *mode, *filter;
} packed;

static mien_result read_packed(mi_glb *glb, const json_t *json, int view, packed *out) {
  const json_t *buffers = json_object_get(glb->root, "buffers");
  int buffer;
  int64_t offset, length;
  mien_result result = mi_glb_index(glb, json, "buffer", buffers, &buffer);
  if (result >= 0) result = mi_glb_whole(glb, json, "byteOffset", 0, &offset);
  if (result >= 0) result = mi_glb_whole(glb, json, "byteLength", 0, &length);
  if (result >= 0) result = mi_glb_whole(glb, json, "byteStride", 0, &out->stride);
  if (result >= 0) result = mi_glb_whole(glb, json, "count", 0, &out->count);
  if (result < 0) return result;
  if (buffer < 0 || offset + length > (int64_t)glb->buffer[buffer].size || out->stride < 1 ||
      out->stride > 256 || out->count > INT32_MAX)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: compressed buffer view %d",
                   view);
  out->from = (mi_bytes){glb->buffer[buffer].data + offset, (size_t)length};
  const char *mode = json_string_value(json_object_get(json, "mode"));
  const char *filter = json_string_value(json_object_get(json, "filter"));
  out->mode = mode ? mode : "";
  out->filter = filter ? filter : "NONE";
  return MIEN_OK;
}

// True when meshoptimizer could unpack it. Sizes are checked here because the library asserts them.
static bool unpack(const packed *p, unsigned char *to) {
  size_t count = (size_t)p->count, stride = (size_t)p->stride;
  int code = -1;
  if (!strcmp(p->mode, "ATTRIBUTES") && stride % 4 == 0)
    code = meshopt_decodeVertexBuffer(to, count, stride, p->from.data, p->from.size);
  else if (!strcmp(p->mode, "TRIANGLES") && count % 3 == 0 && (stride == 2 || stride == 4))
    code = meshopt_decodeIndexBuffer(to, count, stride, p->from.data, p->from.size);
  else if (!strcmp(p->mode, "INDICES") && (stride == 2 || stride == 4))
    code = meshopt_decodeIndexSequence(to, count, stride, p->from.data, p->from.size);
  if (code) return false;
  if (!strcmp(p->filter, "OCTAHEDRAL") && (stride == 4 || stride == 8))
    meshopt_decodeFilterOct(to, count, stride);
  else if (!strcmp(p->filter, "QUATERNION") && stride == 8)
    meshopt_decodeFilterQuat(to, count, stride);
  else if (!strcmp(p->filter, "EXPONENTIAL") && stride % 4 == 0)
    meshopt_decodeFilterExp(to, count, stride);
  else
    return !strcmp(p->filter, "NONE");
  return true;
}

static const json_t *packed_of(const json_t *view) {
  const json_t *list = json_object_get(view, "extensions");
  const json_t *newer = json_object_get(list, "KHR_meshopt_compression");
  return newer ? newer : json_object_get(list, "EXT_meshopt_compression");
}

mien_result mi_glb_decompress(mi_glb *glb) {
  for (int v = 0; v < mi_glb_length(glb->views); v++) {
    const json_t *json = packed_of(json_array_get(glb->views, (size_t)v));
    packed p;
    if (!json) continue;
    mien_result result = read_packed(glb, json, v, &p);
    if (result < 0) return result;
    if (!glb->unpacked) {
      size_t nview = (size_t)mi_glb_length(glb->views);
      glb->unpacked = mi_glb_push(glb, nview, sizeof *glb->unpacked);
      if (!glb->unpacked) return glb->err->code;
    }
    size_t size = (size_t)p.count * (size_t)p.stride;
    unsigned char *to = mi_glb_push(glb, size, 1);
    if (!to) return glb->err->code;
    if (!unpack(&p, to))
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "buffer view %d is damaged, or packed by a later meshoptimizer than the one "
                     "in this build (mode %.20s, filter %.20s)",
                     v, p.mode, p.filter);
    glb->unpacked[v] = (mi_bytes){to, size};
  }
  return MIEN_OK;
}
