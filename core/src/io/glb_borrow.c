// Parts that grow into each other. glTF gives every mesh its own vertices, so a rig whose triangles
// reach over from one part into another is written with those vertices twice; extras.mien.borrowed
// tells them apart from vertices that only happen to touch:
//   [[name of the other part, [its vertices]], ...] for the last vertices of this one, in order.
// Another program may have changed the mesh since, so it counts only where the places still agree.
#include "io/glb_rig.h"

static const json_t *borrowed_list(const json_t *node) {
  const json_t *extras = json_object_get(node, "extras");
  return json_object_get(json_object_get(extras, "mien"), "borrowed");
}

int mi_glb_count_borrowed(const json_t *node) {
  const json_t *list = borrowed_list(node);
  int64_t count = 0;
  for (int i = 0; i < mi_glb_length(list); i++)
    count += mi_glb_length(json_array_get(json_array_get(list, (size_t)i), 1));
  return count < INT32_MAX ? (int)count : INT32_MAX;
}

static mi_glb_chunk *find_chunk(mi_glb_rig *r, const char *name) {
  for (int c = 0; name && c < r->nchunk; c++) {
    const char *has = mi_glb_name(r->part[r->chunk[c].part].node);
    if (has && strcmp(has, name) == 0) return &r->chunk[c];
  }
  return NULL;
}

static void place(const mi_glb_rig *r, const mi_glb_chunk *chunk, const mien_f32s *positions, int i,
                  float out[3]) {
  const mi_glb_part *part = &r->part[chunk->part];
  const float *from = positions->data + (size_t)i * (size_t)positions->stride;
  memcpy(out, from, 3 * sizeof *out);
  if (part->is_moved) mi_affine_apply(&part->world, from, 1, out);
}

// One entry of the list, the vertices of one other part, into borrowed[*at ...].
static mien_result find_entry(mi_glb_rig *r, const mi_glb_chunk *chunk, const json_t *entry,
                              int32_t *borrowed, int *at, bool *is_good) {
  const json_t *vertices = json_array_get(entry, 1);
  if (!mi_glb_charge(r->glb, (size_t)r->nchunk, sizeof *r->chunk)) return r->glb->err->code;
  const mi_glb_chunk *owner = find_chunk(r, json_string_value(json_array_get(entry, 0)));
  int count = mi_glb_length(vertices);
  if (count == 0) return MIEN_OK;
  *is_good = owner && owner != chunk;
  if (!*is_good) return MIEN_OK;
  mien_f32s mine, theirs;
  mien_result result = mi_glb_floats(r->glb, &chunk->position, &mine);
  if (result >= 0) result = mi_glb_floats(r->glb, &owner->position, &theirs);
  if (result < 0) return result;
  for (int i = 0; i < count && *is_good; i++, ++*at) {
    const json_t *value = json_array_get(vertices, (size_t)i);
    json_int_t vert = json_is_integer(value) ? json_integer_value(value) : -1;
    *is_good = vert >= 0 && vert < owner->nkept;
    if (!*is_good) break;
    float a[3], b[3];
    place(r, chunk, &mine, chunk->nkept + *at, a);
    place(r, owner, &theirs, (int)vert, b);
    for (int k = 0; k < 3; k++) *is_good &= fabsf(a[k] - b[k]) <= 1e-6f;
    borrowed[*at] = owner->first + (int32_t)vert;
  }
  return MIEN_OK;
}

mien_result mi_glb_find_borrowed(mi_glb_rig *r, bool *is_good) {
  *is_good = true;
  for (int c = 0; *is_good && c < r->nchunk; c++) {
    mi_glb_chunk *chunk = &r->chunk[c];
    int count = chunk->nvert - chunk->nkept, at = 0;
    if (!count) continue;
    int32_t *borrowed = mi_glb_push(r->glb, (size_t)count, sizeof *borrowed);
    if (!borrowed) return r->glb->err->code;
    chunk->borrowed = borrowed;
    const json_t *list = borrowed_list(r->part[chunk->part].node);
    for (int i = 0; *is_good && i < mi_glb_length(list); i++) {
      const json_t *entry = json_array_get(list, (size_t)i);
      mien_result result = find_entry(r, chunk, entry, borrowed, &at, is_good);
      if (result < 0) return result;
    }
  }
  return MIEN_OK;
}
