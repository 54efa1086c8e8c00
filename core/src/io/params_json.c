#include "io/params_json.h"

#include "base/number.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 }; // jansson takes many times as much

static mien_result wrong_type(const mien_param *param, mien_error *err) {
  static const char *const wanted[] = {"a number", "a whole number", "true or false",
                                       "one of its names", "a list of three numbers"};
  return mi_fail(err, MIEN_ERR_FORMAT, "'%s' must be %s", param->name, wanted[param->kind]);
}

static mien_result read_choice(const mien_param *param, const json_t *value, double *values,
                               mien_error *err) {
  const char *name = json_string_value(value);
  if (!name) return wrong_type(param, err);
  values[0] = mi_param_find_choice(param, name);
  if (values[0] >= 0) return MIEN_OK;
  return mi_fail(err, MIEN_ERR_FORMAT, "'%.40s' is no %s; there are %s", name, param->name,
                 param->choices);
}

static mien_result read_value(const mien_param *param, const json_t *value, double *values,
                              mien_error *err) {
  if (param->kind == MIEN_PARAM_CHOICE) return read_choice(param, value, values, err);
  if (param->kind == MIEN_PARAM_SWITCH) {
    if (!json_is_boolean(value)) return wrong_type(param, err);
    values[0] = json_is_true(value);
  } else if (param->kind == MIEN_PARAM_VECTOR) {
    if (json_array_size(value) != 3) return wrong_type(param, err);
    for (size_t k = 0; k < 3; k++) {
      const json_t *number = json_array_get(value, k);
      if (!json_is_number(number)) return wrong_type(param, err);
      values[k] = json_number_value(number);
    }
  } else {
    if (!json_is_number(value)) return wrong_type(param, err);
    values[0] = json_number_value(value);
  }
  return MIEN_OK;
}

static mien_result read_row(mien_settings *settings, const char *name, const json_t *value,
                            bool sets, mien_error *err) {
  const mien_param *param = mi_param_find(name);
  double values[3];
  if (!strcmp(name, "about")) return MIEN_OK;
  if (!param) return mi_param_unknown(name, err);
  mien_result result = read_value(param, value, values, err);
  if (result < 0) return result;
  return sets ? mi_param_set(param, settings, values, err)
              : mi_param_check(param, settings, values, err);
}

mien_result mi_params_read(mien_settings *settings, const char *json, size_t size,
                           mien_error *err) {
  json_error_t where;
  if (size > MOST_BYTES) return mi_fail(err, MIEN_ERR_FORMAT, "the parameters are too long");
  json_t *root = json_loadb(json, size, JSON_REJECT_DUPLICATES, &where);
  if (!json_is_object(root)) {
    bool is_json = root != NULL;
    json_decref(root);
    if (is_json) return mi_fail(err, MIEN_ERR_FORMAT, "the parameters are no JSON object");
    return mi_fail(err, MIEN_ERR_FORMAT, "line %d of the parameters: %.160s", where.line,
                   where.text);
  }
  mien_result result = MIEN_OK;
  const char *name;
  json_t *value;
  for (int sets = 0; sets < 2 && result == MIEN_OK; sets++) // all are checked before one is set
    json_object_foreach(root, name, value) {
      result = read_row(settings, name, value, sets, err);
      if (result < 0) break;
    }
  json_decref(root);
  return result;
}

// -- writing --------------------------------------------------------------------------------------

typedef struct text {
  char *out;
  size_t size, length;
} text;

static void put(text *t, const char *piece, size_t length) {
  for (size_t i = 0; i < length; i++, t->length++)
    if (t->out && t->length + 1 < t->size) t->out[t->length] = piece[i];
}

static void put_number(text *t, double value) {
  char digits[MI_NUMBER_CHARS];
  put(t, digits, (size_t)mi_format_double(digits, value));
}

static void put_value(text *t, const mien_param *param, const double *values) {
  if (param->kind == MIEN_PARAM_CHOICE) {
    int length;
    const char *name = mi_param_choice(param, (int)values[0], &length);
    put(t, "\"", 1);
    put(t, name, (size_t)length);
    put(t, "\"", 1);
  } else if (param->kind == MIEN_PARAM_SWITCH) {
    const char *word = values[0] != 0 ? "true" : "false";
    put(t, word, strlen(word));
  } else if (param->kind == MIEN_PARAM_VECTOR) {
    for (int k = 0; k < 3; k++) {
      put(t, k ? ", " : "[", k ? 2 : 1);
      put_number(t, values[k]);
    }
    put(t, "]", 1);
  } else {
    put_number(t, values[0]);
  }
}

size_t mi_params_write(const mien_settings *settings, char *json, size_t size) {
  text t = {.out = json, .size = size};
  bool is_first = true;
  put(&t, "{", 1);
  for (int i = 0; i < mi_nparam; i++) {
    const mien_param *param = mi_params + i;
    double values[3];
    if (param->flags & MIEN_PARAM_OF_HOST || mi_param_is_default(param, settings)) continue;
    mi_param_get(param, settings, values);
    put(&t, is_first ? "\n  \"" : ",\n  \"", is_first ? 4 : 5);
    put(&t, param->name, strlen(param->name));
    put(&t, "\": ", 3);
    put_value(&t, param, values);
    is_first = false;
  }
  put(&t, is_first ? "}\n" : "\n}\n", is_first ? 2 : 3);
  if (json && size) json[t.length < size ? t.length : size - 1] = 0;
  return t.length;
}
