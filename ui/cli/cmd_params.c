// mien params: the table of parameters, for people, for scripts and for the manual.
#include "cli.h"

#include <string.h>

static const cli_option options[] = {
    {"markdown", 0, NULL, "print the page docs/parameters.md"},
    {NULL, 0, NULL, NULL},
};

static const char *const kinds[] = {"number", "whole", "switch", "choice", "vector"};
static const char *const places[] = {"face", "step", "input", "play", "map"};

// "8", "plane", "on", "0, -9.81, 0"
static const char *default_text(const mien_param *param, char out[80]) {
  if (param->kind == MIEN_PARAM_CHOICE) {
    const char *at = param->choices;
    for (int k = 0; k < (int)param->value[0]; k++) at = strchr(at, ',') + 1;
    snprintf(out, 80, "%.*s", (int)strcspn(at, ","), at);
  } else if (param->kind == MIEN_PARAM_SWITCH) {
    snprintf(out, 80, "%s", param->value[0] != 0 ? "on" : "off");
  } else if (param->kind == MIEN_PARAM_VECTOR) {
    snprintf(out, 80, "%g, %g, %g", param->value[0], param->value[1], param->value[2]);
  } else {
    snprintf(out, 80, "%.6g", param->value[0]);
  }
  return out;
}

static void range_text(const mien_param *param, char out[160]) {
  out[0] = 0;
  if (param->kind == MIEN_PARAM_CHOICE)
    snprintf(out, 160, "%s", param->choices);
  else if (param->kind != MIEN_PARAM_SWITCH)
    snprintf(out, 160, "%.6g to %.6g", param->min, param->max);
}

static json_t *default_json(const mien_param *param) {
  char text[80];
  if (param->kind == MIEN_PARAM_CHOICE) return json_string(default_text(param, text));
  if (param->kind == MIEN_PARAM_SWITCH) return json_boolean(param->value[0] != 0);
  if (param->kind == MIEN_PARAM_VECTOR)
    return json_pack("[f, f, f]", param->value[0], param->value[1], param->value[2]);
  return json_real(param->value[0]);
}

static void print_json(const mien_param *params, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) {
    const mien_param *p = params + i;
    json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:s?, s:b, s:b, s:b, s:o, s:f, s:f, "
                  "s:f, s:f, s:f, s:i, s:i}",
                  "name", p->name, "field", p->field, "group", p->group, "unit", p->unit, "help",
                  p->help, "kind", kinds[p->kind], "place", places[p->place], "choices", p->choices,
                  "map", p->map, "keyable", p->flags & MIEN_PARAM_KEYABLE, "of_host",
                  p->flags & MIEN_PARAM_OF_HOST, "per_shape", p->flags & MIEN_PARAM_PER_SHAPE,
                  "default", default_json(p), "min", p->min, "max", p->max, "soft_min", p->soft_min,
                  "soft_max", p->soft_max, "to_si", p->to_si, "offset", (int)p->offset, "size",
                  (int)p->size));
  }
  cli_print_json(list);
}

static void print_words(const mien_param *params, int count) {
  const char *group = "";
  for (int i = 0; i < count; i++) {
    char value[80], range[160];
    if (params[i].flags & MIEN_PARAM_OF_HOST) continue;
    if (strcmp(group, params[i].group)) printf("%s\n", group = params[i].group);
    range_text(params + i, range);
    printf("  %-18s %s%s%s [%s%s%s]\n", params[i].name, default_text(params + i, value),
           params[i].unit[0] ? " " : "", params[i].unit, range, range[0] ? "; " : "",
           params[i].help);
  }
}

static void print_markdown(const mien_param *params, int count) {
  const char *group = "";
  printf("# Parameters\n\n"
         "Made by `mien params --markdown` from the one table in `core/src/base/params_table.c`; a "
         "test compares the two.\n"
         "The same names work in `mien bake --set NAME=VALUE` (or `--NAME VALUE` with dashes), in "
         "JSON (`--options FILE.json`), in Python\n"
         "and in Blender; in Maya they are written without underscores (`stickyLength`). Values "
         "are in the unit shown; structs in C hold SI.\n"
         "*Keyable* parameters can be animated in a host, those of the *flesh* build it anew.\n");
  for (int i = 0; i < count; i++) {
    char value[80], range[160];
    const mien_param *p = params + i;
    if (p->flags & MIEN_PARAM_OF_HOST) continue;
    if (strcmp(group, p->group))
      printf("\n## %c%s\n\n| name | default | range | unit | keyable | what it does |\n"
             "|---|---|---|---|---|---|\n",
             p->group[0] - 'a' + 'A', p->group + 1);
    group = p->group;
    range_text(p, range);
    printf("| `%s` | %s | %s | %s | %s | %s%s%s%s |\n", p->name, default_text(p, value), range,
           p->unit, p->flags & MIEN_PARAM_KEYABLE ? "yes" : "", p->help,
           p->map ? "; painted by the map `" : "", p->map ? p->map : "", p->map ? "`" : "");
  }
}

static int run(const cli_args *args) {
  int count;
  const mien_param *params = mien_params(&count);
  if (args->json)
    print_json(params, count);
  else if (cli_given(args, "markdown"))
    print_markdown(params, count);
  else
    print_words(params, count);
  return CLI_DONE;
}

const cli_command cli_params = {
    .name = "params",
    .arguments = "",
    .summary = "everything that can be set: names, units, ranges, defaults",
    .details = "",
    .options = options,
    .run = run,
};
