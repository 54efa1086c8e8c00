// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt.
#include "track/net_kernels.h"

#include "math/wide.h"

#include <stddef.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_net_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_net_body_neon
#else
#define BODY_TABLE mi_net_body_scalar
#endif

static inline mi_wide end_with(mi_wide a, const float *slope, bool relu) {
  mi_wide zero = mi_wset(0), positive = mi_wmax(a, zero);
  if (relu) return positive;
  return slope ? mi_wmadd(mi_wload(slope), mi_wmin(a, zero), positive) : a;
}

// Always, in the scalar body too: tiles are small, and their sizes must be constants.
#define TILE static inline __attribute__((always_inline))

// -- product --------------------------------------------------------------------------------------

// `npixel` pixels (up to 6) by `nwide` vectors (1 or 2): both are constants where this is called,
// so the sums are registers.
TILE void multiply_tile(const mi_net_product *p, const float *panel, int pixel, int column,
                        int npixel, int nwide) {
  mi_wide sum[6][2];
  const float *from = p->from + (size_t)pixel * (size_t)p->from_pitch;
#pragma GCC unroll 6
  for (int i = 0; i < npixel; i++)
#pragma GCC unroll 2
    for (int j = 0; j < nwide; j++) sum[i][j] = mi_wload(p->bias + column + 8 * j);
  for (int k = 0; k < p->depth; k++, panel += 8 * nwide) {
    mi_wide w[2];
#pragma GCC unroll 2
    for (int j = 0; j < nwide; j++) w[j] = mi_wload(panel + 8 * j);
#pragma GCC unroll 6
    for (int i = 0; i < npixel; i++) {
      mi_wide a = mi_wset(from[(size_t)i * (size_t)p->from_pitch + (size_t)k]);
#pragma GCC unroll 2
      for (int j = 0; j < nwide; j++) sum[i][j] = mi_wmadd(a, w[j], sum[i][j]);
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < npixel; i++)
#pragma GCC unroll 2
    for (int j = 0; j < nwide; j++) {
      int c = column + 8 * j;
      if (p->residual && c < p->residual_pitch)
        sum[i][j] = mi_wadd(
            sum[i][j], mi_wload(p->residual + c + (size_t)(pixel + i) * (size_t)p->residual_pitch));
      mi_wstore(p->to + (size_t)(pixel + i) * (size_t)p->to_pitch + (size_t)c,
                end_with(sum[i][j], p->slope ? p->slope + c : NULL, p->relu));
    }
}

TILE void multiply_panel(const mi_net_product *p, const float *panel, int column, int nwide) {
  int pixel = 0;
  for (; pixel + 6 <= p->npixel; pixel += 6) multiply_tile(p, panel, pixel, column, 6, nwide);
  switch (p->npixel - pixel) {
  case 5:
    multiply_tile(p, panel, pixel, column, 5, nwide);
    break;
  case 4:
    multiply_tile(p, panel, pixel, column, 4, nwide);
    break;
  case 3:
    multiply_tile(p, panel, pixel, column, 3, nwide);
    break;
  case 2:
    multiply_tile(p, panel, pixel, column, 2, nwide);
    break;
  case 1:
    multiply_tile(p, panel, pixel, column, 1, nwide);
    break;
  default:
    break;
  }
}

static void multiply(const mi_net_product *p) {
  int column = 0;
  for (; column + 16 <= p->to_pitch; column += 16)
    multiply_panel(p, p->weight + (size_t)column * (size_t)p->depth, column, 2);
  if (column < p->to_pitch)
    multiply_panel(p, p->weight + (size_t)column * (size_t)p->depth, column, 1);
}

// -- windows --------------------------------------------------------------------------------------

// The part of a window that lies inside the picture.
typedef struct span {
  int begin, end;
} span;
static inline span inside(int at, int size, int length) {
  span s = {at < 0 ? -at : 0, at + size > length ? length - at : size};
  return s;
}

// One pixel of a depthwise convolution, all its channels.
static void depthwise_pixel(const mi_net_picture *from, const mi_net_window *w, const float *weight,
                            const float *bias, int row, int x, float *to) {
  int pitch = from->pitch, y0 = row * w->step_y - w->pad_y, x0 = x * w->step_x - w->pad_x;
  span ys = inside(y0, w->size_y, from->height), xs = inside(x0, w->size_x, from->width);
  for (int c = 0; c < pitch; c += 8) {
    mi_wide sum = mi_wload(bias + c);
    for (int ky = ys.begin; ky < ys.end; ky++)
      for (int kx = xs.begin; kx < xs.end; kx++) {
        size_t pixel = (size_t)(y0 + ky) * (size_t)from->width + (size_t)(x0 + kx);
        sum = mi_wmadd(mi_wload(from->pixel + pixel * (size_t)pitch + (size_t)c),
                       mi_wload(weight + (ky * w->size_x + kx) * pitch + c), sum);
      }
    mi_wstore(to + (size_t)x * (size_t)pitch + (size_t)c, sum);
  }
}

// Pixels [begin, end) of a row whose 3x3 windows lie inside, eight channels: the weights stay in
// registers.
static void depthwise_inner(const mi_net_picture *from, const mi_net_window *w, const float *weight,
                            const float *bias, int row, int begin, int end, int c, float *to) {
  size_t pitch = (size_t)from->pitch, line = (size_t)from->width * pitch;
  mi_wide tap[9], start = mi_wload(bias + c);
#pragma GCC unroll 9
  for (int k = 0; k < 9; k++) tap[k] = mi_wload(weight + (size_t)k * pitch + (size_t)c);
  const float *first = from->pixel + (size_t)(row * w->step_y - w->pad_y) * line + (size_t)c;
  for (int x = begin; x < end; x++) {
    const float *at = first + (size_t)(x * w->step_x - w->pad_x) * pitch;
    mi_wide sum[3] = {start, mi_wset(0), mi_wset(0)}; // three chains hide the latency
#pragma GCC unroll 3
    for (int ky = 0; ky < 3; ky++)
#pragma GCC unroll 3
      for (int kx = 0; kx < 3; kx++)
        sum[ky] = mi_wmadd(mi_wload(at + (size_t)ky * line + (size_t)kx * pitch), tap[3 * ky + kx],
                           sum[ky]);
    mi_wstore(to + (size_t)x * pitch + (size_t)c, mi_wadd(mi_wadd(sum[0], sum[1]), sum[2]));
  }
}

static void depthwise_row(const mi_net_picture *from, const mi_net_window *w, const float *weight,
                          const float *bias, int row, int width, float *to) {
  int y0 = row * w->step_y - w->pad_y;
  int begin = (w->pad_x + w->step_x - 1) / w->step_x;
  int end = from->width + w->pad_x >= w->size_x
                ? (from->width + w->pad_x - w->size_x) / w->step_x + 1
                : 0;
  bool is_fast = w->size_x == 3 && w->size_y == 3 && y0 >= 0 && y0 + 3 <= from->height;
  if (end > width) end = width;
  if (!is_fast || end < begin) begin = end = width;
  for (int c = 0; c < from->pitch && begin < end; c += 8)
    depthwise_inner(from, w, weight, bias, row, begin, end, c, to);
  for (int x = 0; x < begin; x++) depthwise_pixel(from, w, weight, bias, row, x, to);
  for (int x = end; x < width; x++) depthwise_pixel(from, w, weight, bias, row, x, to);
}

static void pool_row(const mi_net_picture *from, const mi_net_window *w, int row, int width,
                     float *to) {
  int pitch = from->pitch, y0 = row * w->step_y - w->pad_y;
  span ys = inside(y0, w->size_y, from->height);
  for (int x = 0; x < width; x++) {
    int x0 = x * w->step_x - w->pad_x;
    span xs = inside(x0, w->size_x, from->width);
    for (int c = 0; c < pitch; c += 8) {
      mi_wide most = mi_wset(-INFINITY);
      for (int ky = ys.begin; ky < ys.end; ky++)
        for (int kx = xs.begin; kx < xs.end; kx++) {
          size_t pixel = (size_t)(y0 + ky) * (size_t)from->width + (size_t)(x0 + kx);
          most = mi_wmax(most, mi_wload(from->pixel + pixel * (size_t)pitch + (size_t)c));
        }
      mi_wstore(to + (size_t)x * (size_t)pitch + (size_t)c, most);
    }
  }
}

static void finish(const float *a, const float *b, const float *slope, bool relu, int npixel,
                   int pitch, float *to) {
  for (int p = 0; p < npixel; p++)
    for (int c = 0; c < pitch; c += 8) {
      size_t at = (size_t)p * (size_t)pitch + (size_t)c;
      mi_wide sum = mi_wload(a + at);
      if (b) sum = mi_wadd(sum, mi_wload(b + at));
      mi_wstore(to + at, end_with(sum, slope ? slope + c : NULL, relu));
    }
}

const mi_net_kernels BODY_TABLE = {multiply, depthwise_row, finish, pool_row};
