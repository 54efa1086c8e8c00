// --map: what a take's channels are called on a rig, where no convention tells.
//   {"Smile_01": "mouthSmile_L", "both": {"browUp_L": 1, "browUp_R": 0.5}, "noise": null}
// Channels that the file does not name are matched as ever.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct renaming {
  const mien_take_info *from;
  const char **names;
  float *weights;
  int count, room;
} renaming;

static int place_of(renaming *r, const char *name) {
  for (int k = 0; k < r->count; k++)
    if (!strcmp(r->names[k], name)) return k;
  r->names[r->count] = name;
  return r->count++;
}

static void feed(renaming *r, int channel, const char *name, double share) {
  int to = place_of(r, name);
  for (int f = 0; f < r->from->nframe; f++)
    r->weights[(size_t)f * (size_t)r->room + (size_t)to] +=
        (float)share * r->from->weights[(size_t)f * (size_t)r->from->nchannel + (size_t)channel];
}

static bool rename_channel(renaming *r, int channel, const json_t *to, const char *path) {
  const char *key;
  json_t *share;
  if (json_is_null(to)) return true;
  if (json_is_string(to)) {
    feed(r, channel, json_string_value(to), 1);
    return true;
  }
  bool is_good = json_is_object(to);
  json_object_foreach((json_t *)to, key, share) is_good &= json_is_number(share);
  if (!is_good) {
    cli_fail("'%s': \"%s\" must be a shape's name, an object of shapes and shares, or null", path,
             r->from->channels[channel]);
    return false;
  }
  json_object_foreach((json_t *)to, key, share) feed(r, channel, key, json_number_value(share));
  return true;
}

static bool check_keys(const json_t *map, const mien_take_info *take, const char *path) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)map, key, value) {
    bool is_there = false;
    for (int c = 0; c < take->nchannel; c++) is_there |= !strcmp(take->channels[c], key);
    if (is_there) continue;
    cli_fail("'%s' names \"%s\", which the take does not have", path, key);
    return false;
  }
  return true;
}

static mien_take *rename_all(const mien_take *take, const json_t *map, const char *path) {
  const mien_take_info *from = mien_take_get_info(take);
  renaming r = {.from = from, .room = from->nchannel};
  const char *key;
  json_t *to;
  json_object_foreach((json_t *)map, key, to) r.room += (int)json_object_size(to);
  r.names = calloc((size_t)r.room + 1, sizeof *r.names);
  r.weights = calloc((size_t)r.room * (size_t)from->nframe + 1, sizeof *r.weights);
  bool is_good = r.names && r.weights && check_keys(map, from, path);
  for (int c = 0; is_good && c < from->nchannel; c++) {
    to = json_object_get(map, from->channels[c]);
    is_good = to ? rename_channel(&r, c, to, path) : (feed(&r, c, from->channels[c], 1), true);
  }
  for (int f = 0; is_good && f < from->nframe; f++) // rows close up to what is used
    memmove(r.weights + (size_t)f * (size_t)r.count, r.weights + (size_t)f * (size_t)r.room,
            (size_t)r.count * sizeof *r.weights);
  mien_take_def def;
  mien_take_def_init(&def);
  def.name = from->name;
  def.channels = r.names;
  def.nchannel = r.count;
  def.nframe = from->nframe;
  def.times = from->times;
  def.weights = r.weights;
  def.head = from->head;
  def.about_pivot = from->about_pivot;
  mien_take *out = NULL;
  mien_error err;
  if (is_good && mien_take_create(&def, NULL, &out, &err) < 0) cli_report(&err, path);
  free(r.names);
  free(r.weights);
  return out;
}

mien_take *cli_map_names(const cli_args *args, mien_take *take) {
  const char *path = cli_value(args, "map", NULL);
  if (!path) return take;
  json_error_t why;
  json_t *map = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
  mien_take *out = NULL;
  if (!map && why.line > 0)
    cli_fail("'%s', line %d: %s", path, why.line, why.text);
  else if (!json_is_object(map))
    cli_fail("'%s' is not a JSON object of channel names", path);
  else
    out = rename_all(take, map, path);
  json_decref(map);
  mien_take_free(take);
  return out;
}

mien_take *cli_bind_take(const cli_args *args, mien_take *take, const mien_rig *rig) {
  mien_take *bound = NULL;
  mien_error err;
  take = cli_map_names(args, take);
  if (!take) return NULL;
  mien_result result = mien_take_bind(take, rig, &bound, NULL, &err);
  mien_take_free(take);
  if (result < 0) {
    cli_report(&err, "take");
    return NULL;
  }
  const mien_take_info *info = mien_take_get_info(bound);
  cli_remarks(info->remarks, info->nremark);
  return bound;
}
