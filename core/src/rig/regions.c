// Finds the regions of a skin, in the order in which one needs the other.
#include "rig/finding.h"

#include <string.h>

double mi_shape_spread(const mi_finding *f, int shape, float *delta) {
  const mien_shape *from = f->rig->info.shapes + shape;
  double most = 0;
  memset(delta, 0, 3 * (size_t)f->skin->nvert * sizeof *delta);
  for (int k = 0; k < from->indices.count; k++) {
    int i = f->skin->of_rig[from->indices.data[k]];
    if (i < 0) continue;
    const float *step = mi_f32s_at(&from->deltas, 3, k);
    memcpy(delta + 3 * (size_t)i, step, 3 * sizeof *step);
    most = fmax(most, mi_length(mi_vec3_load(step)));
  }
  return most;
}

const mien_map *mi_painted_map(const mi_finding *f, const char *name) {
  int m = mi_rig_find_map(f->rig, name);
  return m >= 0 && f->rig->info.maps[m].width == 1 ? f->rig->info.maps + m : NULL;
}

bool mi_smooth_over_skin(mi_finding *f, float *value, const bool *held, int nstep) {
  const mi_topology *topo = &f->skin->topo;
  float *before = MI_PUSH(&f->scratch, float, topo->nvert);
  if (!before) return false;
  for (int step = 0; step < nstep; step++) {
    memcpy(before, value, (size_t)topo->nvert * sizeof *before);
    for (int i = 0; i < topo->nvert; i++) {
      int begin = topo->nbr_first[i], end = topo->nbr_first[i + 1];
      if (begin == end || (held && held[i])) continue;
      double sum = 0;
      for (int k = begin; k < end; k++) sum += before[topo->nbr[k]];
      value[i] = (float)(0.5 * before[i] + 0.5 * sum / (end - begin));
    }
  }
  return true;
}

static void read_painted(mi_finding *f) {
  const mien_map *region = mi_painted_map(f, "region"), *passive = mi_painted_map(f, "passive");
  for (int i = 0; i < f->skin->nvert; i++) {
    int rig_vert = f->skin->vert[i];
    float value = region ? *mi_f32s_at(&region->values, 1, rig_vert) : 0;
    if (value > 0 && value < 256) f->painted[i] = (int32_t)(value + 0.5f) & 255;
    if (passive && *mi_f32s_at(&passive->values, 1, rig_vert) > 0.5f)
      f->painted[i] |= MIEN_REGION_PASSIVE;
    f->painted_any |= f->painted[i];
  }
}

static void measure_skin(mi_finding *f) {
  const mi_topology *topo = &f->skin->topo;
  for (int t = 0; t < f->skin->ntri; t++) {
    const int32_t *tri = f->skin->tri + 3 * (size_t)t;
    float third = (float)(mi_triangle_area(f->skin->position, tri) / 3);
    for (int k = 0; k < 3; k++) f->area[tri[k]] += third;
  }
  for (int e = 0; e < topo->nedge; e++)
    if (topo->edge_ntri[e] == 1)
      f->is_border[topo->edge[2 * e]] = f->is_border[topo->edge[2 * e + 1]] = true;
  for (int k = 0; k < 68; k++) {
    int at = f->rig->info.landmarks.data ? f->rig->info.landmarks.data[k] : -1;
    f->landmark[k] = at < 0 ? -1 : f->skin->of_rig[at];
  }
}

static bool start(mi_finding *f) {
  size_t nvert = (size_t)f->skin->nvert;
  mi_regions *out = f->out;
  out->jaw_shape = -1;
  out->bits = MI_PUSH(f->arena, int32_t, nvert);
  out->jaw = MI_PUSH(f->arena, float, nvert);
  out->attachment = MI_PUSH(f->arena, float, nvert);
  f->painted = MI_PUSH(&f->scratch, int32_t, nvert);
  f->open = MI_PUSH(&f->scratch, float, 3 * nvert);
  f->area = MI_PUSH(&f->scratch, float, nvert);
  f->is_border = MI_PUSH(&f->scratch, bool, nvert);
  if (!out->bits || !out->jaw || !out->attachment || !f->painted || !f->open || !f->area ||
      !f->is_border)
    return false;
  f->mm = 0.001 * f->skin->size / 0.18;
  measure_skin(f);
  read_painted(f);
  return true;
}

// A bit that is painted somewhere is what was painted, everywhere.
static void use_painted(mi_finding *f) {
  const int32_t touching = MIEN_REGION_EYELID | MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER |
                           MIEN_REGION_LIP_INNER | MIEN_REGION_MOUTH_BAG;
  for (int i = 0; i < f->skin->nvert; i++) {
    int32_t *bits = f->out->bits + i;
    *bits = (*bits & ~f->painted_any) | (f->painted[i] & f->painted_any);
    if ((*bits & touching) && !(f->painted_any & MIEN_REGION_CONTACT)) *bits |= MIEN_REGION_CONTACT;
    *bits &= ~MIEN_REGION_BORDER; // the mesh itself knows its edges
    if (f->is_border[i]) *bits |= MIEN_REGION_BORDER;
  }
}

// Triangles touch, not vertices: all corners of one with a corner that can touch can.
static bool widen_contact(mi_finding *f) {
  const mi_skin *skin = f->skin;
  bool *wide = MI_PUSH(&f->scratch, bool, skin->nvert);
  if (!wide || (f->painted_any & MIEN_REGION_CONTACT)) return wide != NULL;
  for (int t = 0; t < skin->ntri; t++) {
    const int32_t *corner = skin->tri + 3 * (size_t)t;
    int32_t any = 0;
    for (int c = 0; c < 3; c++) any |= f->out->bits[corner[c]];
    for (int c = 0; c < 3 && (any & MIEN_REGION_CONTACT); c++) wide[corner[c]] = true;
  }
  for (int i = 0; i < skin->nvert; i++)
    if (wide[i]) f->out->bits[i] |= MIEN_REGION_CONTACT;
  return true;
}

// Where lips overlap in the neutral they are told apart with the jaw a little open.
static bool find_mouth_and_lips(mi_finding *f) {
  mi_skin opened;
  f->neutral = f->skin;
  if (!mi_find_opening(f, &opened)) return false;
  f->skin = &opened;
  bool has_memory = mi_find_mouth(f) && mi_find_lips(f);
  f->skin = f->neutral;
  f->opened = 0;
  return has_memory;
}

mien_result mi_regions_find(const mien_rig *rig, const mi_skin *skin, mi_arena *arena,
                            mi_regions *regions, mi_remarks *remarks, mien_error *err) {
  *regions = (mi_regions){0};
  mi_finding f = {.rig = rig, .skin = skin, .arena = arena, .remarks = remarks, .out = regions};
  mi_arena_init(&f.scratch, &rig->host);
  bool done = start(&f) && mi_find_jaw(&f) && find_mouth_and_lips(&f) && mi_find_lids(&f);
  if (done) use_painted(&f);
  done = done && widen_contact(&f) && mi_find_attachment(&f) && mi_find_anatomy(&f);
  mi_arena_free(&f.scratch);
  return done ? MIEN_OK : mi_fail_memory(err);
}
