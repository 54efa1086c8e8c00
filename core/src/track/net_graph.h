// The network: net_read.c makes it of a file, net_fuse.c simplifies it, net_plan.c lays it out and
// net_run.c runs it.
#ifndef MI_NET_GRAPH_H
#define MI_NET_GRAPH_H

#include "track/net.h"
#include "track/net_kernels.h"

typedef enum mi_net_kind {
  MI_NET_CONV,      // in: picture, weights (n, ky, kx, c), bias
  MI_NET_DEPTHWISE, // in: picture, weights (1, ky, kx, c), bias
  MI_NET_PRELU,     // in: picture, slopes
  MI_NET_RELU,
  MI_NET_ADD,     // in: two pictures
  MI_NET_POOL,    // the largest of each window
  MI_NET_PAD,     // more channels, of zeros
  MI_NET_COPY,    // the same numbers in another shape
  MI_NET_SCALE,   // in: numbers, constant factors (one, or as many)
  MI_NET_CONCAT,  // in: numbers, one after the other
  MI_NET_REGION,  // from points to the matrix of a rectangle about some of them
  MI_NET_CROP,    // in: picture, matrix; a picture sampled in the rectangle
  MI_NET_PLACE,   // in: points, matrix; from the rectangle back
  MI_NET_CONSTANT // 16-bit constants, decoded when the file was read
} mi_net_kind;

enum { MI_NET_MOST_IN = 4, MI_NET_MOST_OUT = 8, MI_NET_MOST_TENSOR = 4096, MI_NET_MOST_OP = 4096 };

// A picture is (1, height, width, channels) and its rows of channels are padded with zeros to a
// multiple of eight, so that every kernel works on whole vectors; the network's input is not.
// Everything else is packed.
typedef struct mi_net_tensor {
  int rank, dim[4];
  int count;             // product of dim
  int pitch;             // floats from one pixel to the next
  int nvalue;            // floats in memory
  const float *constant; // packed; valid while the network is being made
  int32_t integer[8];    // of small integer constants
  int ninteger;
  int maker;      // operation that computes it; -1 = constant, -2 = the input, -3 = none yet
  int nuse;       // operations that read it; being an output counts
  int first, end; // operations during which it lives
  size_t offset;  // floats from the start of the work memory
  float *value;
} mi_net_tensor;

typedef struct mi_net_region {
  int32_t *point; // whose rectangle it is
  int npoint;
  int left, right; // the line between them is turned to `angle`
  float angle, scale_x, scale_y;
  int width, height; // the rectangle becomes so many pixels
} mi_net_region;

typedef struct mi_net_op {
  mi_net_kind kind;
  int in[MI_NET_MOST_IN], nin, out;
  mi_net_window window; // CONV, DEPTHWISE, POOL
  mi_net_region region;
  bool relu;
  // CONV only, set by net_fuse.c: operations fused into it
  int depthwise; // operation done before it, row by row; -1 = none
  int residual;  // tensor added to its result; -1 = none
  int slope;     // tensor of the PReLU that ends it; -1 = none
  bool is_fused; // done by another operation
  // by net_plan.c
  const float *weight, *bias, *slopes; // packed for the kernels
} mi_net_op;

struct mi_net {
  mi_arena arena;
  mi_net_tensor *tensor;
  mi_net_op *op;
  int ntensor, nop;
  int input, output[MI_NET_MOST_OUT], noutput;
  float *work;    // all pictures, in turn
  float *scratch; // rows of one operation
  size_t nwork, nscratch;
  double macs;
  const mi_net_kernels *kernels;
};

static inline int mi_net_round_up(int count) {
  return (count + 7) & ~7;
}

// net_shape.c: whether an operation's inputs fit together and give the shape the file says.
mien_result mi_net_check_op(mi_net *net, mi_net_op *op, mien_error *err);
// net_fuse.c
void mi_net_fuse(mi_net *net);
// net_plan.c: weights as the kernels want them, and a place for every picture.
mien_result mi_net_plan(mi_net *net, mien_error *err);
// Rows of a convolution per pass.
int mi_net_rows_at_once(const mi_net *net, const mi_net_op *op);
// net_regions.c
void mi_net_find_region(const mi_net_region *region, const float *points, float matrix[16]);
void mi_net_crop(const mi_net_tensor *from, const float matrix[16], const mi_net_tensor *to);
void mi_net_place(const float *points, int npoint, const float matrix[16], float *out);

#endif
