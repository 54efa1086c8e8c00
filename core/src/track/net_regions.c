// Attention: the network refines the lips and the eyes. A rectangle about some of the points
// it has found, turned with the face, is sampled from an early picture; the points found there are
// brought back. (MediaPipe's custom operations Landmarks2TransformMatrix, TransformTensorBilinear
// and TransformLandmarks, version 2.)
#include "track/net_graph.h"

#include <math.h>
#include <string.h>

// matrix: from pixels of the rectangle (width x height) to the points' own plane.
void mi_net_find_region(const mi_net_region *region, const float *points, float matrix[16]) {
  const float *left = points + 3 * (size_t)region->left,
              *right = points + 3 * (size_t)region->right;
  float turn = region->angle - atan2f(right[1] - left[1], right[0] - left[0]);
  float c = cosf(turn), s = sinf(turn);
  float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < region->npoint; i++) {
    const float *p = points + 3 * (size_t)region->point[i];
    float turned[2] = {c * p[0] - s * p[1], s * p[0] + c * p[1]};
    for (int k = 0; k < 2; k++) {
      low[k] = fminf(low[k], turned[k]);
      high[k] = fmaxf(high[k], turned[k]);
    }
  }
  float mid[2] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
  float scale_x = region->scale_x * (high[0] - low[0]) / (float)region->width;
  float scale_y = region->scale_y * (high[1] - low[1]) / (float)region->height;
  float half_x = (float)region->width / 2, half_y = (float)region->height / 2;
  memset(matrix, 0, 16 * sizeof *matrix);
  matrix[0] = c * scale_x;
  matrix[1] = s * scale_y;
  matrix[3] = c * mid[0] + s * mid[1] - matrix[0] * half_x - matrix[1] * half_y;
  matrix[4] = -s * scale_x;
  matrix[5] = c * scale_y;
  matrix[7] = -s * mid[0] + c * mid[1] - matrix[4] * half_x - matrix[5] * half_y;
  matrix[10] = matrix[15] = 1;
}

// Pixel centres lie at .5; pixels outside are zero.
void mi_net_crop(const mi_net_tensor *from, const float matrix[16], const mi_net_tensor *to) {
  int height = from->dim[1], width = from->dim[2], pitch = from->pitch;
  float *out = to->value;
  memset(out, 0, (size_t)to->nvalue * sizeof *out);
  for (int v = 0; v < to->dim[1]; v++)
    for (int u = 0; u < to->dim[2]; u++, out += pitch) {
      float fu = (float)u + 0.5f, fv = (float)v + 0.5f;
      float x = matrix[0] * fu + matrix[1] * fv + matrix[3] - 0.5f;
      float y = matrix[4] * fu + matrix[5] * fv + matrix[7] - 0.5f;
      if (!(x >= 0 && y >= 0 && x <= (float)(width - 1) && y <= (float)(height - 1))) continue;
      int x0 = (int)x, y0 = (int)y;
      int x1 = x0 + 1 < width ? x0 + 1 : x0, y1 = y0 + 1 < height ? y0 + 1 : y0;
      float a = x - (float)x0, b = y - (float)y0;
      const float *p00 = from->value + (size_t)(y0 * width + x0) * (size_t)pitch;
      const float *p01 = from->value + (size_t)(y0 * width + x1) * (size_t)pitch;
      const float *p10 = from->value + (size_t)(y1 * width + x0) * (size_t)pitch;
      const float *p11 = from->value + (size_t)(y1 * width + x1) * (size_t)pitch;
      for (int c = 0; c < pitch; c++)
        out[c] = (1 - b) * ((1 - a) * p00[c] + a * p01[c]) + b * ((1 - a) * p10[c] + a * p11[c]);
    }
}

void mi_net_place(const float *points, int npoint, const float matrix[16], float *out) {
  for (int i = 0; i < npoint; i++) {
    float x = points[2 * i], y = points[2 * i + 1];
    out[2 * i] = matrix[0] * x + matrix[1] * y + matrix[3];
    out[2 * i + 1] = matrix[4] * x + matrix[5] * y + matrix[7];
  }
}
