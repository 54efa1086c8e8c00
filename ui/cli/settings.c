// Options that come from the table of parameters: --sticky-length 3, --set sticky_length=3,
// --options FILE.json, --preset NAME.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static const char *const extra[] = {"preset", "options", "set"};

static bool is_offered(const cli_command *command, const mien_param *param) {
  return command->settings >> param->place & 1 && param->place != MIEN_PARAM_MAP &&
         !(param->flags & MIEN_PARAM_OF_HOST);
}

// "sticky-length" is sticky_length
static bool is_spelled(const char *option, size_t length, const char *name) {
  if (strlen(name) != length) return false;
  for (size_t i = 0; i < length; i++)
    if (option[i] != name[i] && !(option[i] == '-' && name[i] == '_')) return false;
  return true;
}

const char *cli_setting_name(const cli_command *command, const char *option, size_t length) {
  int count;
  const mien_param *params = mien_params(&count);
  if (!command->settings) return NULL;
  for (size_t k = 0; k < sizeof extra / sizeof *extra; k++)
    if (is_spelled(option, length, extra[k])) return extra[k];
  for (int i = 0; i < count; i++)
    if (is_offered(command, params + i) && is_spelled(option, length, params[i].name))
      return params[i].name;
  return NULL;
}

static void print_default(const mien_param *param) {
  if (param->kind == MIEN_PARAM_CHOICE) {
    const char *at = param->choices;
    for (int k = 0; k < (int)param->value[0]; k++) at = strchr(at, ',') + 1;
    printf("(%.*s)", (int)strcspn(at, ","), at);
  } else if (param->kind == MIEN_PARAM_SWITCH) {
    printf("(%s)", param->value[0] != 0 ? "on" : "off");
  } else if (param->kind == MIEN_PARAM_VECTOR) {
    printf("(%g,%g,%g)", param->value[0], param->value[1], param->value[2]);
  } else {
    printf("(%g)", param->value[0]);
  }
}

static void print_setting(const mien_param *param) {
  char left[64];
  const char *value = param->kind == MIEN_PARAM_CHOICE   ? "NAME"
                      : param->kind == MIEN_PARAM_SWITCH ? "on|off"
                      : param->kind == MIEN_PARAM_VECTOR ? "X,Y,Z"
                      : param->kind == MIEN_PARAM_WHOLE  ? "N"
                      : param->unit[0]                   ? param->unit
                                                         : "NUMBER";
  int length = snprintf(left, sizeof left, "    --%s", param->name);
  for (int i = 6; i < length; i++)
    if (left[i] == '_') left[i] = '-';
  snprintf(left + length, sizeof left - (size_t)length, " %s", value);
  printf("  %-28s %s", left, param->help);
  if (param->choices) printf(": %s", param->choices);
  if (param->kind == MIEN_PARAM_VECTOR && param->unit[0]) printf(", %s", param->unit);
  printf(" ");
  print_default(param);
  printf("\n");
}

void cli_print_settings(const cli_command *command) {
  int count;
  const mien_param *params = mien_params(&count);
  const char *group = "";
  if (!command->settings) return;
  printf(
      "\nparameters ('mien params' tells more):\n"
      "      --preset NAME            skin, fat, jowly, cartoon, stiff, or a file like --options\n"
      "      --options FILE.json      parameters as a JSON object\n"
      "      --set NAME=VALUE         a parameter by its name in JSON\n");
  for (int i = 0; i < count; i++) {
    if (!is_offered(command, params + i)) continue;
    if (strcmp(group, params[i].group)) printf("  %s\n", group = params[i].group);
    print_setting(params + i);
  }
}

// -- reading --------------------------------------------------------------------------------------

static bool complain(const mien_error *err, const char *where) {
  cli_usage("%s%s%s", where, where[0] ? ": " : "", err->text);
  return false;
}

// A file, or the JSON itself when it begins with "{".
static bool read_file(const char *path, mien_settings *settings) {
  enum { MOST = 1 << 20 };
  mien_error err;
  if (path[0] == '{')
    return mien_settings_read(settings, path, strlen(path), &err) >= 0 || complain(&err, "");
  FILE *file = fopen(path, "rb");
  char *text = file ? malloc(MOST) : NULL;
  size_t size = text ? fread(text, 1, MOST, file) : 0;
  bool is_read = text && !ferror(file) && size < MOST;
  if (file) fclose(file);
  mien_result result = is_read ? mien_settings_read(settings, text, size, &err) : MIEN_OK;
  free(text);
  if (!is_read) {
    cli_usage("the parameters in '%s' could not be read", path);
    return false;
  }
  return result < 0 ? complain(&err, path) : true;
}

static bool read_preset(const char *name, mien_settings *settings) {
  char file[256];
  if (strpbrk(name, "./")) return read_file(name, settings);
  snprintf(file, sizeof file, "presets/%s.json", name);
  const char *path = cli_sample(file);
  FILE *found = fopen(path, "rb");
  if (found) {
    fclose(found);
    return read_file(path, settings);
  }
  cli_usage("there is no preset '%s'; there are skin, fat, jowly, cartoon and stiff", name);
  return false;
}

static bool read_pair(const char *text, mien_settings *settings) {
  char name[64];
  mien_error err;
  size_t length = strcspn(text, "=");
  if (!text[length] || length >= sizeof name) {
    cli_usage("'--set' takes NAME=VALUE, not '%s'", text);
    return false;
  }
  memcpy(name, text, length);
  name[length] = 0;
  if (mien_settings_set(settings, name, text + length + 1, &err) >= 0) return true;
  return complain(&err, "");
}

bool cli_read_settings(const cli_args *args, mien_settings *settings) {
  for (int i = 0; i < args->nsetting; i++) {
    const cli_setting *s = args->setting + i;
    mien_error err;
    bool done = !strcmp(s->name, "preset")    ? read_preset(s->text, settings)
                : !strcmp(s->name, "options") ? read_file(s->text, settings)
                : !strcmp(s->name, "set")     ? read_pair(s->text, settings)
                : mien_settings_set(settings, s->name, s->text, &err) >= 0 ? true
                                                                           : complain(&err, "");
    if (!done) return false;
  }
  return true;
}
