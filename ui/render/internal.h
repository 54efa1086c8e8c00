// Shared by the files of this folder only.
#ifndef RENDER_INTERNAL_H
#define RENDER_INTERNAL_H

#include "render.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define RD_PI 3.14159265358979323846f

// -- Errors ---------------------------------------------------------------------------------------

#if defined(__FILE_NAME__) // without the folder it was built in
#define RD_FILE __FILE_NAME__
#else
#define RD_FILE __FILE__
#endif
#define rd_fail(err, code, ...) rd_fail_at(err, code, RD_FILE, __LINE__, __VA_ARGS__)
mien_result rd_fail_at(mien_error *err, mien_result code, const char *file, int line,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
mien_result rd_fail_memory_at(mien_error *err, const char *file, int line);
#define rd_fail_memory(err) rd_fail_memory_at(err, RD_FILE, __LINE__)

// count x size zeroed bytes; NULL when there is no memory or the product overflows. 0 is fine.
void *rd_alloc(size_t count, size_t size);
#define RD_NEW(type, count) ((type *)rd_alloc((size_t)(count), sizeof(type)))

// -- Vectors --------------------------------------------------------------------------------------

typedef struct rd_vec {
  float x, y, z;
} rd_vec;

static inline rd_vec rd_at(const float *p) {
  return (rd_vec){p[0], p[1], p[2]};
}
static inline rd_vec rd_add(rd_vec a, rd_vec b) {
  return (rd_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline rd_vec rd_sub(rd_vec a, rd_vec b) {
  return (rd_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline rd_vec rd_scale(rd_vec a, float s) {
  return (rd_vec){a.x * s, a.y * s, a.z * s};
}
static inline float rd_dot(rd_vec a, rd_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline rd_vec rd_cross(rd_vec a, rd_vec b) {
  return (rd_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float rd_length(rd_vec a) {
  return sqrtf(rd_dot(a, a));
}
static inline rd_vec rd_unit(rd_vec a) {
  float length = rd_length(a);
  return length > 0.0f ? rd_scale(a, 1.0f / length) : (rd_vec){0.0f, 0.0f, 1.0f};
}
// Plain comparisons: fminf must treat NaN and is a call.
static inline float rd_min(float a, float b) {
  return a < b ? a : b;
}
static inline float rd_max(float a, float b) {
  return a > b ? a : b;
}
static inline float rd_clamp(float v, float low, float high) {
  return v < low ? low : v > high ? high : v;
}

// Element i of a view of `width` floats each.
static inline const float *rd_element(mien_f32s view, int width, int i) {
  return view.data + (ptrdiff_t)i * (view.stride ? view.stride : width);
}

// -- Colours --------------------------------------------------------------------------------------

// Tables for whole images: 256 sRGB bytes to light, and 4096 steps of light back to bytes.
typedef struct rd_gamma {
  float light[256];
  unsigned char byte[4097];
} rd_gamma;
void rd_gamma_init(rd_gamma *gamma);
static inline unsigned char rd_gamma_byte(const rd_gamma *gamma, float light) {
  return gamma->byte[(int)(rd_clamp(light, 0.0f, 1.0f) * 4096.0f + 0.5f)];
}

// -- Numbers on axes ------------------------------------------------------------------------------

#define RD_MAX_TICKS 16
typedef struct rd_ticks {
  int count;
  double at[RD_MAX_TICKS];
  char text[RD_MAX_TICKS][24];
} rd_ticks;
// About `wanted` round numbers between min and max; on a log axis, powers of ten first.
rd_ticks rd_ticks_between(double min, double max, bool log_axis, int wanted);

// Line pieces (x0 y0 x1 y1 each) as one stroke: where they overlap nothing gets darker.
void rd_draw_pieces(render_image *to, const float *pieces, int ncomponent, render_pen pen);

// -- Font -----------------------------------------------------------------------------------------

// A glyph as line pieces on a grid where a capital letter is RD_CAP units tall, its baseline at 0.
#define RD_CAP 12.0f
#define RD_MAX_PIECES 96
typedef struct rd_glyph {
  float advance;
  int ncomponent;
  float piece[RD_MAX_PIECES][4]; // x0 y0 x1 y1
} rd_glyph;
void rd_glyph_read(int character, rd_glyph *glyph);

#endif
