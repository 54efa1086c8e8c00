#include "base/number.h"
#include "io/cache.h"
#include "io/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAME = 64, END_WIDTH = 24 };

struct mi_usda {
  mi_arena arena; // holds this very struct
  mi_file *file;
  int npoint, nframe;
  double start;
  int64_t end_at; // where the header has room for the last time code
  int64_t at;
  float low[3], high[3]; // of all frames
};

static void put(mi_usda *usda, const char *text) {
  size_t length = strlen(text);
  mi_file_write(usda->file, text, length);
  usda->at += (int64_t)length;
}

static void put_double(mi_usda *usda, double value) {
  char text[MI_NUMBER_CHARS];
  mi_format_double(text, value);
  put(usda, text);
}

// "(a, b, c)"
static void put_tuple(mi_usda *usda, const float *value, int width) {
  char text[3 * MI_NUMBER_CHARS + 8];
  int n = 0;
  for (int k = 0; k < width; k++) {
    text[n++] = k ? ',' : '(';
    if (k) text[n++] = ' ';
    n += mi_format_float(text + n, value[k]);
  }
  text[n++] = ')';
  mi_file_write(usda->file, text, (size_t)n);
  usda->at += n;
}

static void put_points(mi_usda *usda, const mien_f32s *points) {
  size_t stride = points->stride ? (size_t)points->stride : 3;
  put(usda, "[");
  for (int i = 0; i < points->count; i++) {
    const float *p = points->data + (size_t)i * stride;
    if (i) put(usda, ", ");
    put_tuple(usda, p, 3);
  }
  put(usda, "]");
}

static void put_topology(mi_usda *usda, const mi_usda_def *def) {
  char text[24];
  put(usda, "    int[] faceVertexCounts = [");
  for (int t = 0; t < def->triangles.count / 3; t++) put(usda, t ? ", 3" : "3");
  put(usda, "]\n    int[] faceVertexIndices = [");
  for (int i = 0; i < def->triangles.count; i++) {
    snprintf(text, sizeof text, i ? ", %d" : "%d", def->triangles.data[i]);
    put(usda, text);
  }
  put(usda, "]\n    uniform token subdivisionScheme = \"none\"\n");
}

static void put_uvs(mi_usda *usda, const mi_usda_def *def) {
  if (!def->uvs.data) return;
  size_t stride = def->uvs.stride ? (size_t)def->uvs.stride : 2;
  put(usda, "    texCoord2f[] primvars:st = [");
  for (int i = 0; i < def->uvs.count; i++) {
    const float *uv = def->uvs.data + (size_t)i * stride;
    const float up[2] = {uv[0], 1 - uv[1]}; // USD counts v upwards
    if (i) put(usda, ", ");
    put_tuple(usda, up, 2);
  }
  put(usda, "] (\n        interpolation = \"vertex\"\n    )\n");
}

// Letters, digits and underscores, not starting with a digit.
static void make_identifier(const char *name, char out[MOST_NAME]) {
  int n = 0;
  for (const char *at = name ? name : ""; *at && n < MOST_NAME - 2; at++) {
    char c = *at;
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool is_digit = c >= '0' && c <= '9';
    if (n == 0 && is_digit) out[n++] = '_';
    out[n++] = is_letter || is_digit ? c : '_';
  }
  out[n] = 0;
  if (n == 0) memcpy(out, "face", 5);
}

static void put_header(mi_usda *usda, const mi_usda_def *def) {
  char name[MOST_NAME];
  make_identifier(def->name, name);
  put(usda, "#usda 1.0\n(\n    defaultPrim = \"");
  put(usda, name);
  put(usda, "\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = ");
  put_double(usda, def->frame_rate);
  put(usda, "\n    framesPerSecond = ");
  put_double(usda, def->frame_rate);
  put(usda, "\n    startTimeCode = ");
  put_double(usda, def->start);
  put(usda, "\n    endTimeCode = ");
  usda->end_at = usda->at;
  for (int i = 0; i < END_WIDTH; i++) put(usda, " ");
  put(usda, "\n)\n\ndef Mesh \"");
  put(usda, name);
  put(usda, "\"\n{\n");
  put_topology(usda, def);
  put_uvs(usda, def);
  put(usda, "    point3f[] points.timeSamples = {\n");
}

static mien_result check_def(const mi_usda_def *def, mien_error *err) {
  bool is_timed = def->frame_rate > 0 && def->frame_rate < 1e6 && fabs(def->start) < 1e9;
  if (def->npoint < 1 || def->triangles.count % 3 || !is_timed)
    return mi_fail(err, MIEN_ERR_ARGUMENT,
                   "a USD cache needs points, whole triangles and a frame rate");
  if (def->uvs.data && def->uvs.count != def->npoint)
    return mi_fail(err, MIEN_ERR_MISMATCH, "%d uvs for %d points", def->uvs.count, def->npoint);
  for (int i = 0; i < def->triangles.count; i++)
    if (def->triangles.data[i] < 0 || def->triangles.data[i] >= def->npoint)
      return mi_fail(err, MIEN_ERR_ARGUMENT, "corner %d names point %d of %d", i,
                     def->triangles.data[i], def->npoint);
  return MIEN_OK;
}

mien_result mi_usda_create(const char *path, const mi_usda_def *def, const mien_host *host,
                           mi_usda **out, mien_error *err) {
  mien_result result = check_def(def, err);
  if (result < 0) return result;
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_usda *usda = MI_PUSH(&arena, mi_usda, 1);
  if (!usda) return mi_fail_memory(err);
  *usda = (mi_usda){.arena = arena, .npoint = def->npoint, .start = def->start};
  result = mi_file_create(path, host, &usda->file, err);
  if (result < 0) {
    arena = usda->arena;
    mi_arena_free(&arena);
    return result;
  }
  put_header(usda, def);
  *out = usda;
  return MIEN_OK;
}

static mien_result grow_box(mi_usda *usda, const mien_f32s *points, mien_error *err) {
  size_t stride = points->stride ? (size_t)points->stride : 3;
  for (int i = 0; i < points->count; i++)
    for (int k = 0; k < 3; k++) {
      float value = points->data[(size_t)i * stride + (size_t)k];
      if (!isfinite(value))
        return mi_fail(err, MIEN_ERR_NOT_FINITE, "point %d of frame %d is not finite", i,
                       usda->nframe);
      bool is_first = usda->nframe == 0 && i == 0;
      if (is_first || value < usda->low[k]) usda->low[k] = value;
      if (is_first || value > usda->high[k]) usda->high[k] = value;
    }
  return MIEN_OK;
}

mien_result mi_usda_append(mi_usda *usda, const mien_f32s *points, mien_error *err) {
  if (points->count != usda->npoint)
    return mi_fail(err, MIEN_ERR_MISMATCH, "a frame of %d points for a cache of %d", points->count,
                   usda->npoint);
  mien_result result = grow_box(usda, points, err);
  if (result < 0) return result;
  put(usda, "        ");
  put_double(usda, usda->start + usda->nframe);
  put(usda, ": ");
  put_points(usda, points);
  put(usda, ",\n");
  result = mi_file_check(usda->file, err);
  if (result >= 0) usda->nframe++;
  return result;
}

static void release(mi_usda *usda) {
  mi_arena arena = usda->arena;
  mi_arena_free(&arena);
}

mien_result mi_usda_commit(mi_usda *usda, mien_error *err) {
  put(usda, "    }\n    float3[] extent = [");
  put_tuple(usda, usda->low, 3);
  put(usda, ", ");
  put_tuple(usda, usda->high, 3);
  put(usda, "]\n}\n");
  char last[MI_NUMBER_CHARS];
  int length = mi_format_double(last, usda->start + (usda->nframe ? usda->nframe - 1 : 0));
  mi_file_patch(usda->file, usda->end_at, last, (size_t)length);
  mien_result result = mi_file_commit(usda->file, err);
  release(usda);
  return result;
}

void mi_usda_abandon(mi_usda *usda) {
  if (!usda) return;
  mi_file_abandon(usda->file);
  release(usda);
}
