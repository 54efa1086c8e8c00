// make_track_seeds FOLDER: small networks and a shape predictor for the fuzzers to begin with.
#include "tiny_net.h"

#include <stdio.h>
#include <stdlib.h>

static void save(const char *folder, const char *name, const unsigned char *bytes, size_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file)) exit(1);
}

static void save_net(const char *folder, const char *name, tiny_net *net, int output) {
  size_t size;
  net->output[net->noutput++] = output;
  unsigned char *bytes = tiny_write(net, &size);
  save(folder, name, bytes, size);
  free(bytes);
  tiny_free(net);
}

// One cascade of one tree with one split: enough to reach every line of the reader.
static void save_ert(const char *folder) {
  enum { MOST = 4096 };
  unsigned char bytes[MOST];
  size_t size = 0;
#define WHOLE(v) (bytes[size++] = (v) < 0 ? 0x81 : 1, bytes[size++] = (unsigned char)abs(v))
#define COLUMN()                                                                                   \
  do {                                                                                             \
    WHOLE(-136), WHOLE(-1);                                                                        \
    for (int i = 0; i < 136; i++) WHOLE(1), WHOLE(-2);                                             \
  } while (0)
  WHOLE(1);
  COLUMN();
  WHOLE(1), WHOLE(1), WHOLE(1);           // one cascade, one tree, one split
  WHOLE(0), WHOLE(1), WHOLE(3), WHOLE(0); // pixels 0 and 1, threshold 3
  WHOLE(2);
  COLUMN();
  COLUMN();
  WHOLE(1), WHOLE(2), WHOLE(0), WHOLE(67); // anchors of two pixels
  WHOLE(1), WHOLE(2);                      // and where they lie
  for (int i = 0; i < 4; i++) WHOLE(1), WHOLE(-4);
  save(folder, "ert/small.dat", bytes, size);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  tiny_net block = {.seed = 1}, numbers = {.seed = 2};
  block.input = tiny_picture(&block, 8, 8, 3);
  int at = tiny_prelu(&block, tiny_conv(&block, block.input, 4, 3, 2, 0));
  int side = tiny_pad(&block, tiny_pool(&block, at), 2);
  int point = tiny_conv(&block, tiny_depthwise(&block, at, 3, 2, 0), 6, 1, 1, 1);
  save_net(argv[1], "net/block.tflite", &block, tiny_prelu(&block, tiny_add(&block, side, point)));
  numbers.input = tiny_picture(&numbers, 4, 4, 3);
  const int dim[3] = {1, 32, 3}, one[1] = {1};
  int flat = tiny_reshape(&numbers, tiny_conv(&numbers, numbers.input, 6, 1, 1, 1), 3, dim);
  int scaled = tiny_numbers(&numbers, 3, dim), by = tiny_random(&numbers, 1, one, TINY_FLOAT32);
  numbers.op[numbers.nop++] = (tiny_op){
      .code = TINY_MUL, .in = {flat, by}, .nin = 2, .out = scaled, .option = {0}, .noption = 1};
  save_net(argv[1], "net/numbers.tflite", &numbers, scaled);
  tiny_net attention = {.seed = 3};
  attention.input = tiny_picture(&attention, 6, 6, 3);
  const int points[3] = {1, 12, 3}, few[3] = {1, 4, 2};
  const tiny_about about = {{3, 9, 11}, 3, 1, 7, 4, 4, 0, 1.5f, 1.5f};
  int picture = tiny_conv(&attention, attention.input, 4, 1, 1, 1);
  int found =
      tiny_reshape(&attention, tiny_conv(&attention, attention.input, 1, 1, 1, 1), 3, points);
  int matrix = tiny_region(&attention, found, &about);
  int closer = tiny_crop(&attention, picture, matrix, 4, 4);
  int near = tiny_reshape(&attention, tiny_conv(&attention, closer, 2, 2, 2, 1), 3, few);
  save_net(argv[1], "net/attention.tflite", &attention, tiny_place(&attention, near, matrix));
  save_ert(argv[1]);
  return 0;
}
