// From painted maps to sparse blends over tetrahedra and vertices.
#include "face/face.h"

#include <math.h>
#include <string.h>

static const char *const NAMES[MI_NMATERIAL] = {"stiffness", "volume_stiffness", "density",
                                                "damping", "attachment"};
// Factors stay within these: a solver in float has to cope with what several shapes add up to.
static const float LEAST_FACTOR = 0.02f, MOST_FACTOR = 1000;
static const float NEGLIGIBLE = 1e-3f; // of a shape's largest change: smaller changes are dropped

typedef struct maker {
  mi_face_build *b;
  mi_diffusion *diffusion;
  mi_material material;
  mi_painted painted;
  float *neutral; // of flesh vertices                                              (nvert)
  float *values;  // of a shape, on flesh vertices                                  (nvert)
  float *change;  // of a shape, per tetrahedron or vertex                          (count)
  int32_t *place; // in `vary`, -1 = not there                                      (count)
} maker;

void mi_blend_at(const mi_blend *blend, const float *weights, float *values) {
  for (int k = 0; k < blend->nvary; k++) values[k] = mi_blend_neutral(blend, blend->vary[k]);
  for (int s = 0; s < blend->nshape; s++) {
    if (weights[s] == 0) continue;
    for (int p = blend->first[s]; p < blend->first[s + 1]; p++)
      values[blend->entry[p]] += weights[s] * blend->delta[p];
  }
  for (int k = 0; k < blend->nvary; k++)
    values[k] = fminf(blend->most, fmaxf(blend->least, values[k]));
}

void mi_blend_most(const mi_blend *blend, float *values) {
  for (int k = 0; k < blend->nvary; k++) values[k] = mi_blend_neutral(blend, blend->vary[k]);
  for (int s = 0; s < blend->nshape; s++)
    for (int p = blend->first[s]; p < blend->first[s + 1]; p++) {
      int k = blend->entry[p];
      values[k] = fmaxf(values[k], mi_blend_neutral(blend, blend->vary[k]) + blend->delta[p]);
    }
}

uint64_t mi_materials_hash(const mi_materials *materials, uint64_t seed) {
  for (int m = 0; m < MI_NMATERIAL; m++) {
    const mi_blend *blend = materials->of + m;
    if (blend->neutral) seed = mi_hash(seed, blend->neutral, (size_t)blend->count * sizeof(float));
    if (!blend->nvary) continue;
    int count = blend->first[blend->nshape];
    seed = mi_hash(seed, blend->vary, (size_t)blend->nvary * sizeof(int32_t));
    seed = mi_hash(seed, blend->first, ((size_t)blend->nshape + 1) * sizeof(int32_t));
    seed = mi_hash(seed, blend->entry, (size_t)count * sizeof(int32_t));
    seed = mi_hash(seed, blend->delta, (size_t)count * sizeof(float));
  }
  return seed;
}

static bool is_of_tets(mi_material material) {
  return material == MI_STIFFNESS || material == MI_VOLUME_STIFFNESS;
}

// Spreads a map from the skin to all flesh vertices. Factors diffuse into the volume; attachment,
// which belongs to bone, is copied to the vertices that the painted ones carry.
static mien_result spread(maker *m, const mien_map *map, const float *otherwise, float *values) {
  const mien_face *face = m->b->face;
  bool is_factor = m->material != MI_ATTACHMENT;
  mien_result result = mi_paint_read(m->b, map, is_factor ? MOST_FACTOR : 1, otherwise, values);
  if (result != MIEN_OK) return result;
  if (is_factor) {
    for (int i = 0; i < face->skin.nvert; i++) values[i] = fmaxf(values[i], LEAST_FACTOR);
    if (!m->diffusion) m->diffusion = mi_diffusion_create(m->b);
    return m->diffusion && mi_diffuse(m->diffusion, values) ? MIEN_OK : mi_fail_memory(m->b->err);
  }
  for (int i = face->info.nvert - 1; i >= 0; i--)
    values[i] = face->attachment[i] > 0 ? values[face->carrier[i]] : 0;
  return MIEN_OK;
}

// Finds how much a shape changes each element of the blend. Returns the largest change.
static float find_change(const maker *m) {
  const mien_face *face = m->b->face;
  float largest = 0;
  for (int e = 0; e < m->b->face->materials.of[m->material].count; e++) {
    if (is_of_tets(m->material)) {
      m->change[e] = 0;
      for (int c = 0; c < 4; c++) {
        int v = face->tets[4 * (size_t)e + (size_t)c];
        m->change[e] += 0.25f * (m->values[v] - m->neutral[v]);
      }
    } else {
      m->change[e] = m->values[e] - m->neutral[e];
    }
    largest = fmaxf(largest, fabsf(m->change[e]));
  }
  return largest;
}

// The elements that one shape changes, before the blend numbers all of them.
typedef struct changed {
  int count;
  int32_t *element;
  float *delta;
} changed;

static bool collect(maker *m, int count, changed *out) {
  float largest = find_change(m), least = NEGLIGIBLE * largest;
  for (int e = 0; e < count; e++) out->count += fabsf(m->change[e]) > least;
  out->element = MI_PUSH(&m->b->scratch, int32_t, out->count);
  out->delta = MI_PUSH(&m->b->scratch, float, out->count);
  if (!out->element || !out->delta) return false;
  for (int e = 0, k = 0; e < count; e++) {
    if (!(fabsf(m->change[e]) > least)) continue;
    out->element[k] = e;
    out->delta[k++] = m->change[e];
    m->place[e] = 0;
  }
  return true;
}

static mien_result number(maker *m, const changed *shapes, mi_blend *blend) {
  mi_arena *arena = &m->b->face->arena;
  int total = 0;
  for (int e = 0; e < blend->count; e++)
    if (m->place[e] >= 0) m->place[e] = blend->nvary++;
  for (int s = 0; s < blend->nshape; s++) total += shapes[s].count;
  blend->vary = MI_PUSH(arena, int32_t, blend->nvary);
  blend->first = MI_PUSH(arena, int32_t, blend->nshape + 1);
  blend->entry = MI_PUSH(arena, int32_t, total);
  blend->delta = MI_PUSH(arena, float, total);
  if (!blend->vary || !blend->first || !blend->entry || !blend->delta)
    return mi_fail_memory(m->b->err);
  for (int e = 0; e < blend->count; e++)
    if (m->place[e] >= 0) blend->vary[m->place[e]] = e;
  for (int s = 0, at = 0; s < blend->nshape; s++) {
    for (int k = 0; k < shapes[s].count; k++, at++) {
      blend->entry[at] = m->place[shapes[s].element[k]];
      blend->delta[at] = shapes[s].delta[k];
    }
    blend->first[s + 1] = at;
  }
  return MIEN_OK;
}

static mien_result build_neutral(maker *m, mi_blend *blend) {
  const mien_face *face = m->b->face;
  int nvert = face->info.nvert;
  if (m->material == MI_ATTACHMENT) { // the rig's own regions have read that map already
    memcpy(m->neutral, face->attachment, (size_t)nvert * sizeof *m->neutral);
    blend->neutral = face->attachment;
    return MIEN_OK;
  }
  for (int i = 0; i < nvert; i++) m->neutral[i] = 1;
  if (!m->painted.neutral) return MIEN_OK;
  mien_result result = spread(m, m->painted.neutral, m->neutral, m->neutral);
  if (result != MIEN_OK) return result;
  blend->neutral = MI_PUSH(&m->b->face->arena, float, blend->count);
  if (!blend->neutral) return mi_fail_memory(m->b->err);
  for (int e = 0; e < blend->count; e++) {
    if (!is_of_tets(m->material)) {
      blend->neutral[e] = m->neutral[e];
      continue;
    }
    for (int c = 0; c < 4; c++)
      blend->neutral[e] += 0.25f * m->neutral[face->tets[4 * (size_t)e + (size_t)c]];
  }
  return MIEN_OK;
}

static mien_result build_shapes(maker *m, mi_blend *blend) {
  mi_face_build *b = m->b;
  const mien_face *face = b->face;
  blend->nshape = face->rig->info.nshape;
  changed *shapes = MI_PUSH(&b->scratch, changed, blend->nshape);
  m->place = MI_PUSH(&b->scratch, int32_t, blend->count);
  m->change = MI_PUSH(&b->scratch, float, blend->count);
  m->values = MI_PUSH(&b->scratch, float, face->info.nvert);
  if (!shapes || !m->place || !m->change || !m->values) return mi_fail_memory(b->err);
  for (int e = 0; e < blend->count; e++) m->place[e] = -1;
  const float *otherwise = m->material == MI_ATTACHMENT ? face->regions.attachment : m->neutral;
  for (int s = 0; s < blend->nshape; s++) {
    if (!m->painted.shape[s]) continue;
    mien_result result = spread(m, m->painted.shape[s], otherwise, m->values);
    if (result != MIEN_OK) return result;
    if (!collect(m, blend->count, shapes + s)) return mi_fail_memory(b->err);
    if (!mi_progress(&face->host, "materials", (s + 1.0) / blend->nshape))
      return mi_fail(b->err, MIEN_ERR_CANCELLED, "stopped by the host");
  }
  return number(m, shapes, blend);
}

mien_result mi_materials_build(mi_face_build *b) {
  mien_face *face = b->face;
  maker m = {.b = b, .neutral = MI_PUSH(&b->scratch, float, face->info.nvert)};
  if (!m.neutral) return mi_fail_memory(b->err);
  for (int k = 0; k < MI_NMATERIAL; k++) {
    mi_blend *blend = face->materials.of + k;
    m.material = (mi_material)k;
    bool is_share = m.material == MI_ATTACHMENT;
    *blend = (mi_blend){.count = is_of_tets(m.material) ? face->info.ntet : face->info.nvert,
                        .least = is_share ? 0 : LEAST_FACTOR,
                        .most = is_share ? 1 : MOST_FACTOR};
    mien_result result = mi_paint_find(b, NAMES[k], &m.painted);
    if (result == MIEN_OK) result = build_neutral(&m, blend);
    if (result == MIEN_OK && m.painted.nshape_painted) result = build_shapes(&m, blend);
    if (result != MIEN_OK) return result;
    face->materials.is_varying |= blend->nvary > 0;
  }
  return MIEN_OK;
}
