// The hot loops of a network, one table per SIMD body (see math/wide.h).
#ifndef MI_NET_KERNELS_H
#define MI_NET_KERNELS_H

#include <stdbool.h>

// A window that moves over a picture.
typedef struct mi_net_window {
  int size_x, size_y, step_x, step_y;
  int pad_x, pad_y; // how far the first window begins outside the picture
  bool is_same;     // windows cover the picture; otherwise they stay inside it
} mi_net_window;

typedef struct mi_net_picture {
  float *pixel;
  int height, width, nchannel;
  int pitch; // floats from one pixel to the next
} mi_net_picture;

// to[p] = act(from[p] W + bias + residual[p]) for `npixel` rows of `depth` floats. W is cut into
// panels of 16 columns, the last one of 8 where that is enough, each row after row.
typedef struct mi_net_product {
  const float *from, *weight, *bias;
  const float *residual; // NULL = none; it may have fewer columns than the result
  const float *slope;    // of PReLU, NULL = none
  float *to;
  int npixel, depth, from_pitch, to_pitch, residual_pitch; // to_pitch is a multiple of 8
  bool relu;
} mi_net_product;

typedef struct mi_net_kernels {
  void (*multiply)(const mi_net_product *product);
  // One row of a depthwise convolution; weight and bias have the pitch of `from` per tap.
  void (*depthwise_row)(const mi_net_picture *from, const mi_net_window *window,
                        const float *weight, const float *bias, int row, int width, float *to);
  // a[i] = act(a[i] + b[i]) of `npixel` rows of `pitch` floats, slope per column; b, slope: or NULL
  void (*finish)(const float *a, const float *b, const float *slope, bool relu, int npixel,
                 int pitch, float *to);
  void (*pool_row)(const mi_net_picture *from, const mi_net_window *window, int row, int width,
                   float *to);
} mi_net_kernels;

const mi_net_kernels *mi_net_kernels_best(void);

extern const mi_net_kernels mi_net_body_scalar, mi_net_body_avx2, mi_net_body_neon;

#endif
