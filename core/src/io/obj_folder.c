// A folder of OBJ files: neutral.obj, one file per shape, rig.json; or one file, a neutral alone.
#define _POSIX_C_SOURCE 200809L

#include "io/io.h"
#include "io/obj.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 10000 };

typedef struct listing {
  mi_arena *arena;
  const char *folder;
  char **name; // files that end in .obj, sorted
  int count;
  int neutral;
  bool has_json;
} listing;

static bool is_same_word(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((a[i] >= 'A' && a[i] <= 'Z' ? a[i] + 32 : a[i]) != b[i]) return false;
  return true;
}

static bool is_obj(const char *name) {
  size_t length = strlen(name);
  return length > 4 && name[0] != '.' && is_same_word(name + length - 4, ".obj", 4);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// In the order of a directory, which is any.
static mien_result list_files(listing *list, mien_error *err) {
  DIR *dir = opendir(list->folder);
  if (!dir)
    return mi_fail(err, MIEN_ERR_IO, "cannot open %.150s: %s", list->folder, strerror(errno));
  list->name = MI_PUSH(list->arena, char *, MOST_FILES);
  mien_result result = list->name ? MIEN_OK : mi_fail_memory(err);
  for (struct dirent *entry; result >= 0 && (entry = readdir(dir));) {
    if (strcmp(entry->d_name, "rig.json") == 0) list->has_json = true;
    if (!is_obj(entry->d_name)) continue;
    if (list->count == MOST_FILES)
      result = mi_fail(err, MIEN_ERR_FORMAT, "%.150s holds more than %d OBJ files", list->folder,
                       MOST_FILES);
    if (result < 0) break;
    list->name[list->count] = mi_arena_string(list->arena, entry->d_name);
    if (!list->name[list->count++]) result = mi_fail_memory(err);
  }
  closedir(dir);
  if (result >= 0) qsort(list->name, (size_t)list->count, sizeof *list->name, by_name);
  return result;
}

static mien_result find_neutral(listing *list, mien_error *err) {
  static const char *const stems[] = {"neutral", "basis", "base", "rest"};
  for (size_t s = 0; s < sizeof stems / sizeof *stems; s++)
    for (int i = 0; i < list->count; i++) {
      size_t length = strlen(list->name[i]) - 4;
      if (length != strlen(stems[s]) || !is_same_word(list->name[i], stems[s], length)) continue;
      list->neutral = i;
      return MIEN_OK;
    }
  if (list->count == 0)
    return mi_fail(err, MIEN_ERR_FORMAT, "%.150s holds no OBJ files", list->folder);
  char some[100] = "";
  for (int i = 0; i < list->count && i < 4; i++) {
    size_t used = strlen(some);
    snprintf(some + used, sizeof some - used, "%s%.20s", i ? ", " : "", list->name[i]);
  }
  return mi_fail(err, MIEN_ERR_FORMAT,
                 "no neutral.obj (or basis, base, rest) among the %d OBJ files: %s%s", list->count,
                 some, list->count > 4 ? ", ..." : "");
}

static mien_result read_in_folder(const listing *list, const char *name, mi_arena *arena,
                                  unsigned char **bytes, size_t *size, mien_error *err) {
  size_t length = strlen(list->folder) + strlen(name) + 2;
  char *path = MI_PUSH(arena, char, length);
  if (!path) return mi_fail_memory(err);
  snprintf(path, length, "%s/%s", list->folder, name);
  return mi_file_read(path, arena, bytes, size, err);
}

// One file at a time: a folder of shapes is much larger than the rig it makes.
static mien_result read_obj(mi_obj_rig *rig, const listing *list, int which, mien_error *err) {
  mi_arena text;
  mi_arena_init(&text, rig->host);
  unsigned char *bytes;
  size_t size;
  const char *file = list->name[which];
  char *stem = mi_arena_string(&text, file);
  mien_result result =
      stem ? read_in_folder(list, file, &text, &bytes, &size, err) : mi_fail_memory(err);
  if (result >= 0) stem[strlen(stem) - 4] = 0;
  if (result >= 0 && which == list->neutral)
    result = mi_obj_set_neutral(rig, &(mi_obj_text){file, bytes, size});
  else if (result >= 0)
    result = mi_obj_add_shape(rig, stem, &(mi_obj_text){file, bytes, size});
  mi_arena_free(&text);
  return result;
}

static mien_result read_folder(mi_obj_rig *rig, listing *list, mien_rig **out, mien_error *err) {
  mien_result result = list_files(list, err);
  if (result >= 0) result = find_neutral(list, err);
  if (result >= 0) result = read_obj(rig, list, list->neutral, err);
  for (int i = 0; result >= 0 && i < list->count; i++) {
    if (!mi_progress(rig->host, "reading shapes", (double)i / list->count))
      return mi_fail(err, MIEN_ERR_CANCELLED, "stopped by the host");
    if (i != list->neutral) result = read_obj(rig, list, i, err);
  }
  unsigned char *json = NULL;
  size_t json_size = 0;
  if (result >= 0 && list->has_json)
    result = read_in_folder(list, "rig.json", &rig->arena, &json, &json_size, err);
  return result < 0 ? result : mi_obj_finish(rig, (const char *)json, json_size, out);
}

mien_result mi_obj_read_folder(const char *folder, const mien_rig_opts *opts, const mien_host *host,
                               mien_rig **out, mien_error *err) {
  mi_obj_rig rig;
  mi_obj_begin(&rig, host, err);
  rig.opts = opts;
  listing list = {.arena = &rig.arena, .folder = folder};
  mien_result result = read_folder(&rig, &list, out, err);
  mi_obj_end(&rig);
  return result;
}

bool mi_obj_is_named(const char *path) {
  size_t length = strlen(path);
  return length > 4 && is_same_word(path + length - 4, ".obj", 4);
}

mien_result mi_obj_read_file(const char *path, const mien_rig_opts *opts, const mien_host *host,
                             mien_rig **out, mien_error *err) {
  mi_obj_rig rig;
  mi_obj_begin(&rig, host, err);
  rig.opts = opts;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  unsigned char *bytes;
  size_t size;
  mien_result result = mi_file_read(path, &rig.arena, &bytes, &size, err);
  if (result >= 0) result = mi_obj_set_neutral(&rig, &(mi_obj_text){name, bytes, size});
  if (result >= 0) result = mi_obj_finish(&rig, NULL, 0, out);
  mi_obj_end(&rig);
  return result;
}
