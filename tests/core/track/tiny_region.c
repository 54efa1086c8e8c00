#include "tiny_net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- FlexBuffers: a map in which everything is four bytes wide ------------------------------------

typedef struct flex {
  unsigned char *bytes;
  int size;
} flex;

static int put(flex *f, uint32_t value) {
  for (int i = 0; i < 4; i++) f->bytes[f->size + i] = (unsigned char)(value >> 8 * i);
  f->size += 4;
  return f->size - 4;
}

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}

enum { INT = 1 << 2 | 2, FLOAT = 3 << 2 | 2, INTS = 11 << 2 | 2, MAP = 9 << 2 | 2, NKEY = 8 };

static flex write_map(const tiny_about *a) {
  static const char *const key[NKEY] = {
      "left_rotation_idx", "output_height", "output_width", "right_rotation_idx",
      "scale_x",           "scale_y",       "subset_idxs",  "target_rotation_radians"};
  static const unsigned char type[NKEY] = {INT, INT, INT, INT, FLOAT, FLOAT, INTS, FLOAT};
  flex f = {calloc(1, 1024), 0};
  int name[NKEY];
  for (int k = 0; k < NKEY; k++) {
    name[k] = f.size;
    strcpy((char *)f.bytes + f.size, key[k]);
    f.size += (int)strlen(key[k]) + 1;
  }
  f.size = (f.size + 3) & ~3;
  put(&f, (uint32_t)a->npoint);
  int points = f.size;
  for (int i = 0; i < a->npoint; i++) put(&f, (uint32_t)a->point[i]);
  put(&f, NKEY);
  int keys = f.size;
  for (int k = 0; k < NKEY; k++) put(&f, (uint32_t)(f.size - name[k]));
  put(&f, (uint32_t)(f.size - keys));
  put(&f, 4);
  put(&f, NKEY);
  int map = f.size;
  const uint32_t value[NKEY] = {(uint32_t)a->left,
                                (uint32_t)a->height,
                                (uint32_t)a->width,
                                (uint32_t)a->right,
                                bits_of(a->scale_x),
                                bits_of(a->scale_y),
                                (uint32_t)(map + 24 - points),
                                bits_of(a->angle)};
  for (int k = 0; k < NKEY; k++) put(&f, value[k]);
  memcpy(f.bytes + f.size, type, sizeof type);
  f.size += NKEY;
  f.bytes[f.size] = (unsigned char)(f.size - map);
  f.bytes[f.size + 1] = MAP;
  f.bytes[f.size + 2] = 1;
  f.size += 3;
  return f;
}

// -- Operations -----------------------------------------------------------------------------------

static const tiny_about *about_of(const tiny_op *op) {
  return (const tiny_about *)(const void *)(op->extra + 1024);
}

// Column by column: what the rectangle's pixels (1, 0), (0, 1) and (0, 0) become.
static float region_at(const tiny_net *net, const tiny_op *op, int i) {
  const tiny_about *a = about_of(op);
  const float *p = net->tensor[op->in[0]].value;
  double turn = (double)a->angle - atan2((double)(p[3 * a->right + 1] - p[3 * a->left + 1]),
                                         (double)(p[3 * a->right] - p[3 * a->left]));
  double low[2] = {1e30, 1e30}, high[2] = {-1e30, -1e30};
  for (int k = 0; k < a->npoint; k++) {
    double x = (double)p[3 * a->point[k]], y = (double)p[3 * a->point[k] + 1];
    const double q[2] = {cos(turn) * x - sin(turn) * y, sin(turn) * x + cos(turn) * y};
    for (int c = 0; c < 2; c++) {
      low[c] = fmin(low[c], q[c]);
      high[c] = fmax(high[c], q[c]);
    }
  }
  if (i == 10 || i == 15) return 1;
  if (i > 7 || i % 4 == 2) return 0;
  double size_x = (double)a->scale_x * (high[0] - low[0]),
         size_y = (double)a->scale_y * (high[1] - low[1]);
  const double corner[3][2] = {{1, 0}, {0, 1}, {0, 0}};
  double at[3];
  for (int k = 0; k < 3; k++) {
    double u = (low[0] + high[0]) / 2 + (corner[k][0] / a->width - 0.5) * size_x;
    double v = (low[1] + high[1]) / 2 + (corner[k][1] / a->height - 0.5) * size_y;
    at[k] = i < 4 ? cos(turn) * u + sin(turn) * v : -sin(turn) * u + cos(turn) * v;
  }
  return (float)(i % 4 == 3 ? at[2] : at[i % 4] - at[2]);
}

static float crop_at(const tiny_net *net, const tiny_op *op, int i) {
  const tiny_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  const float *m = net->tensor[op->in[1]].value;
  int n = to->dim[3], c = i % n, u = i / n % to->dim[2], v = i / n / to->dim[2];
  double x = (double)m[0] * (u + 0.5) + (double)m[1] * (v + 0.5) + (double)m[3] - 0.5;
  double y = (double)m[4] * (u + 0.5) + (double)m[5] * (v + 0.5) + (double)m[7] - 0.5;
  if (x < 0 || y < 0 || x > from->dim[2] - 1 || y > from->dim[1] - 1) return 0;
  double sum = 0;
  for (int py = 0; py < from->dim[1]; py++)
    for (int px = 0; px < from->dim[2]; px++) {
      double w = fmax(0, 1 - fabs(x - px)) * fmax(0, 1 - fabs(y - py));
      sum += w * (double)from->value[(py * from->dim[2] + px) * n + c];
    }
  return (float)sum;
}

static float place_at(const tiny_net *net, const tiny_op *op, int i) {
  const float *p = net->tensor[op->in[0]].value + i / 2 * 2, *m = net->tensor[op->in[1]].value;
  m += i % 2 * 4;
  return m[0] * p[0] + m[1] * p[1] + m[3];
}

int tiny_region(tiny_net *net, int points, const tiny_about *about) {
  const int dim[3] = {1, 4, 4};
  int out = tiny_numbers(net, 3, dim);
  flex f = write_map(about);
  // what the naive evaluation needs lies behind what the file needs
  f.bytes = realloc(f.bytes, 1024 + sizeof *about);
  memcpy(f.bytes + 1024, about, sizeof *about);
  net->op[net->nop++] = (tiny_op){.code = TINY_CUSTOM,
                                  .in = {points},
                                  .nin = 1,
                                  .out = out,
                                  .custom = "Landmarks2TransformMatrix",
                                  .extra = f.bytes,
                                  .nextra = f.size,
                                  .value_at = region_at};
  return out;
}

int tiny_crop(tiny_net *net, int picture, int matrix, int height, int width) {
  int out = tiny_picture(net, height, width, net->tensor[picture].dim[3]);
  net->op[net->nop++] = (tiny_op){.code = TINY_CUSTOM,
                                  .in = {picture, matrix},
                                  .nin = 2,
                                  .out = out,
                                  .custom = "TransformTensorBilinear",
                                  .value_at = crop_at};
  return out;
}

int tiny_place(tiny_net *net, int points, int matrix) {
  int out = tiny_numbers(net, 3, net->tensor[points].dim);
  net->op[net->nop++] = (tiny_op){.code = TINY_CUSTOM,
                                  .in = {points, matrix},
                                  .nin = 2,
                                  .out = out,
                                  .custom = "TransformLandmarks",
                                  .value_at = place_at};
  return out;
}
