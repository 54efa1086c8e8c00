// The parts of a rig as the meshes of its file: vertex order and count, unit, axes and space.
#include "io/affine.h"
#include "io/cache.h"

#include "rig/rig.h"

// The points of a part: its own render vertices at their places in the file, the vertices that the
// file holds again because its triangles reach over into another part, and where no file says so
// such vertices in the order in which triangles meet them.
int mi_part_points(const mien_rig *rig, int part, int32_t *point) {
  const mien_rig_info *info = &rig->info;
  int npoint = 0;
  for (int r = 0; r < info->nrender; r++) point[r] = -1;
  for (int r = info->part_render.data[part]; r < info->part_render.data[part + 1]; r++)
    point[r] = info->file_vertices.data[r];
  for (int b = 0; b < rig->nborrowed; b++)
    if (rig->borrowed[b].part == part) point[rig->borrowed[b].render] = rig->borrowed[b].vertex;
  for (int r = 0; r < info->nrender; r++)
    if (point[r] >= npoint) npoint = point[r] + 1;
  const mien_part *of = &info->parts[part];
  const int32_t *corner = info->render_triangles.data + 3 * (size_t)of->first_triangle;
  for (int i = 0; npoint && i < 3 * of->ntri; i++)
    if (point[corner[i]] < 0) point[corner[i]] = npoint++;
  return npoint;
}

// One uv per point, or per corner where a point has several.
static mien_result gather_uvs(const mi_frames *frames, const int32_t *corner_render,
                              mi_part_mesh *out, mien_error *err) {
  const mien_f32s *uvs = &frames->rig->info.uvs;
  if (!uvs->data) return MIEN_OK;
  bool is_split = false;
  for (int i = 0; i < out->ncorner && !is_split; i++) {
    const float *a = mi_f32s_at(uvs, 2, corner_render[i]);
    const float *b = mi_f32s_at(uvs, 2, out->render[out->corner[i]]);
    is_split = a[0] != b[0] || a[1] != b[1];
  }
  out->nuv = is_split ? out->ncorner : out->npoint;
  float *to = MI_PUSH(frames->arena, float, 2 * (size_t)out->nuv);
  if (!to) return mi_fail_memory(err);
  for (int i = 0; i < out->nuv; i++) {
    int render = is_split ? corner_render[i] : out->render[i];
    const float *uv = render >= 0 ? mi_f32s_at(uvs, 2, render) : (const float[]){0, 0};
    to[2 * (size_t)i] = uv[0];
    to[2 * (size_t)i + 1] = 1 - uv[1]; // glTF counts v downwards
  }
  out->uvs = to;
  return MIEN_OK;
}

static void set_spaces(const mien_rig_info *rig, int part, mi_part_mesh *out) {
  mi_affine space, world;
  memcpy(out->space, rig->part_spaces + 12 * (size_t)part, sizeof out->space);
  memcpy(space.m, out->space, sizeof out->space);
  if (!mi_affine_invert(&space, &world)) world = mi_affine_identity();
  memcpy(out->world, world.m, sizeof out->world);
}

// `point` is room for all render vertices: one for all parts, of which a file may hold thousands.
static mien_result make(const mi_frames *frames, int part, int32_t *point, mi_part_mesh *out,
                        mien_error *err) {
  const mien_rig_info *info = &frames->rig->info;
  const mien_part *of = &info->parts[part];
  int npoint = mi_part_points(frames->rig, part, point);
  *out = (mi_part_mesh){.name = of->name, .npoint = npoint, .ncorner = npoint ? 3 * of->ntri : 0};
  int32_t *render = MI_PUSH(frames->arena, int32_t, npoint);
  int32_t *corner = MI_PUSH(frames->arena, int32_t, out->ncorner);
  if (!render || !corner) return mi_fail_memory(err);
  for (int i = 0; i < npoint; i++) render[i] = -1;
  for (int r = info->nrender - 1; r >= 0; r--) // the first of a seam's vertices wins
    if (point[r] >= 0) render[point[r]] = r;
  const int32_t *from = info->render_triangles.data + 3 * (size_t)of->first_triangle;
  for (int i = 0; i < out->ncorner; i++) corner[i] = point[from[i]];
  out->render = render;
  out->corner = corner;
  set_spaces(info, part, out);
  return gather_uvs(frames, from, out, err);
}

mi_part_mesh *mi_part_meshes(const mi_frames *frames, int *count, mien_error *err) {
  const mien_rig_info *info = &frames->rig->info;
  mi_part_mesh *mesh = MI_PUSH(frames->arena, mi_part_mesh, info->npart);
  int32_t *point = MI_PUSH(frames->arena, int32_t, info->nrender);
  *count = 0;
  if (!mesh || !point) {
    mi_fail_memory(err);
    return NULL;
  }
  for (int p = 0; p < info->npart; p++) {
    if (make(frames, p, point, &mesh[*count], err) < 0) return NULL;
    *count += mesh[*count].npoint > 0;
  }
  return mesh;
}

void mi_part_mesh_gather(const mi_part_mesh *mesh, const float *frame, float *points) {
  for (int i = 0; i < mesh->npoint; i++) {
    if (mesh->render[i] < 0) continue; // stays at the origin
    const float *from = frame + 3 * (size_t)mesh->render[i];
    for (int k = 0; k < 3; k++) {
      const double *row = mesh->space + 4 * k;
      points[3 * (size_t)i + (size_t)k] =
          (float)(row[0] * (double)from[0] + row[1] * (double)from[1] + row[2] * (double)from[2] +
                  row[3]);
    }
  }
}
