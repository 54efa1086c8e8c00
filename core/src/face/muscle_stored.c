// Fitted rows of S in a rig's extras: {"of": hash of flesh and candidates, "shares": [...]}, whole
// numbers of 1/65535 in the order of the entries. The rest to 1 is passive, so rounding keeps every
// row valid.
#include "face/face.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const double ONE = 65535;

static uint64_t candidates_hash(const mien_face *face) {
  const mi_muscles *m = &face->muscles;
  uint64_t hash = mi_hash(0, face->tets, 4 * (size_t)face->info.ntet * sizeof *face->tets);
  hash = mi_hash(hash, m->first, ((size_t)face->info.ntet + 1) * sizeof *m->first);
  return mi_hash(hash, m->index, (size_t)m->nentry * sizeof *m->index);
}

static bool read_shares(const mien_face *face, const json_t *shares, float *out) {
  const mi_muscles *m = &face->muscles;
  if (json_array_size(shares) != (size_t)m->nentry) return false;
  for (int t = 0; t < face->info.ntet; t++) {
    json_int_t sum = 0;
    for (int e = m->first[t]; e < m->first[t + 1]; e++) {
      json_int_t share = json_integer_value(json_array_get(shares, (size_t)e));
      if (share < 0 || share > (json_int_t)ONE) return false;
      sum += share;
      out[e] = (float)((double)share / ONE);
    }
    if (sum > (json_int_t)ONE) return false;
  }
  return true;
}

bool mi_muscles_take_stored(mi_face_build *b) {
  mien_face *face = b->face;
  uint64_t of = 0;
  json_t *extras = json_loads(mi_face_render_skin(face)->info.extras, 0, NULL);
  const json_t *stored = json_object_get(extras, "muscles");
  const char *text = json_string_value(json_object_get(stored, "of"));
  float *shares = MI_PUSH(&face->arena, float, face->muscles.nentry);
  bool fits = shares && text && sscanf(text, "%" SCNx64, &of) == 1 && of == candidates_hash(face) &&
              read_shares(face, json_object_get(stored, "shares"), shares);
  if (text && !fits)
    mi_remark(
        &face->remarks,
        "the rig's stored muscles belong to other flesh or other muscles; shares are found anew");
  if (fits) {
    memcpy(face->muscles.share, shares, (size_t)face->muscles.nentry * sizeof *shares);
    face->muscles.is_fitted = true;
  }
  json_decref(extras);
  return fits;
}

// Rounded down, so that no row comes to more than 1.
char *mi_muscles_to_json(const mien_face *face) {
  char of[24];
  json_t *shares = json_array();
  snprintf(of, sizeof of, "%016" PRIx64, candidates_hash(face));
  for (int e = 0; e < face->muscles.nentry; e++) {
    json_int_t share = (json_int_t)((double)face->muscles.share[e] * ONE);
    json_array_append_new(shares, json_integer(share));
  }
  json_t *json = json_pack("{s:s, s:o}", "of", of, "shares", shares);
  char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
  json_decref(json);
  return text;
}
