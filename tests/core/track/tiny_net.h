// Small networks made by the tests themselves: their .tflite bytes, and a naive evaluation to
// compare with. The two share nothing with the reader but the format.
#ifndef TINY_NET_H
#define TINY_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TINY_MOST_TENSOR = 48, TINY_MOST_OP = 24, TINY_MOST_OPTION = 8 };

// Numbers of operations and types in the file format.
enum {
  TINY_ADD = 0,
  TINY_CONCAT = 2,
  TINY_CONV = 3,
  TINY_DEPTHWISE = 4,
  TINY_DEQUANTIZE = 6,
  TINY_POOL = 17,
  TINY_MUL = 18,
  TINY_RELU = 19,
  TINY_RESHAPE = 22,
  TINY_CUSTOM = 32,
  TINY_PAD = 34,
  TINY_PRELU = 54
};
enum { TINY_FLOAT32 = 0, TINY_FLOAT16 = 1, TINY_INT32 = 2 };

typedef struct tiny_tensor {
  int rank, dim[4], type, count;
  bool is_constant;
  float *value; // numbers, integers too
} tiny_tensor;

typedef struct tiny_net tiny_net;
typedef struct tiny_op tiny_op;
struct tiny_op {
  int code, in[4], nin, out;
  int option[TINY_MOST_OPTION], noption; // as the fields of the file's options
  const char *custom;                    // TINY_CUSTOM: its name
  unsigned char *extra;                  // and what it is told
  int nextra;
  float (*value_at)(const tiny_net *net, const tiny_op *op, int i); // and how to compute it
};

struct tiny_net {
  tiny_tensor tensor[TINY_MOST_TENSOR];
  tiny_op op[TINY_MOST_OP];
  int ntensor, nop, input, output[4], noutput;
  uint64_t seed;
  uint32_t drawn;
};

int tiny_picture(tiny_net *net, int height, int width, int nchannel); // to be computed
int tiny_numbers(tiny_net *net, int rank, const int *dim);            // to be computed
int tiny_random(tiny_net *net, int rank, const int *dim, int type);   // constants in [-1, 1]
int tiny_integers(tiny_net *net, int rank, const int *dim, const int *value);
// Each adds the operation and its weights and gives the tensor it computes. padding: 0 = SAME.
int tiny_conv(tiny_net *net, int from, int nout, int size, int step, int padding);
int tiny_depthwise(tiny_net *net, int from, int size, int step, int padding);
int tiny_pool(tiny_net *net, int from);
int tiny_prelu(tiny_net *net, int from);
int tiny_relu(tiny_net *net, int from);
int tiny_add(tiny_net *net, int a, int b);
int tiny_pad(tiny_net *net, int from, int more);
int tiny_reshape(tiny_net *net, int from, int rank, const int *dim);

// tiny_region.c: attention. The rectangle about some points, a picture sampled in it, points
// brought back from it.
typedef struct tiny_about {
  int point[8], npoint, left, right, width, height;
  float angle, scale_x, scale_y;
} tiny_about;
int tiny_region(tiny_net *net, int points, const tiny_about *about);
int tiny_crop(tiny_net *net, int picture, int matrix, int height, int width);
int tiny_place(tiny_net *net, int points, int matrix);

// The file; the caller frees it.
unsigned char *tiny_write(const tiny_net *net, size_t *size);
// Computes every tensor from the input's value, one number after the other.
void tiny_evaluate(tiny_net *net);
void tiny_free(tiny_net *net);

#endif
