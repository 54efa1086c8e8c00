#include "rig/embedding.h"

#include "mesh/decimate.h"
#include "rig/regions.h"

#include <math.h>
#include <string.h>

// how much more an error counts where lips and lids are, and along the slit between the lips
static const float LIPS = 6, LIDS = 3, SLIT = 25;
// At least this share of the vertices asked for cannot touch.
static const double OTHERS = 0.35;

typedef struct maker {
  const mien_rig *rig;
  const mien_host *host;
  mi_arena *arena, scratch;
  mien_error *err;
  mi_skin skin;
  mi_regions regions;
  mi_decimated coarse; // of skin vertices
  int32_t *local;      // rig vertex -> vertex of the coarser rig, -1 = gone          (rig nvert)
  mi_embedding *out;
  mien_rig_def def;
} maker;

// Skin that can touch keeps every vertex of the render skin, so that contact is exact there and
// flesh feels all of it. Returns how many vertices that makes at least.
static int keep_touching(const maker *m, int target, float *importance) {
  int count = 0;
  for (int i = 0; i < m->skin.nvert; i++) {
    if (!(m->regions.bits[i] & MIEN_REGION_CONTACT)) continue;
    importance[i] = INFINITY;
    count++;
  }
  int least = count + (int)(OTHERS * target);
  return target > least ? target : least;
}

static mien_result decimate(maker *m, int target) {
  float *importance = MI_PUSH(&m->scratch, float, m->skin.nvert);
  if (!importance) return mi_fail_memory(m->err);
  for (int i = 0; i < m->skin.nvert; i++) {
    int bits = m->regions.bits[i];
    importance[i] = bits & (MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER | MIEN_REGION_LIP_INNER)
                        ? LIPS
                    : bits & MIEN_REGION_EYELID ? LIDS
                                                : 1;
  }
  for (int k = 0; k < m->regions.nslit; k++) importance[m->regions.slit[k]] = SLIT;
  target = keep_touching(m, target, importance);
  for (int k = 0; k < m->rig->info.landmarks.count; k++) {
    int v = m->rig->info.landmarks.data[k];
    if (v >= 0 && m->skin.of_rig[v] >= 0) importance[m->skin.of_rig[v]] = INFINITY;
  }
  mi_decimate_def def = {.nvert = m->skin.nvert,
                         .ntri = m->skin.ntri,
                         .position = m->skin.position,
                         .tri = m->skin.tri,
                         .importance = importance,
                         .target = target};
  if (!mi_decimate(&def, &m->scratch, &m->coarse)) return mi_fail_memory(m->err);
  if (m->coarse.nvert > MI_MAP_SOURCES)
    return mi_fail(m->err, MIEN_ERR_ARGUMENT,
                   "the skin could be reduced to %d vertices only; at most %d can be mapped back",
                   m->coarse.nvert, MI_MAP_SOURCES);
  return MIEN_OK;
}

// All vertices of other parts, and of the skin those that stay; in the rig's order, so that parts
// stay ranges.
static mien_result number(maker *m) {
  const mien_rig_info *info = &m->rig->info;
  mi_embedding *out = m->out;
  m->local = MI_PUSH(&m->scratch, int32_t, info->nvert);
  out->source = MI_PUSH(m->arena, int32_t, info->nvert);
  out->skin = MI_PUSH(m->arena, int32_t, m->coarse.nvert);
  float *position = MI_PUSH(&m->scratch, float, 3 * (size_t)info->nvert);
  if (!m->local || !out->source || !out->skin || !position) return mi_fail_memory(m->err);
  for (int i = 0; i < m->coarse.nvert; i++) {
    out->skin[i] = m->skin.vert[m->coarse.vert[i]];
    m->local[out->skin[i]] = 1;
  }
  out->nskin = m->coarse.nvert;
  for (int v = 0; v < info->nvert; v++) {
    bool stays = m->skin.of_rig[v] < 0 || m->local[v];
    m->local[v] = stays ? out->nsource : -1;
    if (!stays) continue;
    memcpy(position + 3 * (size_t)out->nsource, m->rig->positions + 3 * (size_t)v,
           3 * sizeof *position);
    out->source[out->nsource++] = v;
  }
  m->def.positions = (mien_f32s){position, out->nsource, 3};
  return MIEN_OK;
}

// A triangle beside the skin may share vertices with it where a body is cut off. A back has no
// vertex of its own and goes with its front.
static bool stays(const maker *m, const int32_t *corner) {
  int nskin = 0;
  for (int c = 0; c < 3; c++) {
    if (m->local[corner[c]] < 0) return false;
    nskin += m->skin.of_rig[corner[c]] >= 0;
  }
  return nskin < 3;
}

// Triangles of each part: all that are not skin, and the remaining ones of its skin.
static mien_result make_parts(maker *m) {
  const mien_rig_info *info = &m->rig->info;
  int32_t *tri = MI_PUSH(&m->scratch, int32_t, 3 * (size_t)info->ntri);
  int32_t *left = MI_PUSH(&m->scratch, int32_t, m->skin.ntri);
  mien_part *parts = MI_PUSH(&m->scratch, mien_part, info->npart);
  if (!tri || !left || !parts) return mi_fail_memory(m->err);
  for (int t = 0; t < m->skin.ntri; t++) left[t] = -1;
  for (int t = 0; t < m->coarse.ntri; t++) left[m->coarse.origin[t]] = t;
  int count = 0, vert = 0, nskin = 0;
  for (int p = 0; p < info->npart; p++) {
    const mien_part *from = info->parts + p;
    parts[p] = (mien_part){from->name, from->kind, vert, 0, count, 0};
    for (int v = from->first_vertex; v < from->first_vertex + from->nvert; v++)
      parts[p].nvert += m->local[v] >= 0;
    vert += parts[p].nvert;
    for (int t = from->first_triangle; t < from->first_triangle + from->ntri; t++) {
      const int32_t *corner = m->rig->triangles + 3 * (size_t)t;
      bool is_skin = mi_skin_has(&m->skin, m->rig, t);
      int k = is_skin ? left[nskin++] : -1; // skin triangles are in the rig's order
      if (is_skin ? k < 0 : !stays(m, corner)) continue;
      for (int c = 0; c < 3; c++) {
        int v = is_skin ? m->skin.vert[m->coarse.tri[3 * (size_t)k + (size_t)c]] : corner[c];
        tri[3 * (size_t)count + (size_t)c] = m->local[v];
      }
      count++;
    }
    parts[p].ntri = count - parts[p].first_triangle;
  }
  if (nskin != m->skin.ntri)
    return mi_fail(m->err, MIEN_ERR_MISMATCH, "the skin's triangles cannot be told apart");
  m->def.faces = (mien_i32s){tri, 3 * count};
  m->def.parts = parts;
  m->def.npart = info->npart;
  return MIEN_OK;
}

static mien_result make_shapes(maker *m) {
  const mien_rig_info *info = &m->rig->info;
  mien_shape *shapes = MI_PUSH(&m->scratch, mien_shape, info->nshape);
  if (!shapes) return mi_fail_memory(m->err);
  for (int s = 0; s < info->nshape; s++) {
    const mien_shape *from = info->shapes + s;
    int32_t *index = MI_PUSH(&m->scratch, int32_t, from->indices.count);
    float *delta = MI_PUSH(&m->scratch, float, 3 * (size_t)from->indices.count);
    int count = 0;
    if (!index || !delta) return mi_fail_memory(m->err);
    for (int k = 0; k < from->indices.count; k++) {
      int v = m->local[from->indices.data[k]];
      if (v < 0) continue;
      memcpy(delta + 3 * (size_t)count, mi_f32s_at(&from->deltas, 3, k), 3 * sizeof *delta);
      index[count++] = v;
    }
    shapes[s] = (mien_shape){from->name, {index, count}, {delta, count, 3}};
  }
  m->def.shapes = shapes;
  m->def.nshape = info->nshape;
  return MIEN_OK;
}

// Regions found on the artist's skin are painted on the coarser one, which has less detail to find
// them by.
static float *paint(maker *m, mien_map *map, const char *name) {
  float *values = MI_PUSH(&m->scratch, float, m->out->nsource);
  *map = (mien_map){name, 1, {values, m->out->nsource, 1}};
  return values;
}

static mien_result make_maps(maker *m) {
  static const char *const found[] = {"region", "attachment", "jaw"};
  const mien_rig_info *info = &m->rig->info;
  mien_map *maps = MI_PUSH(&m->scratch, mien_map, info->nmap + 3);
  if (!maps) return mi_fail_memory(m->err);
  int count = 3;
  for (int k = 0; k < 3; k++) {
    float *values = paint(m, maps + k, found[k]);
    if (!values) return mi_fail_memory(m->err);
    for (int i = 0; i < m->coarse.nvert; i++) {
      int s = m->coarse.vert[i], at = m->local[m->skin.vert[s]];
      values[at] = k == 0   ? (float)m->regions.bits[s]
                   : k == 1 ? m->regions.attachment[s]
                            : m->regions.jaw[s];
    }
  }
  for (int k = 0; k < info->nmap; k++) {
    const mien_map *from = info->maps + k;
    bool is_found = !strcmp(from->name, "hypodermis") || !strncmp(from->name, "blendvolume", 11);
    for (int f = 0; f < 3; f++) is_found |= !strcmp(from->name, found[f]);
    if (is_found) continue;
    float *values = MI_PUSH(&m->scratch, float, (size_t)from->width *(size_t)m->out->nsource);
    if (!values) return mi_fail_memory(m->err);
    for (int i = 0; i < m->out->nsource; i++)
      memcpy(values + (size_t)from->width * (size_t)i,
             mi_f32s_at(&from->values, from->width, m->out->source[i]),
             (size_t)from->width * sizeof *values);
    maps[count++] = (mien_map){from->name, from->width, {values, m->out->nsource, from->width}};
  }
  m->def.maps = maps;
  m->def.nmap = count;
  return MIEN_OK;
}

static mien_result make_rest(maker *m) {
  int32_t *landmarks = MI_PUSH(&m->scratch, int32_t, 68);
  if (!landmarks) return mi_fail_memory(m->err);
  for (int k = 0; k < 68; k++) {
    int v = m->rig->info.landmarks.data[k];
    landmarks[k] = v < 0 ? -1 : m->local[v];
  }
  m->def.landmarks = (mien_i32s){landmarks, 68};
  m->def.jaw = m->regions.jaw_hinge;
  m->def.name = m->rig->info.name;
  m->def.source_unit = m->rig->info.source_unit;
  m->def.weld = 0;
  return MIEN_OK;
}

static mien_result make_map(maker *m) {
  int32_t *source = MI_PUSH(&m->scratch, int32_t, m->skin.nvert);
  if (!source) return mi_fail_memory(m->err);
  for (int i = 0; i < m->skin.nvert; i++) source[i] = -1;
  for (int i = 0; i < m->coarse.nvert; i++) source[m->coarse.vert[i]] = i;
  mi_skin_map_def def = {.topo = &m->skin.topo,
                         .position = m->skin.position,
                         .normal = m->skin.normal,
                         .vert = m->skin.vert,
                         .source = source,
                         .nsource = m->coarse.nvert,
                         .host = m->host};
  return mi_skin_map_build(&def, m->arena, &m->out->map) ? MIEN_OK : mi_fail_memory(m->err);
}

// The coarser rig's own size and middle would cut a body elsewhere.
static mien_result mark_cut(const maker *m, mien_rig *coarse) {
  coarse->is_cut = MI_PUSH(&coarse->arena, bool, coarse->info.nvert);
  for (int i = 0; coarse->is_cut && i < m->out->nsource; i++)
    coarse->is_cut[i] = m->skin.of_rig[m->out->source[i]] < 0;
  return coarse->is_cut ? MIEN_OK : mi_fail_memory(m->err);
}

static mien_result make(maker *m, int target, mien_rig **coarse) {
  mi_remarks unheard = {.arena = &m->scratch}; // the face says the same of the coarser rig
  mien_result result = mi_skin_build(m->rig, &m->scratch, &m->skin, &unheard, m->err);
  if (result < 0 || m->skin.nvert <= target) return result < 0 ? result : MIEN_OK;
  result = mi_regions_find(m->rig, &m->skin, &m->scratch, &m->regions, &unheard, m->err);
  if (result >= 0) result = decimate(m, target);
  if (result >= 0 && !mi_progress(m->host, "coarser rig", 0.5))
    result = mi_fail(m->err, MIEN_ERR_CANCELLED, "stopped by the host");
  if (result >= 0) result = number(m);
  if (result >= 0) result = make_parts(m);
  if (result >= 0) result = make_shapes(m);
  if (result >= 0) result = make_maps(m);
  if (result >= 0) result = make_rest(m);
  if (result >= 0) result = make_map(m);
  if (result >= 0) result = mi_rig_create(&m->def, m->host, coarse, m->err);
  if (result >= 0) result = mark_cut(m, *coarse);
  return result < 0 ? result : MIEN_OK;
}

mien_result mi_embedding_create(const mien_rig *rig, int target, const mien_host *host,
                                mi_arena *arena, mien_rig **coarse, mi_embedding *out,
                                mien_error *err) {
  maker m = {.rig = rig, .host = host, .arena = arena, .err = err, .out = out};
  *out = (mi_embedding){0};
  *coarse = NULL;
  mi_arena_init(&m.scratch, host);
  mien_rig_def_init(&m.def);
  mien_result result = make(&m, target, coarse);
  mi_arena_free(&m.scratch);
  if (result >= 0 && *coarse) out->render_skin = mi_rig_share(rig);
  return result;
}
