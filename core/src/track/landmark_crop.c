#include "track/landmark_crop.h"

#include <math.h>

mi_crop mi_crop_square(float x, float y, float side, float turn, int size) {
  float step = side / (float)size, half = (float)size / 2, c = cosf(turn), s = sinf(turn);
  mi_crop crop = {.a = c * step, .b = -s * step, .d = s * step, .e = c * step};
  crop.c = x - (crop.a + crop.b) * half;
  crop.f = y - (crop.d + crop.e) * half;
  crop.width = crop.height = size;
  crop.scale = 1.0f / 255;
  crop.most_samples = 2;
  return crop;
}

static inline int clamp(int at, int most) {
  return at < 0 ? 0 : at > most ? most : at;
}

typedef struct source {
  const uint8_t *pixels;
  size_t stride;
  int right, bottom; // the last column and row
  float far_x, far_y;
} source;

// Adds the colour at (x, y), where pixel centres lie at .5. Outside there is only the edge, and
// `far` keeps whole numbers small. `nchannel` is a constant where this is called.
static inline __attribute__((always_inline)) void add_sample(const source *from, int nchannel,
                                                             float x, float y, float sum[3]) {
  x = (x < -7 ? -7 : x > from->far_x ? from->far_x : x) + 7.5f; // now (int) rounds down
  y = (y < -7 ? -7 : y > from->far_y ? from->far_y : y) + 7.5f;
  int ix = (int)x, iy = (int)y;
  float a = x - (float)ix, b = y - (float)iy;
  int x0 = clamp(ix - 8, from->right) * nchannel, x1 = clamp(ix - 7, from->right) * nchannel;
  const uint8_t *top = from->pixels + (size_t)clamp(iy - 8, from->bottom) * from->stride;
  const uint8_t *low = from->pixels + (size_t)clamp(iy - 7, from->bottom) * from->stride;
  float w00 = (1 - a) * (1 - b), w01 = a * (1 - b), w10 = (1 - a) * b, w11 = a * b;
  for (int c = 0; c < (nchannel < 3 ? 1 : 3); c++)
    sum[c] += w00 * (float)top[x0 + c] + w01 * (float)top[x1 + c] + w10 * (float)low[x0 + c] +
              w11 * (float)low[x1 + c];
}

static inline __attribute__((always_inline)) void
sample_all(const mi_crop *crop, const source *from, int nchannel, float *rgb) {
  int n = (int)sqrtf(fabsf(crop->a * crop->e - crop->b * crop->d));
  n = n < 1 ? 1 : n > crop->most_samples ? crop->most_samples : n;
  float part = 1 / (float)n, weight = crop->scale * part * part;
  float width = (float)from->right + 1, height = (float)from->bottom + 1;
  for (int v = 0; v < crop->height; v++)
    for (int u = 0; u < crop->width; u++, rgb += 3) {
      float sum[3] = {0, 0, 0};
      for (int k = 0; k < n * n; k++) {
        float fu = (float)u + ((float)(k % n) + 0.5f) * part;
        float fv = (float)v + ((float)(k / n) + 0.5f) * part;
        float x = crop->a * fu + crop->b * fv + crop->c;
        float y = crop->d * fu + crop->e * fv + crop->f;
        bool is_outside = x < 0 || y < 0 || x > width || y > height;
        if (!(crop->is_black_around && is_outside)) add_sample(from, nchannel, x, y, sum);
      }
      for (int c = 0; c < 3; c++) rgb[c] = sum[nchannel < 3 ? 0 : c] * weight + crop->offset;
    }
}

void mi_crop_sample(const mi_crop *crop, const mien_image *image, float *rgb) {
  size_t stride = (size_t)(image->stride ? image->stride : image->width * image->nchannel);
  const source from = {image->pixels,           stride,
                       image->width - 1,        image->height - 1,
                       (float)image->width + 8, (float)image->height + 8};
  switch (image->nchannel) {
  case 1:
    sample_all(crop, &from, 1, rgb);
    break;
  case 3:
    sample_all(crop, &from, 3, rgb);
    break;
  default:
    sample_all(crop, &from, 4, rgb);
    break;
  }
}
