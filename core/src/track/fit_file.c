// A performer's calibration as a JSON file.
#include "track/face_fit.h"

#include "io/io.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, MOST_BYTES = 4 << 20 };

static json_t *numbers(const double *values, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(list, json_real(values[i]));
  return list;
}

static json_t *describe(const mien_fit *fit) {
  char hash[20];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)fit->rig->hash);
  json_t *points = json_array();
  for (int i = 0; i < fit->npoint; i++) {
    const mi_fit_point *p = fit->point + i;
    double row[10] = {p->source,   p->vert[0],  p->vert[1], p->vert[2], p->share[0],
                      p->share[1], p->share[2], p->p[0],    p->p[1],    p->p[2]};
    json_array_append_new(points, numbers(row, 10));
  }
  return json_pack("{s:i, s:s, s:i, s:o, s:o, s:o, s:o}", "mien_calibration", VERSION, "rig", hash,
                   "source", fit->source, "gaze", numbers(&fit->gaze.rest[0][0], 4), "rotation",
                   numbers(fit->reference.r, 9), "translation", numbers(fit->reference.t, 3),
                   "points", points);
}

mien_result mi_fit_save(const mien_fit *fit, const char *path, mien_error *err) {
  if (!fit->info.calibrated)
    return mi_fail(err, MIEN_ERR_ARGUMENT, "the resting face is not known yet");
  json_t *root = describe(fit);
  char *text = root ? json_dumps(root, JSON_REAL_PRECISION(9) | JSON_COMPACT) : NULL;
  json_decref(root);
  if (!text) return mi_fail_memory(err);
  mi_file *file;
  mien_result result = mi_file_create(path, &fit->host, &file, err);
  if (result >= 0) {
    mi_file_write(file, text, strlen(text));
    mi_file_write(file, "\n", 1);
    result = mi_file_commit(file, err);
  }
  free(text);
  return result;
}

static bool read_numbers(const json_t *list, int count, double *out) {
  if (!json_is_array(list) || json_array_size(list) != (size_t)count) return false;
  for (int i = 0; i < count; i++) {
    const json_t *value = json_array_get(list, (size_t)i);
    if (!json_is_number(value)) return false;
    out[i] = json_number_value(value);
    if (!(fabs(out[i]) < 1e9)) return false;
  }
  return true;
}

static bool read_point(const mien_fit *fit, const json_t *list, int source, mi_fit_point *out) {
  double row[10];
  if (!read_numbers(list, 10, row)) return false;
  if (row[0] != floor(row[0]) || row[0] < 0 || row[0] >= source) return false;
  *out = (mi_fit_point){.source = (int)row[0]};
  out->place = mi_place_of(source == MIEN_POINTS_MESH, out->source);
  for (int k = 0; k < 3; k++) {
    if (row[1 + k] != floor(row[1 + k]) || row[1 + k] < 0 || row[1 + k] >= fit->rig->info.nvert)
      return false;
    if (!(row[4 + k] >= -1e-6 && row[4 + k] <= 1 + 1e-6) || !(fabs(row[7 + k]) < 100)) return false;
    out->vert[k] = (int32_t)row[1 + k];
    out->share[k] = row[4 + k];
    out->p[k] = row[7 + k];
  }
  return true;
}

static bool is_rotation(const double r[9]) {
  for (int i = 0; i < 9; i++) {
    double dot = 0;
    for (int k = 0; k < 3; k++) dot += r[3 * (i / 3) + k] * r[3 * (i % 3) + k];
    if (fabs(dot - (i / 3 == i % 3)) > 1e-4) return false;
  }
  double volume = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                  r[2] * (r[3] * r[7] - r[4] * r[6]);
  return volume > 0; // and no mirror
}

// Everything is read before anything is changed.
static mien_result take(mien_fit *fit, const json_t *root, mi_arena *scratch, mien_error *err) {
  const char *hash = json_string_value(json_object_get(root, "rig"));
  const json_t *points = json_object_get(root, "points");
  int source = (int)json_integer_value(json_object_get(root, "source"));
  char own[20];
  snprintf(own, sizeof own, "%016llx", (unsigned long long)fit->rig->hash);
  if (json_integer_value(json_object_get(root, "mien_calibration")) != VERSION || !hash)
    return mi_fail(err, MIEN_ERR_FORMAT, "this is no calibration that this version reads");
  if (strcmp(hash, own))
    return mi_fail(err, MIEN_ERR_MISMATCH, "the calibration was made for another rig");
  mi_pose reference;
  double gaze[4];
  size_t npoint = json_array_size(points);
  if ((source != MIEN_POINTS_MESH && source != MIEN_POINTS_ERT) || npoint < 6 ||
      npoint > MI_MESH_SKIN || !read_numbers(json_object_get(root, "gaze"), 4, gaze) ||
      !read_numbers(json_object_get(root, "rotation"), 9, reference.r) ||
      !read_numbers(json_object_get(root, "translation"), 3, reference.t) ||
      !is_rotation(reference.r))
    return mi_fail(err, MIEN_ERR_FORMAT, "the calibration is damaged");
  mi_fit_point *read = MI_PUSH(scratch, mi_fit_point, npoint);
  if (!read) return mi_fail_memory(err);
  for (size_t i = 0; i < npoint; i++)
    if (!read_point(fit, json_array_get(points, i), source, read + i))
      return mi_fail(err, MIEN_ERR_FORMAT, "point %zu of the calibration is damaged", i);
  mi_fit_take_points(fit, source, read, (int)npoint);
  memcpy(fit->gaze.rest, gaze, sizeof fit->gaze.rest);
  fit->reference = reference;
  fit->has_reference = true;
  fit->has_pose = false;
  fit->info.is_calibrating = 0;
  fit->info.calibrated = 1;
  return MIEN_OK;
}

mien_result mi_fit_read(mien_fit *fit, const void *bytes, size_t size, mien_error *err) {
  if (size > MOST_BYTES) return mi_fail(err, MIEN_ERR_FORMAT, "the calibration is too large");
  json_error_t why;
  json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
  if (!root)
    return mi_fail(err, MIEN_ERR_FORMAT, "line %d of the calibration: %.120s", why.line, why.text);
  mi_arena scratch;
  mi_arena_init(&scratch, &fit->host);
  mien_result result = take(fit, root, &scratch, err);
  mi_arena_free(&scratch);
  json_decref(root);
  return result;
}

mien_result mi_fit_load(mien_fit *fit, const char *path, mien_error *err) {
  mi_arena scratch;
  unsigned char *bytes;
  size_t size;
  mi_arena_init(&scratch, &fit->host);
  mien_result result = mi_file_read(path, &scratch, &bytes, &size, err);
  if (result >= 0) result = mi_fit_read(fit, bytes, size, err);
  mi_arena_free(&scratch);
  return result;
}
