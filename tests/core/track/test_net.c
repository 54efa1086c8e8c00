// The network engine against a naive evaluation of the same small networks, on every SIMD body.
#include "scenes/scene.h"
#include "tiny_net.h"
#include "track/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mien_host plain_host(void) {
  mien_host given, host;
  mien_host_init(&given);
  assert_int_equal(mi_host_resolve(&given, &host, NULL), MIEN_OK);
  return host;
}

static tiny_net begin(uint64_t seed, int height, int width, int nchannel) {
  tiny_net net = {.seed = seed};
  net.input = tiny_picture(&net, height, width, nchannel);
  for (int i = 0; i < net.tensor[net.input].count; i++)
    net.tensor[net.input].value[i] = (float)mi_random_unit(seed, (uint32_t)i, 7) - 0.3f;
  return net;
}

static void compare_outputs(mi_net *net, const tiny_net *tiny) {
  memcpy(mi_net_input(net), tiny->tensor[tiny->input].value,
         (size_t)tiny->tensor[tiny->input].count * sizeof(float));
  mi_net_run(net);
  for (int o = 0; o < tiny->noutput; o++) {
    const tiny_tensor *expected = &tiny->tensor[tiny->output[o]];
    assert_int_equal(mi_net_output_size(net, o), expected->count);
    float *got = malloc((size_t)expected->count * sizeof *got);
    mi_net_output(net, o, got);
    float largest = 1;
    for (int i = 0; i < expected->count; i++) largest = fmaxf(largest, fabsf(expected->value[i]));
    for (int i = 0; i < expected->count; i++)
      assert_near(got[i], expected->value[i], 1e-5 * (double)largest);
    free(got);
  }
}

// Reads, runs twice (nothing of the first run may stay) and compares; then frees the network.
static void check(tiny_net *tiny) {
  mien_host host = plain_host();
  tiny_evaluate(tiny);
  size_t size;
  unsigned char *bytes = tiny_write(tiny, &size);
  for (int scalar = 0; scalar < 2; scalar++) {
    if (scalar) setenv("MIEN_SIMD", "scalar", 1);
    mi_net *net = NULL;
    mien_error err;
    if (mi_net_read(bytes, size, &host, &net, &err) < 0) fail_msg("%s", err.text);
    compare_outputs(net, tiny);
    compare_outputs(net, tiny);
    mi_net_free(net);
    unsetenv("MIEN_SIMD");
  }
  free(bytes);
  tiny_free(tiny);
}

static void end_with(tiny_net *net, int output) {
  net->output[net->noutput++] = output;
}

static void convolutions_of_every_size(void **state) {
  (void)state;
  static const int nouts[] = {1, 2, 6, 8, 10, 16, 24, 28, 40};
  uint64_t seed = 1;
  for (int size = 1; size <= 5; size++)
    for (int step = 1; step <= 2; step++)
      for (int padding = 0; padding < 2; padding++, seed++) {
        tiny_net net = begin(seed, 7, 9, 3);
        int inner = tiny_conv(&net, net.input, nouts[seed % 9], size, step, padding);
        end_with(&net, tiny_conv(&net, inner, nouts[(seed + 4) % 9], 1, 1, 1));
        check(&net);
      }
}

static void depthwise_windows(void **state) {
  (void)state;
  uint64_t seed = 100;
  for (int size = 1; size <= 5; size += 2)
    for (int step = 1; step <= 2; step++)
      for (int padding = 0; padding < 2; padding++, seed++) {
        tiny_net net = begin(seed, 8, 11, 3);
        int wide = tiny_conv(&net, net.input, 20, 1, 1, 0);
        int deep = tiny_depthwise(&net, wide, size, step, padding);
        end_with(&net, deep); // seen from outside: it may not be done on the way
        end_with(&net, tiny_depthwise(&net, wide, 3, step, 0));
        check(&net);
      }
}

// The block of which the face networks are made, wider than it is read, smaller than it is read.
static int block(tiny_net *net, int from, int nout, int step) {
  int deep = tiny_depthwise(net, from, 3, step, 0), side = from;
  int point = tiny_conv(net, deep, nout, 1, 1, 1);
  if (step == 2) side = tiny_pool(net, side);
  int more = nout - net->tensor[from].dim[3];
  if (more > 0) side = tiny_pad(net, side, more);
  return tiny_prelu(net, tiny_add(net, side, point));
}

static void blocks_done_on_the_way(void **state) {
  (void)state;
  tiny_net net = begin(200, 24, 20, 3);
  int at = tiny_prelu(&net, tiny_conv(&net, net.input, 12, 3, 2, 0));
  at = block(&net, at, 12, 1);
  at = block(&net, at, 20, 1);
  at = block(&net, at, 36, 2);
  end_with(&net, at);
  end_with(&net, tiny_conv(&net, at, 5, 2, 2, 1));
  check(&net);
}

static void functions_by_themselves(void **state) {
  (void)state;
  tiny_net net = begin(300, 6, 5, 3);
  int a = tiny_conv(&net, net.input, 9, 1, 1, 1), b = tiny_conv(&net, net.input, 9, 3, 1, 0);
  // `a` is read several times, so nothing may be done on the way to it
  int sum = tiny_add(&net, a, b);
  end_with(&net, tiny_relu(&net, a));
  end_with(&net, tiny_prelu(&net, sum));
  end_with(&net, tiny_pad(&net, sum, 9));
  end_with(&net, tiny_pool(&net, a));
  check(&net);
}

static void shapes_and_numbers(void **state) {
  (void)state;
  tiny_net net = begin(400, 4, 4, 3);
  int a = tiny_conv(&net, net.input, 6, 1, 1, 1), b = tiny_conv(&net, net.input, 6, 2, 2, 1);
  const int many[3] = {1, 32, 3}, few[3] = {1, 8, 3}, all[3] = {1, 40, 3}, one[1] = {1};
  int flat_a = tiny_reshape(&net, a, 3, many), flat_b = tiny_reshape(&net, b, 3, few);
  int joined = tiny_numbers(&net, 3, all), scaled = tiny_numbers(&net, 3, all);
  int by = tiny_random(&net, 1, one, TINY_FLOAT32), each = tiny_random(&net, 3, few, TINY_FLOAT32);
  int scaled_b = tiny_numbers(&net, 3, few);
  net.op[net.nop++] = (tiny_op){.code = TINY_CONCAT,
                                .in = {flat_a, flat_b},
                                .nin = 2,
                                .out = joined,
                                .option = {1, 0},
                                .noption = 2};
  net.op[net.nop++] = (tiny_op){
      .code = TINY_MUL, .in = {joined, by}, .nin = 2, .out = scaled, .option = {0}, .noption = 1};
  net.op[net.nop++] = (tiny_op){.code = TINY_MUL,
                                .in = {flat_b, each},
                                .nin = 2,
                                .out = scaled_b,
                                .option = {0},
                                .noption = 1};
  const int picture[4] = {1, 2, 10, 6};
  end_with(&net, scaled);
  end_with(&net, scaled_b);
  end_with(&net, tiny_reshape(&net, joined, 4, picture));
  check(&net);
}

// As in the face mesh: points -> rectangle -> a closer look -> points, brought back.
static void attention(void **state) {
  (void)state;
  int nseen = 0;
  for (int turned = 0; turned < 3; turned++) {
    tiny_net net = begin(450 + (uint64_t)turned, 12, 14, 3);
    int picture = tiny_conv(&net, net.input, 10, 3, 1, 0);
    const int dim[3] = {1, 56, 3}, few[3] = {1, 4, 2}, one[1] = {1};
    int flat = tiny_reshape(&net, tiny_conv(&net, net.input, 1, 1, 1, 0), 3, dim);
    int points = tiny_numbers(&net, 3, dim), by = tiny_random(&net, 1, one, TINY_FLOAT32);
    net.tensor[by].value[0] = 9; // spread over the picture, and beyond its edge
    net.op[net.nop++] = (tiny_op){
        .code = TINY_MUL, .in = {flat, by}, .nin = 2, .out = points, .option = {0}, .noption = 1};
    const tiny_about about = {{3, 9, 11, 20, 33}, 5, 9 + turned, 40, 6, 5, 0.3f, 1.5f, 1.25f};
    int matrix = tiny_region(&net, points, &about);
    int closer = tiny_crop(&net, picture, matrix, 5, 6);
    int small = tiny_pool(&net, tiny_conv(&net, closer, 2, 2, 2, 1));
    int found = tiny_reshape(&net, tiny_conv(&net, small, 4, 1, 1, 0), 3, few);
    end_with(&net, matrix);
    end_with(&net, closer);
    end_with(&net, tiny_place(&net, found, matrix));
    tiny_evaluate(&net);
    const tiny_tensor *t = &net.tensor[closer];
    for (int i = 0; i < t->count; i++) nseen += t->value[i] != 0 && i % 10 == 0;
    check(&net);
  }
  assert_true(nseen > 10 && nseen < 80); // of 90 pixels: some inside the picture, some outside
}

static tiny_net small_block(void) {
  tiny_net net = begin(500, 8, 8, 3);
  int at = tiny_prelu(&net, tiny_conv(&net, net.input, 4, 3, 2, 0));
  end_with(&net, block(&net, at, 10, 2));
  return net;
}

static void try_bytes(const unsigned char *bytes, size_t size, const mien_host *host, int *taken) {
  mi_net *net = NULL;
  mien_error err = {0};
  // in memory of exactly this size, so that a sanitizer sees every step outside
  unsigned char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  mien_result result = mi_net_read(copy, size, host, &net, &err);
  free(copy);
  if (result >= 0) {
    memset(mi_net_input(net), 0, sizeof(float)); // it can be written and run
    if (mi_net_macs(net) < 1e6) mi_net_run(net);
    mi_net_free(net);
    ++*taken;
  } else {
    assert_true(err.text[0] != 0);
    assert_null(net);
  }
}

static void damaged_files_are_refused(void **state) {
  (void)state;
  mien_host host = plain_host();
  host.memory_limit = (size_t)64 << 20;
  tiny_net tiny = small_block();
  size_t size;
  unsigned char *bytes = tiny_write(&tiny, &size);
  int taken = 0, whole = 0;
  try_bytes(bytes, size, &host, &whole);
  assert_int_equal(whole, 1);
  for (size_t cut = 0; cut < size; cut += 3) try_bytes(bytes, cut, &host, &taken);
  // cutting may only drop rows that are never read
  assert_true(taken < 8);
  for (uint32_t i = 0; i < 4000; i++) {
    size_t at = (size_t)((double)size * mi_random_unit(9, i, 0));
    unsigned char kept = bytes[at];
    bytes[at] = (unsigned char)(256 * mi_random_unit(9, i, 1));
    try_bytes(bytes, size, &host, &taken);
    bytes[at] = kept;
  }
  free(bytes);
  tiny_free(&tiny);
}

static mien_result make_net(const mien_host *host, void *user) {
  tiny_net *tiny = user;
  size_t size;
  unsigned char *bytes = tiny_write(tiny, &size);
  mi_net *net = NULL;
  mien_result result = mi_net_read(bytes, size, host, &net, NULL);
  mi_net_free(net);
  free(bytes);
  return result;
}

static void memory_may_end(void **state) {
  (void)state;
  tiny_net tiny = small_block();
  scene_fail_every_allocation(make_net, &tiny);
  tiny_free(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(convolutions_of_every_size), cmocka_unit_test(depthwise_windows),
      cmocka_unit_test(blocks_done_on_the_way),     cmocka_unit_test(functions_by_themselves),
      cmocka_unit_test(shapes_and_numbers),         cmocka_unit_test(attention),
      cmocka_unit_test(damaged_files_are_refused),  cmocka_unit_test(memory_may_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
