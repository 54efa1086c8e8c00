#include "param_keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct place_text {
  char *place, *why;
} place_text;

static bool refuse(place_text at, const char *place, const char *why) {
  snprintf(at.place, 160, "%s", place);
  snprintf(at.why, 256, "%s", why);
  return false;
}

// Finds a parameter by the name that a shot or --set gives it; the error is that of every other
// place.
static const mien_param *find_param(const char *name, place_text at) {
  int count;
  const mien_param *params = mien_params(&count);
  mien_settings scratch;
  mien_error err = {0};
  for (int i = 0; i < count; i++) {
    if (params[i].place == MIEN_PARAM_MAP || strcmp(params[i].name, name)) continue;
    if (params[i].flags & MIEN_PARAM_KEYABLE) return params + i;
    refuse(at, name, "this parameter cannot change over time; 'mien params' says which can");
    return NULL;
  }
  mien_settings_init(&scratch);
  mien_settings_set(&scratch, name, "0", &err);
  refuse(at, name, err.text);
  return NULL;
}

// The value as mien_settings_read takes it: one object with one name.
static bool read_value(const mien_param *param, json_t *value, param_key *key, place_text at,
                       const char *place) {
  mien_settings scratch;
  mien_error err;
  json_t *object = json_pack("{s:O}", param->name, value);
  char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
  mien_settings_init(&scratch);
  mien_result result =
      text ? mien_settings_read(&scratch, text, strlen(text), &err) : MIEN_ERR_MEMORY;
  free(text);
  json_decref(object);
  if (result < 0) return refuse(at, place, result == MIEN_ERR_MEMORY ? "out of memory" : err.text);
  mien_param_get(param, &scratch, key->values);
  for (int i = 0; i < 3; i++) { // by the unit and back may cost the last bit
    const json_t *one = param->kind == MIEN_PARAM_VECTOR ? json_array_get(value, (size_t)i) : value;
    if (json_is_number(one)) key->values[i] = json_number_value(one);
  }
  return true;
}

static bool read_key(const mien_param *param, const json_t *json, int k, param_key *keys,
                     place_text at) {
  char place[160];
  json_t *frame = json_array_get(json, 0);
  snprintf(place, sizeof place, "%.80s[%d]", param->name, k);
  if (json_array_size(json) != 2 || !json_is_number(frame))
    return refuse(at, place, "a key is [frame, value]");
  keys[k].frame = json_number_value(frame);
  if (!isfinite(keys[k].frame) || (k && !(keys[k].frame > keys[k - 1].frame)))
    return refuse(at, place, "the frames of keys must increase");
  snprintf(place, sizeof place, "%.80s[%d][1]", param->name, k);
  return read_value(param, json_array_get(json, 1), keys + k, at, place);
}

static bool read_curve(const char *name, const json_t *json, param_curve *curve, place_text at) {
  curve->param = find_param(name, at);
  if (!curve->param) return false;
  int nkey = (int)json_array_size(json);
  if (nkey < 1) return refuse(at, name, "a list of keys [frame, value] is needed");
  curve->keys = calloc((size_t)nkey, sizeof *curve->keys);
  if (!curve->keys) return refuse(at, name, "out of memory");
  for (; curve->nkey < nkey; curve->nkey++)
    if (!read_key(curve->param, json_array_get(json, (size_t)curve->nkey), curve->nkey, curve->keys,
                  at))
      return false;
  return true;
}

bool param_keys_read(const json_t *json, param_keys *out, char place[160], char why[256]) {
  place_text at = {place, why};
  const char *name;
  json_t *curve;
  *out = (param_keys){0};
  if (!json_is_object(json)) return refuse(at, "", "an object of parameters and keys is needed");
  out->curves = calloc(json_object_size(json) + 1, sizeof *out->curves);
  bool is_good = out->curves || refuse(at, "", "out of memory");
  json_object_foreach((json_t *)json, name, curve) {
    is_good = is_good && read_curve(name, curve, out->curves + out->ncurve++, at);
  }
  if (!is_good) param_keys_free(out);
  return is_good;
}

bool param_keys_open(const char *text, param_keys *out) {
  json_error_t where;
  char place[160], why[256];
  *out = (param_keys){0};
  if (!text) return true;
  bool is_file = text[0] != '{';
  json_t *json = is_file ? json_load_file(text, JSON_REJECT_DUPLICATES, &where)
                         : json_loads(text, JSON_REJECT_DUPLICATES, &where);
  const char *name = is_file ? text : "--keys";
  bool is_read = json && param_keys_read(json, out, place, why);
  if (!json)
    cli_usage("%s:%d: %s", name, where.line, where.text);
  else if (!is_read)
    cli_usage("%s: %s%s%s", name, place, place[0] ? ": " : "", why);
  json_decref(json);
  return is_read;
}

static void value_at(const param_curve *curve, double frame, double values[3]) {
  const param_key *keys = curve->keys;
  int k = 0; // the last key that is not after the frame
  while (k + 1 < curve->nkey && keys[k + 1].frame <= frame) k++;
  bool is_between = k + 1 < curve->nkey && frame > keys[k].frame;
  bool is_smooth =
      curve->param->kind == MIEN_PARAM_NUMBER || curve->param->kind == MIEN_PARAM_VECTOR;
  double s =
      is_between && is_smooth ? (frame - keys[k].frame) / (keys[k + 1].frame - keys[k].frame) : 0;
  for (int i = 0; i < 3; i++) // on a key exactly its value
    values[i] = s > 0 ? keys[k].values[i] + s * (keys[k + 1].values[i] - keys[k].values[i])
                      : keys[k].values[i];
}

void param_keys_at(const param_keys *keys, double frame, mien_settings *settings) {
  for (int i = 0; i < keys->ncurve; i++) {
    double values[3];
    value_at(keys->curves + i, frame, values);
    mien_param_set(keys->curves[i].param, settings, values, NULL); // in its range, as the keys are
  }
}

void param_keys_free(param_keys *keys) {
  for (int i = 0; i < keys->ncurve; i++) free(keys->curves[i].keys);
  free(keys->curves);
  *keys = (param_keys){0};
}
