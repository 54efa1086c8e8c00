// A face kept in its rig file: maps that hosts can show and repaint, and the hypodermis itself,
// which is used again as long as nothing it was made from has changed.
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

static uint64_t stored_hash(const mien_rig *rig) {
  uint64_t hash = 0;
  json_t *extras = json_loads(rig->info.extras, 0, NULL);
  const char *text = json_string_value(json_object_get(extras, "hypodermis_hash"));
  if (text) sscanf(text, "%" SCNx64, &hash);
  json_decref(extras);
  return hash;
}

bool mi_face_take_stored(mi_face_build *b) {
  mien_face *face = b->face;
  int m = mi_rig_find_map(face->rig, "hypodermis");
  if (m < 0 || !b->def->use_stored || face->rig->info.maps[m].width != 3) return false;
  if (stored_hash(face->rig) != mi_face_inputs_hash(b)) return false;
  for (int i = 0; i < face->skin.nvert; i++) {
    const float *stored = face->rig->info.maps[m].values.data + 3 * (size_t)face->skin.vert[i];
    memcpy(face->inward + 3 * (size_t)i, stored, 3 * sizeof *stored);
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

mien_result mi_face_maps(const mien_face *face, mi_arena *arena, mien_map maps[MI_FACE_STORED_MAPS],
                         mien_error *err) {
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
      !spread(face, "hypodermis", 3, face->inward, arena, maps + 4))
    return mi_fail_memory(err);
  return MIEN_OK;
}
