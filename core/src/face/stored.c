// A face stored in its rig file: maps that hosts can show and repaint, and the hypodermis, which is
// used again while its sources are unchanged.
#include "face/face.h"

#include "math/vec.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

uint64_t mi_face_inputs_hash(const mi_face_build *b) {
  const mi_skin *skin = &b->face->skin;
  double options[] = {b->def->smoothing, b->def->following, b->def->min_quality, b->uniform};
  uint64_t hash = mi_hash(3, options, sizeof options);
  hash = mi_hash(hash, skin->position, 3 * (size_t)skin->nvert * sizeof(float));
  hash = mi_hash(hash, skin->tri, 3 * (size_t)skin->ntri * sizeof(int32_t));
  return mi_hash(hash, b->face->thickness, (size_t)skin->nvert * sizeof(float));
}

uint64_t mi_stored_hash(const mien_rig *rig, const char *key) {
  uint64_t hash = 0;
  json_t *extras = json_loads(rig->info.extras, 0, NULL);
  const char *text = json_string_value(json_object_get(extras, key));
  if (text) sscanf(text, "%" SCNx64, &hash);
  json_decref(extras);
  return hash;
}

int mi_stored_count(const mien_rig *rig) {
  json_t *extras = json_loads(rig->info.extras, 0, NULL);
  json_int_t count = json_integer_value(json_object_get(extras, "simulate_at"));
  json_decref(extras);
  return count > 0 && count < INT32_MAX ? (int)count : 0;
}

bool mi_face_take_stored(mi_face_build *b) {
  mien_face *face = b->face;
  int m = mi_rig_find_map(face->rig, "hypodermis");
  if (m < 0 || !b->def->use_stored || face->rig->info.maps[m].width != 3) return false;
  if (mi_stored_hash(face->rig, "hypodermis_hash") != mi_face_inputs_hash(b)) return false;
  for (int i = 0; i < face->skin.nvert; i++) {
    const float *stored = face->rig->info.maps[m].values.data + 3 * (size_t)face->skin.vert[i];
    memcpy(face->thickness_vector + 3 * (size_t)i, stored, 3 * sizeof *stored);
  }
  return true;
}

static bool spread(const mien_face *face, const char *name, int width, const float *of_skin,
                   mi_arena *arena, mien_map *map) {
  int nvert = face->rig->info.nvert;
  float *values = MI_PUSH(arena, float, (size_t)width *(size_t)nvert);
  if (!values) return false;
  for (int i = 0; i < face->skin.nvert; i++)
    memcpy(values + (size_t)width * (size_t)face->skin.vert[i], of_skin + (size_t)width * (size_t)i,
           (size_t)width * sizeof *values);
  *map = (mien_map){name, width, {values, nvert, width}};
  return true;
}

// Offsets that shape s adds to the vertex under every skin vertex.
static bool spread_blendvolume(const mien_face *face, int s, mi_arena *arena, mien_map *map) {
  const mi_blendvolumes *volumes = &face->blendvolumes;
  int nskin = face->skin.nvert;
  const char *shape = face->rig->info.shapes[s].name;
  size_t size = strlen(shape) + sizeof "blendvolume:";
  float *values = MI_PUSH(arena, float, 3 * (size_t)nskin);
  char *name = MI_PUSH(arena, char, size);
  if (!values || !name) return false;
  snprintf(name, size, "blendvolume:%s", shape);
  for (int p = volumes->first[s]; p < volumes->first[s + 1]; p++)
    memcpy(values + 3 * (size_t)(volumes->vert[p] - nskin), volumes->delta + 3 * (size_t)p,
           3 * sizeof *values);
  return spread(face, name, 3, values, arena, map);
}

// Fitted factors times painted ones: the next attach reads them as painted.
static bool spread_fitted(const mien_face *face, const char *name, const float *fitted,
                          mi_arena *arena, mien_map *map) {
  float *values = MI_PUSH(arena, float, face->skin.nvert);
  int m = mi_rig_find_map(face->rig, name);
  bool has_map = m >= 0 && face->rig->info.maps[m].width == 1;
  if (!values) return false;
  for (int i = 0; i < face->skin.nvert; i++) {
    float painted = has_map ? face->rig->info.maps[m].values.data[face->skin.vert[i]] : 0;
    values[i] = fitted[i] * (painted > 0 ? painted : 1);
  }
  return spread(face, name, 1, values, arena, map);
}

mien_result mi_face_maps(const mien_face *face, mi_arena *arena, mien_map **out, int *nmap,
                         mien_error *err) {
  enum { NFIXED = 5, NFITTED = 2 };
  // interior vertices of a volume have no skin vertex to be stored with
  const mi_blendvolumes *volumes = &face->blendvolumes;
  int nshape = face->is_prisms ? volumes->nshape : 0;
  mien_map *maps = *out = MI_PUSH(arena, mien_map, NFIXED + NFITTED + nshape);
  if (!maps) return mi_fail_memory(err);
  *nmap = NFIXED;
  float *bits = MI_PUSH(arena, float, face->skin.nvert);
  // zero means "not painted": a later attach with another thickness is free to use it there
  float *painted = MI_PUSH(arena, float, face->skin.nvert);
  int m = mi_rig_find_map(face->rig, "thickness");
  bool has_map = m >= 0 && face->rig->info.maps[m].width == 1;
  for (int i = 0; painted && has_map && i < face->skin.nvert; i++)
    painted[i] = face->rig->info.maps[m].values.data[face->skin.vert[i]];
  for (int i = 0; bits && i < face->skin.nvert; i++) bits[i] = (float)face->regions.bits[i];
  if (!bits || !painted || !spread(face, "region", 1, bits, arena, maps) ||
      !spread(face, "thickness", 1, painted, arena, maps + 1) ||
      !spread(face, "attachment", 1, face->regions.attachment, arena, maps + 2) ||
      !spread(face, "jaw", 1, face->regions.jaw, arena, maps + 3) ||
      !spread(face, "hypodermis", 3, face->thickness_vector, arena, maps + 4))
    return mi_fail_memory(err);
  if (face->fitted_stiffness) {
    if (!spread_fitted(face, "stiffness", face->fitted_stiffness, arena, maps + (*nmap)++) ||
        !spread_fitted(face, "volume_stiffness", face->fitted_volume, arena, maps + (*nmap)++))
      return mi_fail_memory(err);
  }
  for (int s = 0; s < nshape; s++)
    if (volumes->first[s] < volumes->first[s + 1] &&
        !spread_blendvolume(face, s, arena, maps + (*nmap)++))
      return mi_fail_memory(err);
  return MIEN_OK;
}
