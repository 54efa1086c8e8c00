// A rig from its definition: welded, in metres, triangulated, its shapes as sparse runs.
#include "rig/rig.h"

#include "rig/build.h"

#include <string.h>

static mien_result copy_positions(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  rig->positions = MI_PUSH(&rig->arena, float, 3 * (size_t)b->nvert);
  if (!rig->positions) return mi_fail_memory(b->err);
  float scale = (float)b->def->metres_per_unit;
  for (int k = 0; k < 3; k++) rig->info.box_min[k] = INFINITY, rig->info.box_max[k] = -INFINITY;
  for (int i = 0; i < b->def->positions.count; i++) {
    const float *from = mi_f32s_at(&b->def->positions, 3, i);
    float *to = rig->positions + 3 * (size_t)b->weld[i];
    for (int k = 0; k < 3; k++) {
      to[k] = scale * from[k];
      rig->info.box_min[k] = fminf(rig->info.box_min[k], to[k]);
      rig->info.box_max[k] = fmaxf(rig->info.box_max[k], to[k]);
    }
  }
  rig->info.nvert = b->nvert;
  rig->info.positions = (mien_f32s){rig->positions, b->nvert, 3};
  return MIEN_OK;
}

static mien_result copy_render(mi_rig_build *b) {
  mien_rig_info *info = &b->rig->info;
  int nrender = b->def->positions.count;
  int32_t *map = MI_PUSH(&b->rig->arena, int32_t, nrender);
  float *uv = b->def->uvs.data ? MI_PUSH(&b->rig->arena, float, 2 * (size_t)nrender) : NULL;
  float *colour = b->def->colours.data ? MI_PUSH(&b->rig->arena, float, 4 * (size_t)nrender) : NULL;
  if (!map || (b->def->uvs.data && !uv) || (b->def->colours.data && !colour))
    return mi_fail_memory(b->err);
  memcpy(map, b->weld, (size_t)nrender * sizeof *map);
  for (int i = 0; i < nrender; i++) {
    if (uv) memcpy(uv + 2 * (size_t)i, mi_f32s_at(&b->def->uvs, 2, i), 2 * sizeof *uv);
    if (colour)
      memcpy(colour + 4 * (size_t)i, mi_f32s_at(&b->def->colours, 4, i), 4 * sizeof *colour);
  }
  info->nrender = nrender;
  info->render_map = (mien_i32s){map, nrender};
  if (uv) info->uvs = (mien_f32s){uv, nrender, 2};
  if (colour) info->colours = (mien_f32s){colour, nrender, 4};
  return MIEN_OK;
}

// parts as the definition has them, with vertex and triangle ranges of the welded, triangulated rig
static mien_result copy_parts(mi_rig_build *b) {
  mien_rig_info *info = &b->rig->info;
  mien_part whole = {.name = b->def->name ? b->def->name : "face",
                     .nvert = b->def->positions.count,
                     .ntri = b->nface};
  const mien_part *from = b->def->npart ? b->def->parts : &whole;
  info->npart = b->def->npart ? b->def->npart : 1;
  mien_part *parts = MI_PUSH(&b->rig->arena, mien_part, info->npart);
  b->rig->is_named = MI_PUSH(&b->rig->arena, bool, info->npart);
  if (!parts || !b->rig->is_named) return mi_fail_memory(b->err);
  int vert = 0;
  for (int p = 0; p < info->npart; p++) {
    parts[p] = from[p];
    parts[p].name = mi_arena_name(&b->rig->arena, from[p].name);
    if (!parts[p].name) return mi_fail_memory(b->err);
    if (parts[p].kind == MIEN_PART_AUTO && info->npart > 1) {
      parts[p].kind = mi_part_kind_from_name(parts[p].name);
      b->rig->is_named[p] = true;
    }
    // welding stays inside a part and keeps the order, so a part's vertices stay one range
    int render_end = from[p].first_vertex + from[p].nvert, end = vert;
    for (int i = from[p].first_vertex; i < render_end; i++)
      if (b->weld[i] >= end) end = b->weld[i] + 1;
    parts[p].first_vertex = vert;
    parts[p].nvert = end - vert;
    vert = end;
    int last = from[p].first_triangle + from[p].ntri;
    parts[p].first_triangle = b->face_first_tri[from[p].first_triangle];
    parts[p].ntri = b->face_first_tri[last] - parts[p].first_triangle;
  }
  info->parts = parts;
  return MIEN_OK;
}

static mien_result copy_landmarks(mi_rig_build *b) {
  mien_rig_info *info = &b->rig->info;
  int32_t *landmarks = MI_PUSH(&b->rig->arena, int32_t, 68);
  if (!landmarks) return mi_fail_memory(b->err);
  for (int i = 0; i < 68; i++) {
    int given = b->def->landmarks.data ? b->def->landmarks.data[i] : -1;
    landmarks[i] = given < 0 ? -1 : b->weld[given];
    info->nlandmark += given >= 0;
  }
  info->landmarks = (mien_i32s){landmarks, 68};
  info->jaw = b->def->jaw;
  return MIEN_OK;
}

static mien_result copy_maps(mi_rig_build *b) {
  mien_rig_info *info = &b->rig->info;
  mien_map *maps = MI_PUSH(&b->rig->arena, mien_map, b->def->nmap);
  if (!maps) return mi_fail_memory(b->err);
  for (int m = 0; m < b->def->nmap; m++) {
    const mien_map *from = b->def->maps + m;
    float *values = MI_PUSH(&b->rig->arena, float, (size_t)from->width *(size_t)b->nvert);
    maps[m].name = mi_arena_name(&b->rig->arena, from->name);
    if (!values || !maps[m].name) return mi_fail_memory(b->err);
    float scale = mi_map_is_length(from->name) ? (float)b->def->metres_per_unit : 1;
    for (int i = b->def->positions.count - 1; i >= 0; i--) // the first of a seam's vertices wins
      for (int k = 0; k < from->width; k++)
        values[from->width * b->weld[i] + k] = scale * mi_f32s_at(&from->values, from->width, i)[k];
    maps[m].width = from->width;
    maps[m].values = (mien_f32s){values, b->nvert, from->width};
  }
  info->nmap = b->def->nmap;
  info->maps = maps;
  return MIEN_OK;
}

// The file's own numbers are sign * rig / metres_per_unit along its axes.
static mien_result copy_way_back(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  mien_rig_info *info = &rig->info;
  size_t npart = (size_t)info->npart;
  double *spaces = MI_PUSH(&rig->arena, double, 12 * npart);
  int32_t *first = MI_PUSH(&rig->arena, int32_t, npart + 1);
  int32_t *number = MI_PUSH(&rig->arena, int32_t, info->nrender);
  if (!spaces || !first || !number) return mi_fail_memory(b->err);
  for (size_t p = 0; p < npart; p++)
    for (int i = 0; i < 3; i++) {
      const double *given = b->def->part_spaces ? b->def->part_spaces + 12 * p + 4 * i : NULL;
      double *row = spaces + 12 * p + 4 * i;
      for (int k = 0; k < 3; k++) {
        int axis = rig->turn_axis[k];
        row[k] = (given ? given[axis] : i == axis) * rig->turn_sign[k] / rig->metres_per_unit;
      }
      row[3] = given ? given[3] : 0;
    }
  for (int r = 0, p = 0; r < info->nrender; r++) {
    while (b->def->npart && r >= b->def->parts[p].first_vertex + b->def->parts[p].nvert) p++;
    first[p + 1] = r + 1;
    number[r] = b->def->file_vertices.data ? b->def->file_vertices.data[r] : r - first[p];
  }
  for (size_t p = 1; p <= npart; p++)
    if (first[p] < first[p - 1]) first[p] = first[p - 1];
  info->part_spaces = spaces;
  info->part_render = (mien_i32s){first, info->npart + 1};
  info->file_vertices = (mien_i32s){number, info->nrender};
  return MIEN_OK;
}

static mien_part *parts_of(mien_rig *rig) {
  return (mien_part *)rig->info.parts; // the rig's own, still being made
}

static mien_result build(mi_rig_build *b) {
  mien_rig *rig = b->rig;
  rig->remarks.arena = &rig->arena;
  for (int i = 0; i < b->def->nremark; i++)
    if (!mi_remark(&rig->remarks, "%s", b->def->remarks[i])) return mi_fail_memory(b->err);
  b->weld = MI_PUSH(&b->scratch, int32_t, b->def->positions.count);
  b->nvert = b->weld ? mi_weld(b->def, &b->scratch, b->weld) : -1;
  if (b->nvert < 0) return mi_fail_memory(b->err);
  mien_result result = mi_rig_orient(b);
  if (result == MIEN_OK) result = mi_rig_place(b);
  if (result < 0) return result;
  const mien_rig_def *def = b->def;
  rig->info.name = mi_arena_name(&rig->arena, def->name ? def->name : "face");
  rig->info.extras = mi_arena_string(&rig->arena, def->extras ? def->extras : "{}");
  rig->info.source_unit = def->source_unit > 0 ? def->source_unit : def->metres_per_unit;
  if (!rig->info.name || !rig->info.extras) return mi_fail_memory(b->err);

  result = copy_positions(b);
  if (result == MIEN_OK) result = copy_render(b);
  if (result == MIEN_OK) result = mi_rig_triangulate(b);
  if (result == MIEN_OK) result = copy_parts(b);
  if (result == MIEN_OK) result = mi_rig_build_shapes(b);
  if (result == MIEN_OK) result = mi_rig_find_driven(b);
  if (result == MIEN_OK) result = mi_rig_choose_face(b, parts_of(rig));
  if (result == MIEN_OK) result = mi_rig_place_pivot(b);
  if (result == MIEN_OK) result = copy_landmarks(b);
  if (result == MIEN_OK) result = copy_maps(b);
  if (result == MIEN_OK) result = copy_way_back(b);
  if (result == MIEN_OK) result = mi_rig_describe(b);
  if (result != MIEN_OK) return result;
  rig->info.remarks = rig->remarks.text;
  rig->info.nremark = rig->remarks.count;
  return rig->remarks.count ? MIEN_REMARK : MIEN_OK;
}

mien_result mi_rig_create(const mien_rig_def *def, const mien_host *given, mien_rig **out,
                          mien_error *err) {
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result == MIEN_OK) result = mi_rig_def_check(def, err);
  if (result != MIEN_OK) return result;
  mien_rig *rig = MI_CREATE(mien_rig, &host);
  if (!rig) return mi_fail_memory(err);
  rig->host = host;
  atomic_init(&rig->nuser, 1);
  mi_rig_build b = {.def = def, .rig = rig, .err = err, .chosen = -1};
  mi_arena_init(&b.scratch, &host);
  result = build(&b);
  mi_arena_free(&b.scratch);
  if (result < 0) {
    mi_rig_release(rig);
    return result;
  }
  *out = rig;
  return result;
}

mien_rig *mi_rig_share(const mien_rig *rig) {
  mien_rig *shared = (mien_rig *)rig; // the count is the one field that may change
  atomic_fetch_add(&shared->nuser, 1);
  return shared;
}

void mi_rig_release(const mien_rig *rig) {
  if (!rig) return;
  mien_rig *shared = (mien_rig *)rig;
  if (atomic_fetch_sub(&shared->nuser, 1) > 1) return;
  mi_arena_delete(shared->arena);
}
