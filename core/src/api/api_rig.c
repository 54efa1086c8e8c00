// The public functions of rigs and takes: arguments are checked here and nowhere else.
#include "base/text.h"
#include "io/io.h"
#include "rig/rig.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

// -- Rig ------------------------------------------------------------------------------------------

mien_result mien_rig_create(const mien_rig_def *given_def, const mien_host *given, mien_rig **out,
                            mien_error *err) {
  mi_error_clear(err);
  if (!out) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is nowhere to put the rig");
  if (!given_def) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no rig definition");
  mien_rig_def def;
  mien_host host;
  mien_result result = MI_TAKE(mien_rig_def, &def, given_def, err);
  if (result >= 0) result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = mi_rig_create(&def, &host, out, err);
  mi_host_leave(before);
  return result;
}

mien_result mien_rig_read(const void *bytes, size_t size, const mien_host *given, mien_rig **out,
                          mien_error *err) {
  mi_error_clear(err);
  if (!out || (!bytes && size))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there are no bytes, or nowhere to put the rig");
  mien_host host;
  mien_rig_opts opts;
  mien_rig_opts_init(&opts);
  mien_result result = mi_host_resolve(given, &host, err);
  if (result < 0) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = mi_glb_read_rig(bytes, size, &opts, &host, out, err);
  mi_host_leave(before);
  return result;
}

static bool is_folder(const char *path) {
  struct stat found;
  return !stat(path, &found) && S_ISDIR(found.st_mode);
}

static bool is_to_import(const char *path) {
  size_t length = strlen(path);
  return length > 4 &&
         (mi_text_is_same(path + length - 4, ".fbx") || mi_text_is_same(path + length - 4, ".dae"));
}

static mien_result load(const char *path, const mien_rig_opts *opts, const mien_host *host,
                        mien_rig **out, mien_error *err) {
  if (is_folder(path)) return mi_obj_read_folder(path, opts, host, out, err);
  if (mi_obj_is_named(path)) return mi_obj_read_file(path, opts, host, out, err);
  mi_arena scratch;
  mi_arena_init(&scratch, host);
  unsigned char *bytes;
  size_t size;
  mien_result result = mi_file_read(path, &scratch, &bytes, &size, err);
  if (result == MIEN_OK && is_to_import(path))
    result = mi_fail(err, MIEN_ERR_FORMAT, "'mien import' turns FBX and DAE files into rigs");
  if (result == MIEN_OK && size && bytes[0] == '{')
    result = mi_gltf_embed(path, &scratch, &bytes, &size, err);
  if (result == MIEN_OK) result = mi_glb_read_rig(bytes, size, opts, host, out, err);
  mi_arena_free(&scratch);
  if (result < 0) return result;
  (*out)->source = mi_arena_string(&(*out)->arena, path);
  if ((*out)->source) return result;
  mi_rig_release(*out);
  return mi_fail_memory(err);
}

static mien_result check_opts(const mien_rig_opts *opts, mien_error *err) {
  if (opts->up < MIEN_AXIS_KEEP || opts->up > MIEN_AXIS_MINUS_Z || opts->facing < MIEN_AXIS_KEEP ||
      opts->facing > MIEN_AXIS_MINUS_Z)
    return mi_fail(err, MIEN_ERR_OPTIONS, "up or facing is not an axis");
  bool is_axis = opts->up > MIEN_AXIS_FIND && opts->facing > MIEN_AXIS_FIND;
  if (is_axis && (opts->up - MIEN_AXIS_X) / 2 == (opts->facing - MIEN_AXIS_X) / 2)
    return mi_fail(err, MIEN_ERR_OPTIONS, "a face cannot look up along the axis that is up");
  if (!(opts->unit >= 0) || opts->unit > 1e6)
    return mi_fail(err, MIEN_ERR_OPTIONS, "the unit is not a length in metres");
  for (int k = 0; opts->has_pivot && k < 3; k++)
    if (!isfinite(opts->pivot[k]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "the pivot is not finite");
  return MIEN_OK;
}

mien_result mien_rig_import(const char *path, const mien_rig_opts *given_opts,
                            const mien_host *given, mien_rig **out, mien_error *err) {
  mi_error_clear(err);
  if (!path || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no path, or nowhere to put the rig");
  mien_host host;
  mien_rig_opts opts;
  mien_result result = MI_TAKE(mien_rig_opts, &opts, given_opts, err);
  if (result == MIEN_OK) result = check_opts(&opts, err);
  if (result == MIEN_OK) result = mi_host_resolve(given, &host, err);
  if (result != MIEN_OK) return result;
  mi_host_entry before = mi_host_enter(&host);
  result = load(path, &opts, &host, out, err);
  mi_host_leave(before);
  return result;
}

mien_result mien_rig_load(const char *path, const mien_host *host, mien_rig **out,
                          mien_error *err) {
  return mien_rig_import(path, NULL, host, out, err);
}

const mien_rig_info *mien_rig_get_info(const mien_rig *rig) {
  return rig ? &rig->info : NULL;
}

int mien_rig_find_shape(const mien_rig *rig, const char *name) {
  return rig && name ? mi_rig_find_shape(rig, name) : -1;
}

int mien_rig_find_map(const mien_rig *rig, const char *name) {
  return rig && name ? mi_rig_find_map(rig, name) : -1;
}

mien_result mien_rig_pose(const mien_rig *rig, const float *weights, int nweight, float *out,
                          mien_error *err) {
  mi_error_clear(err);
  if (!rig || !out || (!weights && nweight))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the rig, the weights or the output is missing");
  if (nweight != 0 && nweight != rig->info.nshape)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d weights were given, the rig has %d shapes", nweight,
                   rig->info.nshape);
  for (int s = 0; s < nweight; s++)
    if (!isfinite(weights[s]))
      return mi_fail(err, MIEN_ERR_NOT_FINITE, "the weight of '%s' is not finite",
                     rig->info.shapes[s].name);
  MI_USUAL_FLOATS;
  mi_rig_pose(rig, weights, nweight, out);
  return MIEN_OK;
}

void mien_rig_free(mien_rig *rig) {
  mi_rig_release(rig);
}

// -- Take -----------------------------------------------------------------------------------------

mien_result mien_take_create(const mien_take_def *given, const mien_host *host, mien_take **out,
                             mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!out) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is nowhere to put the take");
  if (!given) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no take definition");
  mien_take_def def;
  mien_result result = MI_TAKE(mien_take_def, &def, given, err);
  return result >= 0 ? mi_take_create(&def, host, out, err) : result;
}

mien_result mien_take_read(const void *bytes, size_t size, const mien_host *given, mien_take **out,
                           mien_error *err) {
  mi_error_clear(err);
  if (!out || (!bytes && size))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there are no bytes, or nowhere to put the take");
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result != MIEN_OK) return result;
  bool is_glb = size >= 4 && (!memcmp(bytes, "glTF", 4) || *(const char *)bytes == '{');
  mi_host_entry before = mi_host_enter(&host);
  result = is_glb ? mi_glb_read_take(bytes, size, &host, out, err)
                  : mi_csv_read_take(bytes, size, &host, out, err);
  mi_host_leave(before);
  return result;
}

mien_result mien_take_load(const char *path, const mien_host *given, mien_take **out,
                           mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!path || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no path, or nowhere to put the take");
  mien_host host;
  mien_result result = mi_host_resolve(given, &host, err);
  if (result != MIEN_OK) return result;
  mi_arena scratch;
  mi_arena_init(&scratch, &host);
  unsigned char *bytes;
  size_t size;
  result = mi_file_read(path, &scratch, &bytes, &size, err);
  if (result == MIEN_OK && size && bytes[0] == '{')
    result = mi_gltf_embed(path, &scratch, &bytes, &size, err);
  if (result == MIEN_OK) result = mien_take_read(bytes, size, &host, out, err);
  mi_arena_free(&scratch);
  return result;
}

const mien_take_info *mien_take_get_info(const mien_take *take) {
  return take ? &take->info : NULL;
}

mien_result mien_take_bind(const mien_take *take, const mien_rig *rig, mien_take **out,
                           int *unmatched, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!take || !rig || !out)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the take, the rig or the output is missing");
  return mi_take_bind(take, rig, out, unmatched, err);
}

mien_result mien_take_sample(const mien_take *take, double time, float *weights, mien_rigid *head,
                             mien_error *err) {
  mi_error_clear(err);
  if (!take) return mi_fail(err, MIEN_ERR_ARGUMENT, "there is no take");
  if (!isfinite(time)) return mi_fail(err, MIEN_ERR_NOT_FINITE, "the time is not finite");
  MI_USUAL_FLOATS;
  mi_take_sample(take, time, weights, head);
  return MIEN_OK;
}

mien_result mien_take_save(const mien_take *take, const char *path, mien_error *err) {
  mi_error_clear(err);
  MI_USUAL_FLOATS;
  if (!take || !path) return mi_fail(err, MIEN_ERR_ARGUMENT, "the take or the path is missing");
  return mi_csv_write_take(take, path, err);
}

void mien_take_free(mien_take *take) {
  if (!take) return;
  mi_arena_delete(take->arena);
}
