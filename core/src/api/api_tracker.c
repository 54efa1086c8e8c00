// Making a tracker: where its model files are, and what to say when they are not.
#include "io/io.h"
#include "track/landmark_tracker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_MOST = 2048 };

static mien_result find_folder(const mien_tracker_def *def, char folder[PATH_MOST],
                               mien_error *err) {
  const char *named = def->models ? def->models : getenv("MIEN_MODELS");
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length;
  if (named)
    length = snprintf(folder, PATH_MOST, "%s", named);
  else if (cache && *cache)
    length = snprintf(folder, PATH_MOST, "%s/mien", cache);
  else
    length = snprintf(folder, PATH_MOST, "%s/.cache/mien", home ? home : "");
  if (length >= PATH_MOST)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the path of the model folder is too long");
  return MIEN_OK;
}

// A model file in the arena; a missing one says how to get it.
static mien_result load(const char *folder, const char *name, mi_arena *arena, mi_bytes *out,
                        mien_error *err) {
  char path[PATH_MOST + 64];
  unsigned char *bytes = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  mien_result result = mi_file_read(path, arena, &bytes, &out->size, err);
  if (result == MIEN_ERR_IO)
    return mi_fail(err, MIEN_ERR_IO,
                   "the face model '%s' is not installed: run 'mien models install'", name);
  out->data = bytes;
  return result;
}

static mien_result load_mesh(const char *folder, mi_arena *arena, mi_tracker_files *files,
                             mien_error *err) {
  mien_result result = load(folder, MI_MODEL_DETECTOR, arena, &files->detector, err);
  if (result >= 0) result = load(folder, MI_MODEL_MESH, arena, &files->mesh, err);
  return result;
}

// The 68-point file comes from Debian's libdlib-data, or lies beside the others.
static mien_result load_ert(const char *folder, mi_arena *arena, mi_tracker_files *files,
                            mien_error *err) {
  if (load(folder, MI_MODEL_ERT, arena, &files->ert, NULL) >= 0) return MIEN_OK;
  mien_result result = load("/usr/share/dlib", MI_MODEL_ERT, arena, &files->ert, NULL);
  if (result >= 0) return result;
  return mi_fail(
      err, MIEN_ERR_IO,
      "the 68-point face model is not installed: it comes with the package libdlib-data");
}

// Which model runs: the one asked for, or the best whose files are there.
static mien_result choose(const mien_tracker_def *def, const char *folder, mi_arena *arena,
                          mi_tracker_files *files, mien_tracker_kind *kind, mien_error *err) {
  *kind = def->kind == MIEN_TRACKER_AUTO ? MIEN_TRACKER_MESH : def->kind;
  mien_result result = MIEN_OK;
  if (*kind == MIEN_TRACKER_MESH) {
    result = load_mesh(folder, arena, files, err);
    bool is_missing = result == MIEN_ERR_IO && def->kind == MIEN_TRACKER_AUTO && def->find;
    if (!is_missing || load_ert(folder, arena, files, NULL) < 0) return result;
    *kind = MIEN_TRACKER_ERT;
    return MIEN_OK;
  }
  if (!def->find)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the 68-point tracker needs a detector of faces: find");
  return load_ert(folder, arena, files, err);
}

static mien_result check(const mien_tracker_def *def, mien_error *err) {
  if (def->kind < MIEN_TRACKER_AUTO || def->kind > MIEN_TRACKER_ERT)
    return mi_fail(err, MIEN_ERR_OPTIONS, "tracker %d is unknown", (int)def->kind);
  if (def->is_chosen &&
      !(def->near_x >= 0 && def->near_x <= 1 && def->near_y >= 0 && def->near_y <= 1))
    return mi_fail(err, MIEN_ERR_OPTIONS, "the chosen face lies outside the picture");
  return MIEN_OK;
}

mien_result mien_tracker_create(const mien_tracker_def *given_def, const mien_host *given,
                                mien_tracker **out, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!out) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is nowhere to put the tracker");
  mien_tracker_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_tracker_def, &def, given_def, err);
  if (result >= 0) result = check(&def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  char folder[PATH_MOST];
  result = find_folder(&def, folder, err);
  mi_tracker_files files = {0};
  mi_arena arena;
  mi_arena_init(&arena, &host);
  mien_tracker_kind kind = MIEN_TRACKER_MESH;
  if (result >= 0) result = choose(&def, folder, &arena, &files, &kind, err);
  if (result >= 0) result = mi_tracker_create(&def, kind, &files, &host, out, err);
  mi_arena_free(&arena);
  return result;
}
