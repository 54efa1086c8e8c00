#include "base/params.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mi_param_width(const mien_param *param) {
  return param->kind == MIEN_PARAM_VECTOR ? 3 : 1;
}

const mien_param *mi_param_find(const char *name) {
  for (int i = 0; i < mi_nparam; i++)
    if (mi_params[i].place != MIEN_PARAM_MAP && !strcmp(mi_params[i].name, name))
      return mi_params + i;
  return NULL;
}

const char *mi_param_choice(const mien_param *param, int k, int *length) {
  const char *at = param->choices ? param->choices : "";
  for (; k > 0 && *at; k--) {
    at += strcspn(at, ",");
    if (*at) at++;
  }
  *length = k < 0 ? 0 : (int)strcspn(at, ",");
  return at;
}

int mi_param_find_choice(const mien_param *param, const char *name) {
  int length;
  for (int k = 0;; k++) {
    const char *choice = mi_param_choice(param, k, &length);
    if (!length) return -1;
    if ((int)strlen(name) == length && !strncmp(choice, name, (size_t)length)) return k;
  }
}

// -- fields ---------------------------------------------------------------------------------------

static void write_field(const mien_param *param, void *field, const double *values) {
  double si[3];
  for (int k = 0; k < mi_param_width(param); k++) si[k] = values[k] * param->to_si;
  if (param->kind == MIEN_PARAM_NUMBER || param->kind == MIEN_PARAM_VECTOR) {
    memcpy(field, si, param->size);
  } else if (param->size == sizeof(uint64_t)) {
    uint64_t large = (uint64_t)values[0];
    memcpy(field, &large, sizeof large);
  } else {
    int whole = (int)values[0];
    memcpy(field, &whole, sizeof whole);
  }
}

static void read_field(const mien_param *param, const void *field, double *values) {
  if (param->kind == MIEN_PARAM_NUMBER || param->kind == MIEN_PARAM_VECTOR) {
    memcpy(values, field, param->size);
    for (int k = 0; k < mi_param_width(param); k++) values[k] /= param->to_si;
  } else if (param->size == sizeof(uint64_t)) {
    uint64_t large;
    memcpy(&large, field, sizeof large);
    values[0] = (double)large;
  } else {
    int whole;
    memcpy(&whole, field, sizeof whole);
    values[0] = whole;
  }
}

// The parts of settings lie one behind the other; each may be of another version than ours.
_Static_assert(
    offsetof(mien_settings, step) == offsetof(mien_settings, face) + sizeof(mien_face_def) &&
        offsetof(mien_settings, input) == offsetof(mien_settings, step) + sizeof(mien_step_opts) &&
        offsetof(mien_settings, play) == offsetof(mien_settings, input) + sizeof(mien_input),
    "a gap between the parts of mien_settings");

// Where the part of a place begins and how large it is; false when no _init function wrote it.
static bool find_part(const mien_settings *settings, mien_param_place place, size_t *start,
                      size_t *size) {
  size_t at = offsetof(mien_settings, face);
  uint32_t part = 0;
  for (int k = MIEN_PARAM_FACE; k <= (int)place; k++) {
    at += part;
    if (at + sizeof part > settings->struct_size) return false;
    memcpy(&part, (const char *)settings + at, sizeof part);
    if (!mi_struct_size_is_valid(part) || at + part > settings->struct_size) return false;
  }
  *start = at;
  *size = part;
  return true;
}

mien_result mi_settings_check(const mien_settings *settings, mien_error *err) {
  size_t start, size;
  if (mi_struct_size_is_valid(settings->struct_size) &&
      find_part(settings, MIEN_PARAM_PLAY, &start, &size))
    return MIEN_OK;
  return mi_fail(err, MIEN_ERR_OPTIONS, "mien_settings was not set up with mien_settings_init");
}

// Where a parameter lies, from the start of the settings; 0 when they are too old to have it.
static size_t find_field(const mien_param *param, const mien_settings *settings) {
  size_t start, size;
  if (param->place == MIEN_PARAM_MAP || !find_part(settings, param->place, &start, &size)) return 0;
  return param->offset + param->size <= size ? start + param->offset : 0;
}

void mi_params_defaults(mien_param_place place, void *options) {
  for (int i = 0; i < mi_nparam; i++) {
    const mien_param *param = mi_params + i;
    if (param->place == place) write_field(param, (char *)options + param->offset, param->value);
  }
}

bool mi_param_is_default(const mien_param *param, const mien_settings *settings) {
  unsigned char field[3 * sizeof(double)];
  size_t at = find_field(param, settings);
  if (!at) return true;
  write_field(param, field, param->value);
  return !memcmp(field, (const char *)settings + at, param->size);
}

// -- ranges ---------------------------------------------------------------------------------------

static mien_result check_values(const mien_param *param, const double *values, mien_error *err) {
  for (int k = 0; k < mi_param_width(param); k++) {
    // a value in range in the artist's unit must not leave it by the rounding of its conversion
    bool is_inside = values[k] >= param->min - 1e-12 * fabs(param->min) &&
                     values[k] <= param->max + 1e-12 * fabs(param->max);
    if (is_inside && param->kind == MIEN_PARAM_WHOLE) is_inside = values[k] == floor(values[k]);
    if (is_inside) continue;
    if (param->kind == MIEN_PARAM_CHOICE)
      return mi_fail(err, MIEN_ERR_OPTIONS, "%s %g is unknown; there are %s", param->name,
                     values[k], param->choices);
    return mi_fail(err, MIEN_ERR_OPTIONS, "%s is %g%s%s; it must be %s%.15g to %.15g", param->name,
                   values[k], param->unit[0] ? " " : "", param->unit,
                   param->kind == MIEN_PARAM_WHOLE ? "a whole number from " : "", param->min,
                   param->max);
  }
  return MIEN_OK;
}

mien_result mi_params_check(mien_param_place place, const void *options, mien_error *err) {
  for (int i = 0; i < mi_nparam; i++) {
    const mien_param *param = mi_params + i;
    double values[3];
    if (param->place != place) continue;
    read_field(param, (const char *)options + param->offset, values);
    mien_result result = check_values(param, values, err);
    if (result < 0) return result;
  }
  return MIEN_OK;
}

// -- setting --------------------------------------------------------------------------------------

mien_result mi_param_check(const mien_param *param, const mien_settings *settings,
                           const double *values, mien_error *err) {
  if (param->place == MIEN_PARAM_MAP)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "'%s' is a painted map, not a parameter", param->name);
  if (!find_field(param, settings))
    return mi_fail(err, MIEN_ERR_OPTIONS,
                   "this program was built with an older mien, which had no parameter '%s'",
                   param->name);
  return check_values(param, values, err);
}

mien_result mi_param_set(const mien_param *param, mien_settings *settings, const double *values,
                         mien_error *err) {
  mien_result result = mi_param_check(param, settings, values, err);
  double plain[3]; // -0 is written as text and read again as 0: it is 0 from the start
  for (int k = 0; k < mi_param_width(param); k++) plain[k] = values[k] + 0.0;
  if (result == MIEN_OK) write_field(param, (char *)settings + find_field(param, settings), plain);
  return result;
}

void mi_param_get(const mien_param *param, const mien_settings *settings, double *values) {
  size_t at = find_field(param, settings);
  if (at)
    read_field(param, (const char *)settings + at, values);
  else
    memcpy(values, param->value, sizeof *values * (size_t)mi_param_width(param));
}

// Numbers separated by commas or spaces; no other text may follow.
static bool read_numbers(const char *text, int count, double *values) {
  for (int k = 0; k < count; k++) {
    if (k && *text == ',') text++;
    while (*text == ' ') text++;
    text = mi_parse_double(text, text + strlen(text), values + k);
    if (!text) return false;
  }
  return *text == 0;
}

static bool read_switch(const char *text, double *value) {
  static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (!strcmp(text, words[k])) {
      *value = (double)(k % 2);
      return true;
    }
  return false;
}

static mien_result read_text(const mien_param *param, const char *text, double *values,
                             mien_error *err) {
  switch (param->kind) {
  case MIEN_PARAM_CHOICE:
    values[0] = mi_param_find_choice(param, text);
    if (values[0] >= 0) return MIEN_OK;
    return mi_fail(err, MIEN_ERR_OPTIONS, "'%s' is no %s; there are %s", text, param->name,
                   param->choices);
  case MIEN_PARAM_SWITCH:
    if (read_switch(text, values)) return MIEN_OK;
    return mi_fail(err, MIEN_ERR_OPTIONS, "%s is on or off, not '%s'", param->name, text);
  case MIEN_PARAM_VECTOR:
    if (read_numbers(text, 3, values)) return MIEN_OK;
    return mi_fail(err, MIEN_ERR_OPTIONS, "%s takes three numbers like 0,-9.81,0, not '%s'",
                   param->name, text);
  default:
    if (read_numbers(text, 1, values)) return MIEN_OK;
    return mi_fail(err, MIEN_ERR_OPTIONS, "%s takes a number from %.15g to %.15g, not '%s'",
                   param->name, param->min, param->max, text);
  }
}

mien_result mi_param_set_text(mien_settings *settings, const char *name, const char *text,
                              mien_error *err) {
  const mien_param *param = mi_param_find(name);
  double values[3];
  if (!param) return mi_param_unknown(name, err);
  mien_result result = read_text(param, text, values, err);
  return result == MIEN_OK ? mi_param_set(param, settings, values, err) : result;
}

// -- unknown names --------------------------------------------------------------------------------

enum { LONGEST = 40 };

// How many letters must change (Levenshtein).
static int distance(const char *a, const char *b) {
  int row[LONGEST + 1], n = (int)strlen(b);
  if (n > LONGEST) return LONGEST;
  for (int j = 0; j <= n; j++) row[j] = j;
  for (int i = 1; a[i - 1]; i++) {
    int corner = row[0];
    row[0] = i;
    for (int j = 1; j <= n; j++) {
      int change = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = change < row[j] + 1 ? change : row[j] + 1;
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
    }
  }
  return row[n];
}

mien_result mi_param_unknown(const char *name, mien_error *err) {
  const char *nearest = NULL;
  int least = 4; // farther than three letters is no misspelling
  for (int i = 0; i < mi_nparam && strlen(name) <= LONGEST; i++) {
    int d = distance(name, mi_params[i].name);
    if (mi_params[i].place == MIEN_PARAM_MAP || d >= least) continue;
    least = d;
    nearest = mi_params[i].name;
  }
  if (nearest)
    return mi_fail(err, MIEN_ERR_OPTIONS, "there is no parameter '%.60s'; is '%s' meant?", name,
                   nearest);
  return mi_fail(err, MIEN_ERR_OPTIONS, "there is no parameter '%.60s'", name);
}
