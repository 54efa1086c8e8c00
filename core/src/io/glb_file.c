// A rig that mien made of another file (FBX, DAE, OBJ, another .glb) remembers the meshes of that
// file, so that caches drop onto them: the vertex attribute _MIEN_FILE_VERTEX and
// extras.mien.file_space, rows (M | t) from the mesh in the .glb to the mesh in the file.
#include "io/glb_rig.h"

static const char *const ATTRIBUTE = "_MIEN_FILE_VERTEX";

mien_result mi_glb_file_vertices(mi_glb *glb, const mi_glb_chunk *chunk, mien_f32s *out) {
  int index;
  mi_accessor accessor;
  *out = (mien_f32s){0};
  mien_result result = mi_glb_index(glb, chunk->attributes, ATTRIBUTE, glb->accessors, &index);
  if (result < 0 || index < 0) return result;
  result = mi_glb_accessor(glb, index, &accessor);
  if (result >= 0) result = mi_glb_floats(glb, &accessor, out);
  if (result >= 0 && (accessor.width != 1 || accessor.count != chunk->nvert))
    result = mi_fail(glb->err, MIEN_ERR_FORMAT, "the file is damaged: %s of %d vertices for %d",
                     ATTRIBUTE, accessor.count, chunk->nvert);
  return result;
}

static bool is_number(float value, int limit) {
  return value >= 0 && value < (float)limit && value == floorf(value);
}

mien_result mi_glb_read_numbers(mi_glb_rig *r) {
  int32_t *number = NULL;
  for (int c = 0; c < r->nchunk; c++) {
    const mi_glb_chunk *chunk = &r->chunk[c];
    mien_f32s from;
    mien_result result = mi_glb_file_vertices(r->glb, chunk, &from);
    if (result < 0) return result;
    if (!from.data) continue;
    if (!number) {
      number = mi_glb_push(r->glb, (size_t)r->nvert, sizeof *number);
      if (!number) return r->glb->err->code;
      for (int p = 0; p < r->npart; p++)
        for (int i = 0; i < r->part[p].nvert; i++) number[r->part[p].first_vertex + i] = i;
    }
    for (int i = 0; i < chunk->nkept; i++) {
      float value = from.data[(size_t)i * (size_t)(from.stride ? from.stride : 1)];
      if (!is_number(value, r->nvert))
        return mi_fail(r->glb->err, MIEN_ERR_FORMAT, "the file is damaged: %s of vertex %d is %g",
                       ATTRIBUTE, i, (double)value);
      number[chunk->first + i] = (int32_t)value;
    }
  }
  if (number) r->def.file_vertices = (mien_i32s){number, r->nvert};
  return MIEN_OK;
}

bool mi_glb_file_space(const mi_glb_part *part, mi_affine *out) {
  const json_t *mien = json_object_get(json_object_get(part->node, "extras"), "mien");
  const json_t *list = json_object_get(mien, "file_space");
  mi_affine back;
  if (mi_glb_length(list) != 12) return false;
  for (int k = 0; k < 12; k++) {
    out->m[k / 4][k % 4] = json_number_value(json_array_get(list, (size_t)k));
    if (!isfinite(out->m[k / 4][k % 4])) return false;
  }
  return mi_affine_invert(out, &back);
}

void mi_glb_own_space(const mi_glb_part *part, const double space[12], double out[12]) {
  mi_affine file, back, from;
  memcpy(from.m, space, sizeof from.m);
  if (mi_glb_file_space(part, &file) && mi_affine_invert(&file, &back))
    from = mi_affine_multiply(&back, &from);
  memcpy(out, from.m, sizeof from.m);
}
