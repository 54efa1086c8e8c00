// The JSON schema of a shot, made from the same tables that read it.
#include "shot.h"

#include <string.h>

static json_t *split_words(const char *words) {
  json_t *list = json_array();
  for (const char *at = words; *at;) {
    size_t length = strcspn(at, ",");
    json_array_append_new(list, json_stringn(at, length));
    at += length + (at[length] == ',');
  }
  return list;
}

static json_t *describe_numbers(int least, int most, const char *type) {
  return json_pack("{s:s, s:i, s:i, s:{s:s}}", "type", "array", "minItems", least, "maxItems", most,
                   "items", "type", type);
}

static json_t *describe_param(const mien_param *param) {
  json_t *schema = NULL;
  switch (param->kind) {
  case MIEN_PARAM_NUMBER:
  case MIEN_PARAM_WHOLE:
    schema =
        json_pack("{s:s, s:f, s:f}", "type", param->kind == MIEN_PARAM_WHOLE ? "integer" : "number",
                  "minimum", param->min, "maximum", param->max);
    break;
  case MIEN_PARAM_SWITCH:
    schema = json_pack("{s:s}", "type", "boolean");
    break;
  case MIEN_PARAM_CHOICE:
    schema = json_pack("{s:o}", "enum", split_words(param->choices));
    break;
  case MIEN_PARAM_VECTOR:
    schema = describe_numbers(3, 3, "number");
    break;
  }
  return schema;
}

// Every parameter, or its keys [[frame, value], ...] when it can have some.
static json_t *describe_params(bool are_keys) {
  int count;
  const mien_param *params = mien_params(&count);
  json_t *list = json_object();
  for (int i = 0; i < count; i++) {
    if (params[i].place == MIEN_PARAM_MAP || params[i].flags & MIEN_PARAM_OF_HOST) continue;
    if (are_keys && !(params[i].flags & MIEN_PARAM_KEYABLE)) continue;
    json_t *one = describe_param(params + i);
    char help[512];
    snprintf(help, sizeof help, "%s%s%s", params[i].unit, params[i].unit[0] ? "; " : "",
             params[i].help);
    json_object_set_new(one, "description", json_string(help));
    if (are_keys)
      one = json_pack("{s:s, s:i, s:{s:s, s:i, s:i, s:[{s:s}, o]}}", "type", "array", "minItems", 1,
                      "items", "type", "array", "minItems", 2, "maxItems", 2, "items", "type",
                      "number", one);
    json_object_set_new(list, params[i].name, one);
  }
  if (!are_keys) json_object_set_new(list, "about", json_pack("{s:s}", "type", "string"));
  return json_pack("{s:s, s:b, s:o}", "type", "object", "additionalProperties", 0, "properties",
                   list);
}

static json_t *describe_key(const shot_key *key) {
  switch (key->kind) {
  case SHOT_VERSION:
    return json_pack("{s:i}", "const", 1);
  case SHOT_NUMBER:
    return json_pack("{s:s}", "type", "number");
  case SHOT_WHOLE:
    return json_pack("{s:s}", "type", "integer");
  case SHOT_SWITCH:
    return json_pack("{s:s}", "type", "boolean");
  case SHOT_VECTOR:
    return describe_numbers(3, 3, "number");
  case SHOT_RANGE:
    return describe_numbers(2, 2, "integer");
  case SHOT_PARAMETERS:
    return describe_params(false);
  case SHOT_KEYS:
    return describe_params(true);
  default:
    return key->words ? json_pack("{s:o}", "enum", split_words(key->words))
                      : json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
  }
}

static json_t *open_object(json_t *properties, const char *name, size_t length, bool in_list) {
  char key[64];
  snprintf(key, sizeof key, "%.*s", (int)length, name);
  json_t *object = json_object_get(properties, key);
  if (!object) {
    object =
        json_pack("{s:s, s:b, s:{}}", "type", "object", "additionalProperties", 0, "properties");
    json_t *held = in_list ? json_pack("{s:s, s:i, s:i, s:o}", "type", "array", "minItems", 1,
                                       "maxItems", 1, "items", object)
                           : object;
    json_object_set_new(properties, key, held);
  } else if (in_list) {
    object = json_object_get(object, "items");
  }
  return json_object_get(object, "properties");
}

void shot_print_schema(void) {
  json_t *properties = json_object();
  for (const shot_key *key = shot_keys; key->path; key++) {
    const char *dot = strchr(key->path, '.'), *bracket = strstr(key->path, "[]");
    json_t *to = properties;
    if (dot)
      to = open_object(properties, key->path, (size_t)((bracket ? bracket : dot) - key->path),
                       bracket != NULL);
    json_t *one = describe_key(key);
    json_object_set_new(one, "description", json_string(key->help));
    json_object_set_new(to, dot ? dot + 1 : key->path, one);
  }
  cli_print_json(json_pack("{s:s, s:s, s:s, s:[s,s], s:[{s:[s]}, {s:[s]}], s:b, s:o}", "$schema",
                           "http://json-schema.org/draft-07/schema#", "title", "mien shot", "type",
                           "object", "required", "mien_shot", "rig", "anyOf", "required", "takes",
                           "required", "muscles", "additionalProperties", 0, "properties",
                           properties));
}
