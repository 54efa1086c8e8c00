// Triangles of a .glb's primitives: lists, strips and fans, with and without indices.
#include "io/glb_rig.h"

enum { TRIANGLES = 4, STRIP = 5 };

// The corners as the file lists them, as vertices of the rig.
static mien_result read_corners(mi_glb_rig *r, const mi_glb_primitive *primitive, int *count,
                                int32_t **out) {
  mi_glb *glb = r->glb;
  const mi_glb_chunk *chunk = &r->chunk[primitive->chunk];
  mi_accessor accessor = {.count = chunk->nvert};
  mien_result result = MIEN_OK;
  if (primitive->indices >= 0) result = mi_glb_accessor(glb, primitive->indices, &accessor);
  if (result < 0) return result;
  int32_t *corner = mi_glb_push(glb, (size_t)accessor.count, sizeof *corner);
  if (!corner) return glb->err->code;
  *count = accessor.count;
  *out = corner;
  if (primitive->indices >= 0)
    result = mi_glb_indices(glb, &accessor, chunk->nvert, chunk->first, corner);
  else
    for (int i = 0; i < accessor.count; i++) corner[i] = chunk->first + i;
  int own_end = chunk->first + chunk->nkept;
  for (int i = 0; result >= 0 && chunk->borrowed && i < accessor.count; i++)
    if (corner[i] >= own_end) corner[i] = chunk->borrowed[corner[i] - own_end];
  return result;
}

// Triangle i of a strip is turned every second time, as glTF 2.0 section 3.7.2.1 has it.
static void write_triangles(const mi_glb_primitive *primitive, const int32_t *corner,
                            bool is_mirrored, int32_t *to) {
  for (int i = 0; 3 * i < primitive->ncorner; i++, to += 3) {
    if (primitive->mode == TRIANGLES) {
      memcpy(to, corner + 3 * (size_t)i, 3 * sizeof *to);
    } else if (primitive->mode == STRIP) {
      to[0] = corner[i];
      to[1] = corner[i + 1 + i % 2];
      to[2] = corner[i + 2 - i % 2];
    } else {
      to[0] = corner[i + 1];
      to[1] = corner[i + 2];
      to[2] = corner[0];
    }
    if (!is_mirrored) continue;
    int32_t swap = to[1];
    to[1] = to[2];
    to[2] = swap;
  }
}

// Strips are stitched together with triangles that have two equal corners; they are not drawn.
static int drop_stitches(int32_t *triangle, int ncorner) {
  int kept = 0;
  for (int i = 0; i < ncorner; i += 3) {
    const int32_t *t = triangle + i;
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
    memmove(triangle + kept, t, 3 * sizeof *t);
    kept += 3;
  }
  return kept;
}

mien_result mi_glb_read_faces(mi_glb_rig *r) {
  int32_t *faces = mi_glb_push(r->glb, (size_t)r->ncorner, sizeof *faces);
  if (!faces) return r->glb->err->code;
  int at = 0;
  for (int p = 0; p < r->npart; p++) r->part[p].ncorner = 0;
  for (int i = 0; i < r->nprimitive; i++) {
    const mi_glb_primitive *primitive = &r->primitive[i];
    mi_glb_part *part = &r->part[r->chunk[primitive->chunk].part];
    int count = 0;
    int32_t *corner = NULL;
    mien_result result = read_corners(r, primitive, &count, &corner);
    if (result < 0) return result;
    write_triangles(primitive, corner, part->is_mirrored, faces + at);
    int kept = primitive->ncorner;
    if (primitive->mode == STRIP) kept = drop_stitches(faces + at, kept);
    if (part->ncorner == 0) part->first_corner = at;
    part->ncorner += kept;
    at += kept;
  }
  // parts without triangles follow on from the part before
  for (int p = 0, next = 0; p < r->npart; next = r->part[p].first_corner + r->part[p].ncorner, p++)
    if (r->part[p].ncorner == 0) r->part[p].first_corner = next;
  if (at == 0) return mi_fail(r->glb->err, MIEN_ERR_FORMAT, "the file's scene holds no triangles");
  r->def.faces = (mien_i32s){faces, at};
  return MIEN_OK;
}
