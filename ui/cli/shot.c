#include "shot.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "param_keys.h"

const shot_key shot_keys[] = {
    {"mien_shot", SHOT_VERSION, NULL, NULL, "version of this format: 1"},
    {"about", SHOT_ABOUT, NULL, NULL, "a sentence for readers"},
    {"rig", SHOT_RIG, NULL, NULL,
     "the rig or face, with its painted maps: .glb or any that mien reads"},
    {"reading.up", SHOT_WORD, "up", "x,-x,y,-y,z,-z", "which axis of the rig's file is up"},
    {"reading.facing", SHOT_WORD, "facing", "x,-x,y,-y,z,-z", "which one the face looks along"},
    {"reading.unit", SHOT_WORD, "unit", NULL, "of the rig's file: m, cm, mm, in, or metres"},
    {"reading.face_part", SHOT_WORD, "face-part", NULL, "the part that gets flesh"},
    {"reading.pivot", SHOT_VECTOR, "pivot", NULL, "where the neck carries the head"},
    {"takes[].file", SHOT_INPUT, "anim", NULL, "weights over time, and the head's motion"},
    {"takes[].map", SHOT_INPUT, "map", NULL, "what its channels are called on the rig"},
    {"head", SHOT_INPUT, "head", NULL, "head motion instead of the take's own"},
    {"jaw", SHOT_INPUT, "jaw", NULL, "jaw motion"},
    {"pose", SHOT_INPUT, "pose", NULL, "the rig as a host posed it: .pc2"},
    {"muscles", SHOT_INPUT, "muscle-take", NULL, "activations over time"},
    {"material", SHOT_PRESET, NULL, NULL, "a preset (skin, fat, jowly, cartoon, stiff) or a file"},
    {"parameters", SHOT_PARAMETERS, NULL, NULL, "after the material: {\"contact\": \"plane\"}"},
    {"keys", SHOT_KEYS, "keys", NULL, "parameters over time: {\"sticky\": [[1, 0], [24, 1]]}"},
    {"fps", SHOT_NUMBER, "fps", NULL, "frames per second (24)"},
    {"seconds", SHOT_NUMBER, "seconds", NULL, "stop after so much of the take"},
    {"frames.first", SHOT_WHOLE, "first-frame", NULL, "number of the take's first frame (1)"},
    {"frames.range", SHOT_RANGE, "frames", NULL, "only these into the cache (all)"},
    {"frames.run_up", SHOT_WHOLE, "run-up", NULL, "simulate only so many before them (all)"},
    {"outputs.cache", SHOT_OUTPUT, "out", NULL, "the point cache"},
    {"outputs.space", SHOT_WORD, "space", "head,world", "of the cache (head)"},
    {"outputs.tolerance", SHOT_NUMBER, "tolerance", NULL, "of a .glb cache, mm (0.05)"},
    {"outputs.welded", SHOT_SWITCH, "welded", NULL, "one point per welded vertex"},
    {"outputs.info", SHOT_OUTPUT, "info", NULL, "energies and times of every frame: .csv"},
    {"outputs.picture", SHOT_OUTPUT, "picture", NULL, "the frame farthest from its pose: .png"},
    {"strict", SHOT_SWITCH, "strict", NULL, "frames that are not plausible are a failure"},
    {NULL, SHOT_ABOUT, NULL, NULL, NULL},
};

// -- Errors ---------------------------------------------------------------------------------------

// "shot.json:12: takes[0].file: " and the sentence.
__attribute__((format(printf, 4, 5))) static int
refuse(const shot_file *shot, int code, const char *place, const char *format, ...) {
  char why[512];
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  (code == CLI_USAGE ? cli_usage : cli_fail)("%s:%d: %s%s%s", shot->path,
                                             shot_line_of(shot->text, place), place,
                                             place[0] ? ": " : "", why);
  return code;
}

// How many letters must change, be added or go.
static int letters_apart(const char *a, const char *b) {
  enum { LONGEST = 24 };
  int cost[LONGEST + 1][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      int best = i && j ? cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]) : i + j;
      if (i && cost[i - 1][j] + 1 < best) best = cost[i - 1][j] + 1;
      if (j && cost[i][j - 1] + 1 < best) best = cost[i][j - 1] + 1;
      cost[i][j] = best;
    }
  return cost[n][m];
}

// The name of a row below `above` ("outputs." or ""), up to its own end; "" = it is not below.
static void name_below(const shot_key *row, const char *above, char name[64]) {
  size_t length = strlen(above);
  name[0] = 0;
  if (!strncmp(row->path, above, length))
    snprintf(name, 64, "%.*s", (int)strcspn(row->path + length, ".["), row->path + length);
}

static int refuse_unknown(const shot_file *shot, const char *place, const char *above,
                          const char *key) {
  char nearest[64] = "", name[64];
  int least = 4; // more letters are no misspelling
  for (const shot_key *row = shot_keys; row->path; row++) {
    name_below(row, above, name);
    int apart = name[0] ? letters_apart(key, name) : least;
    if (apart >= least) continue;
    least = apart;
    memcpy(nearest, name, sizeof nearest);
  }
  return nearest[0]
             ? refuse(shot, CLI_USAGE, place, "a shot has no such key; is '%s' meant?", nearest)
             : refuse(shot, CLI_USAGE, place, "a shot has no such key");
}

// -- Values ---------------------------------------------------------------------------------------

typedef struct reading {
  shot_file *shot;
  cli_args *args;
  cli_setting settings[2]; // material, parameters: before those of the call
  const char *rig;
  bool has_version, has_take;
} reading;

// Kept as long as the shot; NULL when there is no memory.
static const char *keep(shot_file *shot, char *text) {
  if (!text || shot->nstring == CLI_MOST) {
    free(text);
    return NULL;
  }
  return shot->strings[shot->nstring++] = text;
}

static const char *resolve(shot_file *shot, const char *name) {
  char path[PATH_MAX];
  const char *slash = strrchr(shot->path, '/');
  if (name[0] == '/' || !slash) return keep(shot, strdup(name));
  int length =
      snprintf(path, sizeof path, "%.*s%s", (int)(slash + 1 - shot->path), shot->path, name);
  return length < (int)sizeof path ? keep(shot, strdup(path)) : NULL;
}

static bool is_word(const char *word, const char *words) {
  size_t length = strlen(word);
  for (const char *at = words; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strcspn(at, ",") == length && !strncmp(at, word, length)) return true;
  }
  return false;
}

static int give(reading *r, const shot_key *row, const char *text) {
  if (!text) return cli_fail("%s: out of memory", r->shot->path);
  if (row->kind == SHOT_RIG) r->rig = text;
  if (row->option) cli_set_value(r->args, row->option, text);
  if (row->option && (!strcmp(row->option, "anim") || !strcmp(row->option, "muscle-take")))
    r->has_take = true;
  return CLI_DONE;
}

static int read_file_name(reading *r, const shot_key *row, const json_t *value, const char *place) {
  const char *name = json_string_value(value);
  struct stat about;
  if (!name || !name[0]) return refuse(r->shot, CLI_USAGE, place, "the name of a file is needed");
  const char *path = resolve(r->shot, name);
  // a file that the call replaces need not be there
  bool is_replaced = row->option ? cli_given(r->args, row->option) : false;
  if (path && row->kind != SHOT_OUTPUT && !is_replaced &&
      (stat(path, &about) != 0 || access(path, R_OK) != 0))
    return refuse(r->shot, CLI_FAILED, place, "'%s' cannot be read: %s", name, strerror(errno));
  if (path && row->kind != SHOT_OUTPUT && !is_replaced) r->shot->inputs[r->shot->ninput++] = path;
  return give(r, row, path);
}

static int read_word(reading *r, const shot_key *row, const json_t *value, const char *place) {
  const char *word = json_string_value(value);
  if (!word) return refuse(r->shot, CLI_USAGE, place, "a text is needed");
  if (row->words && !is_word(word, row->words))
    return refuse(r->shot, CLI_USAGE, place, "one of %s is needed, not '%s'", row->words, word);
  return give(r, row, keep(r->shot, strdup(word)));
}

// One number, or several joined by `between`.
static int read_numbers(reading *r, const shot_key *row, const json_t *value, const char *place,
                        int count, const char *between, bool is_whole) {
  char text[128] = "";
  size_t length = 0;
  bool is_good = count == 1 || json_array_size(value) == (size_t)count;
  for (int k = 0; k < count && is_good; k++) {
    const json_t *one = count == 1 ? value : json_array_get(value, (size_t)k);
    is_good = is_whole ? json_is_integer(one) : json_is_number(one);
    length += (size_t)snprintf(text + length, sizeof text - length, is_whole ? "%s%.0f" : "%s%.17g",
                               k ? between : "", json_number_value(one));
  }
  if (is_good) return give(r, row, keep(r->shot, strdup(text)));
  return count == 1
             ? refuse(r->shot, CLI_USAGE, place, "a %snumber is needed", is_whole ? "whole " : "")
             : refuse(r->shot, CLI_USAGE, place, "a list of %d %snumbers is needed", count,
                      is_whole ? "whole " : "");
}

static int read_preset(reading *r, const json_t *value, const char *place) {
  const char *name = json_string_value(value);
  if (!name) return refuse(r->shot, CLI_USAGE, place, "a preset's name or a file is needed");
  bool is_file = strpbrk(name, "./");
  const char *text = is_file ? resolve(r->shot, name) : keep(r->shot, strdup(name));
  if (!text) return cli_fail("%s: out of memory", r->shot->path);
  if (is_file && access(text, R_OK) != 0)
    return refuse(r->shot, CLI_FAILED, place, "'%s' cannot be read: %s", name, strerror(errno));
  if (is_file) r->shot->inputs[r->shot->ninput++] = text;
  r->settings[0] = (cli_setting){"preset", text};
  return CLI_DONE;
}

// Each by itself first, so that the error has its line.
static int read_parameters(reading *r, const json_t *value, const char *place) {
  mien_settings scratch;
  mien_error err;
  const char *name;
  json_t *one;
  if (!json_is_object(value))
    return refuse(r->shot, CLI_USAGE, place, "an object of parameters is needed");
  mien_settings_init(&scratch);
  json_object_foreach((json_t *)value, name, one) {
    json_t *alone = json_pack("{s:O}", name, one);
    char *text = json_dumps(alone, JSON_COMPACT), where[160];
    mien_result result =
        text ? mien_settings_read(&scratch, text, strlen(text), &err) : MIEN_ERR_MEMORY;
    free(text);
    json_decref(alone);
    snprintf(where, sizeof where, "%.50s.%.100s", place, name);
    if (result < 0) return refuse(r->shot, CLI_USAGE, where, "%s", err.text);
  }
  const char *text = keep(r->shot, json_dumps(value, JSON_COMPACT));
  if (!text) return cli_fail("%s: out of memory", r->shot->path);
  r->settings[1] = (cli_setting){"options", text};
  return CLI_DONE;
}

static int read_keys(reading *r, const shot_key *row, const json_t *value, const char *place) {
  param_keys keys;
  char below[160], why[256], where[256];
  if (json_is_string(value)) return read_file_name(r, row, value, place);
  if (!param_keys_read(value, &keys, below, why)) {
    snprintf(where, sizeof where, "%.50s%s%s", place, below[0] ? "." : "", below);
    return refuse(r->shot, CLI_USAGE, where, "%s", why);
  }
  param_keys_free(&keys);
  return give(r, row, keep(r->shot, json_dumps(value, JSON_COMPACT)));
}

static int read_value(reading *r, const shot_key *row, const json_t *value, const char *place) {
  switch (row->kind) {
  case SHOT_VERSION:
    r->has_version = json_is_integer(value) && json_integer_value(value) == 1;
    return r->has_version ? CLI_DONE
                          : refuse(r->shot, CLI_USAGE, place, "this program reads version 1 alone");
  case SHOT_ABOUT:
    return json_is_string(value) ? CLI_DONE : refuse(r->shot, CLI_USAGE, place, "a text is needed");
  case SHOT_RIG:
  case SHOT_INPUT:
  case SHOT_OUTPUT:
    return read_file_name(r, row, value, place);
  case SHOT_NUMBER:
    return read_numbers(r, row, value, place, 1, "", false);
  case SHOT_WHOLE:
    return read_numbers(r, row, value, place, 1, "", true);
  case SHOT_VECTOR:
    return read_numbers(r, row, value, place, 3, ",", false);
  case SHOT_RANGE:
    return read_numbers(r, row, value, place, 2, "-", true);
  case SHOT_WORD:
    return read_word(r, row, value, place);
  case SHOT_SWITCH:
    if (!json_is_boolean(value))
      return refuse(r->shot, CLI_USAGE, place, "true or false is needed");
    return json_is_true(value) ? give(r, row, "") : CLI_DONE;
  case SHOT_PRESET:
    return read_preset(r, value, place);
  case SHOT_PARAMETERS:
    return read_parameters(r, value, place);
  case SHOT_KEYS:
    return read_keys(r, row, value, place);
  }
  return CLI_DONE;
}

// -- The tree -------------------------------------------------------------------------------------

// The row of a path with "[]" for every index; *is_section when rows are below it.
static const shot_key *find_row(const char *path, bool *is_section) {
  size_t length = strlen(path);
  *is_section = false;
  for (const shot_key *row = shot_keys; row->path; row++) {
    if (!strcmp(row->path, path)) return row;
    *is_section |= !strncmp(row->path, path, length) && strchr(".[", row->path[length]);
  }
  return NULL;
}

static int read_object(reading *r, const json_t *object, const char *place, const char *pattern);

// A list of objects: one take is played.
static int read_list(reading *r, const json_t *list, const char *place, const char *pattern) {
  char below[80], rows[80];
  if (json_array_size(list) != 1)
    return refuse(r->shot, CLI_USAGE, place, "a list of one is needed; there are %zu",
                  json_array_size(list));
  snprintf(below, sizeof below, "%.60s[0]", place);
  snprintf(rows, sizeof rows, "%.60s[]", pattern);
  return read_object(r, json_array_get(list, 0), below, rows);
}

static int read_object(reading *r, const json_t *object, const char *place, const char *pattern) {
  const char *key;
  json_t *value;
  int code = CLI_DONE;
  if (!json_is_object(object)) return refuse(r->shot, CLI_USAGE, place, "an object is needed");
  json_object_foreach((json_t *)object, key, value) {
    char at[200], rows[200], above[100];
    bool is_section = false;
    snprintf(above, sizeof above, "%.80s%s", pattern, pattern[0] ? "." : "");
    snprintf(at, sizeof at, "%.80s%s%.80s", place, place[0] ? "." : "", key);
    snprintf(rows, sizeof rows, "%.90s%.80s", above, key);
    // a name that is spelt like a path of the table is no name of it
    const shot_key *row = strpbrk(key, ".[") ? NULL : find_row(rows, &is_section);
    code = row                    ? read_value(r, row, value, at)
           : !is_section          ? refuse_unknown(r->shot, at, above, key)
           : json_is_array(value) ? read_list(r, value, at, rows)
                                  : read_object(r, value, at, rows);
    if (code) return code;
  }
  return code;
}

// -- Opening --------------------------------------------------------------------------------------

bool shot_is_named(const char *path) {
  size_t length = strlen(path);
  return length > 5 && !strcasecmp(path + length - 5, ".json");
}

static int load(const char *path, shot_file *shot) {
  enum { MOST = 1 << 24 };
  json_error_t where;
  struct stat about;
  if (stat(path, &about) != 0) return cli_fail("%s: %s", path, strerror(errno));
  if (!S_ISREG(about.st_mode)) return cli_fail("%s: not a file", path);
  if (about.st_size >= MOST) return cli_fail("%s: that is no shot: too large", path);
  FILE *file = fopen(path, "rb");
  if (!file) return cli_fail("%s: %s", path, strerror(errno));
  shot->text = malloc((size_t)about.st_size + 1);
  size_t size = shot->text ? fread(shot->text, 1, (size_t)about.st_size, file) : 0;
  bool is_read = shot->text && !ferror(file);
  int reason = errno;
  fclose(file);
  if (!is_read) return cli_fail("%s: %s", path, strerror(reason));
  shot->text[size] = 0;
  shot->json = json_loadb(shot->text, size, JSON_REJECT_DUPLICATES, &where);
  return shot->json ? CLI_DONE : cli_usage("%s:%d: %s", path, where.line, where.text);
}

// The shot's settings go before those of the call, which have the last word.
static int put_settings(reading *r) {
  cli_args *args = r->args;
  int most = (int)(sizeof args->setting / sizeof *args->setting), count = 0;
  for (int k = 0; k < 2; k++) count += r->settings[k].name != NULL;
  if (args->nsetting + count > most) return cli_usage("there are too many parameters");
  memmove(args->setting + count, args->setting, (size_t)args->nsetting * sizeof *args->setting);
  args->nsetting += count;
  for (int k = 1; k >= 0; k--)
    if (r->settings[k].name) args->setting[--count] = r->settings[k];
  return CLI_DONE;
}

int shot_open(const char *path, cli_args *args, shot_file *shot) {
  reading r = {.shot = shot, .args = args};
  *shot = (shot_file){.path = path};
  int code = load(path, shot);
  if (!code) code = read_object(&r, shot->json, "", "");
  if (!code && !r.has_version) code = refuse(shot, CLI_USAGE, "", "\"mien_shot\": 1 is missing");
  if (!code && !r.rig) code = refuse(shot, CLI_USAGE, "", "it names no \"rig\"");
  if (!code && !r.has_take)
    code = refuse(shot, CLI_USAGE, "", "it names neither \"takes\" nor \"muscles\"");
  if (!code) code = put_settings(&r);
  if (code) return code;
  shot->argument[0] = r.rig;
  args->argument = shot->argument;
  args->nargument = 1;
  mien_rig_opts opts; // a wrong axis or unit is a wrong shot
  return cli_rig_options(args, &opts) ? CLI_DONE : CLI_USAGE;
}

void shot_close(shot_file *shot) {
  for (int i = 0; i < shot->nstring; i++) free(shot->strings[i]);
  json_decref(shot->json);
  free(shot->text);
}
