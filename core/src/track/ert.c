#include "track/ert.h"

#include "track/ert_model.h"

#include <string.h>

static inline int clamp(int at, int most) {
  return at < 0 ? 0 : at > most ? most : at;
}

static inline float grey_at(const mien_image *image, int stride, int x, int y) {
  const uint8_t *p = image->pixels + (size_t)y * (size_t)stride + (size_t)(x * image->nchannel);
  return image->nchannel == 1 ? (float)p[0] : (float)(p[0] + p[1] + p[2]) * (1.0f / 3);
}

// The grey value at (x, y), pixel centres at .5; zero outside, as the trees were trained.
static float sample(const mien_image *image, int stride, float x, float y) {
  if (!(x >= 0 && y >= 0 && x <= (float)image->width && y <= (float)image->height)) return 0;
  int ix = (int)(x + 0.5f) - 1, iy = (int)(y + 0.5f) - 1; // x + 0.5 >= 0: rounds down
  float a = x - 0.5f - (float)ix, b = y - 0.5f - (float)iy;
  int x0 = clamp(ix, image->width - 1), x1 = clamp(ix + 1, image->width - 1);
  int y0 = clamp(iy, image->height - 1), y1 = clamp(iy + 1, image->height - 1);
  return (1 - b) * ((1 - a) * grey_at(image, stride, x0, y0) + a * grey_at(image, stride, x1, y0)) +
         b * ((1 - a) * grey_at(image, stride, x0, y1) + a * grey_at(image, stride, x1, y1));
}

// Turn and scale (c, s) of the best similarity from one shape to another: x' = c x - s y.
static void find_turn(const float *from, const float *to, float *c, float *s) {
  double mean[4] = {0}, dot = 0, cross = 0, size = 0;
  for (int i = 0; i < MI_ERT_VALUES; i++) {
    mean[i & 1] += (double)from[i] / MIEN_POINTS_ERT;
    mean[2 + (i & 1)] += (double)to[i] / MIEN_POINTS_ERT;
  }
  for (int i = 0; i < MI_ERT_VALUES; i += 2) {
    double x = (double)from[i] - mean[0], y = (double)from[i + 1] - mean[1];
    double u = (double)to[i] - mean[2], v = (double)to[i + 1] - mean[3];
    dot += x * u + y * v;
    cross += x * v - y * u;
    size += x * x + y * y;
  }
  *c = size > 0 ? (float)(dot / size) : 1;
  *s = size > 0 ? (float)(cross / size) : 0;
}

static void look(const mi_ert *ert, int cascade, const mien_image *image, const mien_box *box,
                 const float *shape, float *pixel) {
  int stride = image->stride ? image->stride : image->width * image->nchannel;
  const uint8_t *anchor = ert->anchor + (size_t)cascade * (size_t)ert->npixel;
  const float *delta = ert->delta + 2 * (size_t)cascade * (size_t)ert->npixel;
  float c, s;
  find_turn(ert->mean, shape, &c, &s);
  for (int i = 0; i < ert->npixel; i++) {
    float u = shape[2 * anchor[i]] + c * delta[2 * i] - s * delta[2 * i + 1];
    float v = shape[2 * anchor[i] + 1] + s * delta[2 * i] + c * delta[2 * i + 1];
    pixel[i] = sample(image, stride, box->x + box->width * u, box->y + box->height * v);
  }
}

void mi_ert_evaluate(const mi_ert *ert, const mien_image *image, const mien_box *box, float *xy) {
  float pixel[MI_ERT_MOST_PIXEL], shape[MI_ERT_VALUES];
  memcpy(shape, ert->mean, sizeof shape);
  const mi_ert_split *split = ert->split;
  const float *leaves = ert->leaf;
  for (int c = 0; c < ert->ncascade; c++) {
    look(ert, c, image, box, shape, pixel);
    for (int t = 0; t < ert->ntree; t++) {
      int node = 0;
      while (node < ert->nsplit) {
        const mi_ert_split *at = &split[node];
        node = 2 * node + (pixel[at->a] - pixel[at->b] > at->threshold ? 1 : 2);
      }
      const float *leaf = leaves + (size_t)(node - ert->nsplit) * MI_ERT_VALUES;
      for (int i = 0; i < MI_ERT_VALUES; i++) shape[i] += leaf[i];
      split += ert->nsplit;
      leaves += (size_t)(ert->nsplit + 1) * MI_ERT_VALUES;
    }
  }
  for (int i = 0; i < MI_ERT_VALUES; i += 2) {
    xy[i] = box->x + box->width * shape[i];
    xy[i + 1] = box->y + box->height * shape[i + 1];
  }
}
