#include "tiny_net.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// -- Making ---------------------------------------------------------------------------------------

static int add_tensor(tiny_net *net, int rank, const int *dim, int type) {
  tiny_tensor *t = &net->tensor[net->ntensor];
  *t = (tiny_tensor){.rank = rank, .type = type, .count = 1};
  for (int i = 0; i < rank; i++) t->count *= t->dim[i] = dim[i];
  t->value = calloc((size_t)t->count, sizeof *t->value);
  return net->ntensor++;
}

int tiny_numbers(tiny_net *net, int rank, const int *dim) {
  return add_tensor(net, rank, dim, TINY_FLOAT32);
}

int tiny_picture(tiny_net *net, int height, int width, int nchannel) {
  const int dim[4] = {1, height, width, nchannel};
  return tiny_numbers(net, 4, dim);
}

int tiny_random(tiny_net *net, int rank, const int *dim, int type) {
  int made = add_tensor(net, rank, dim, type);
  tiny_tensor *t = &net->tensor[made];
  t->is_constant = true;
  // multiples of 1/256 are exact in 16 bits
  for (int i = 0; i < t->count; i++)
    t->value[i] = (float)floor(512 * mi_random_unit(net->seed, net->drawn++, 0)) / 256.0f - 1.0f;
  if (type != TINY_FLOAT16) return made;
  int decoded = add_tensor(net, rank, dim, TINY_FLOAT32);
  net->op[net->nop++] = (tiny_op){.code = TINY_DEQUANTIZE, .in = {made}, .nin = 1, .out = decoded};
  return decoded;
}

int tiny_integers(tiny_net *net, int rank, const int *dim, const int *value) {
  int made = add_tensor(net, rank, dim, TINY_INT32);
  net->tensor[made].is_constant = true;
  for (int i = 0; i < net->tensor[made].count; i++) net->tensor[made].value[i] = (float)value[i];
  return made;
}

static int moved(int in, int size, int step, int padding) {
  return padding ? (in - size) / step + 1 : (in + step - 1) / step;
}

int tiny_conv(tiny_net *net, int from, int nout, int size, int step, int padding) {
  const int *d = net->tensor[from].dim;
  const int weight_dim[4] = {nout, size, size, d[3]}, bias_dim[1] = {nout};
  int weight = tiny_random(net, 4, weight_dim, TINY_FLOAT16);
  int bias = tiny_random(net, 1, bias_dim, TINY_FLOAT32);
  int out =
      tiny_picture(net, moved(d[1], size, step, padding), moved(d[2], size, step, padding), nout);
  net->op[net->nop++] = (tiny_op){.code = TINY_CONV,
                                  .in = {from, weight, bias},
                                  .nin = 3,
                                  .out = out,
                                  .option = {padding, step, step, 0, 1, 1},
                                  .noption = 6};
  return out;
}

int tiny_depthwise(tiny_net *net, int from, int size, int step, int padding) {
  const int *d = net->tensor[from].dim;
  const int weight_dim[4] = {1, size, size, d[3]};
  int weight = tiny_random(net, 4, weight_dim, TINY_FLOAT32);
  int bias = tiny_random(net, 1, &weight_dim[3], TINY_FLOAT32);
  int out =
      tiny_picture(net, moved(d[1], size, step, padding), moved(d[2], size, step, padding), d[3]);
  net->op[net->nop++] = (tiny_op){.code = TINY_DEPTHWISE,
                                  .in = {from, weight, bias},
                                  .nin = 3,
                                  .out = out,
                                  .option = {padding, step, step, 1, 0, 1, 1},
                                  .noption = 7};
  return out;
}

int tiny_pool(tiny_net *net, int from) {
  const int *d = net->tensor[from].dim;
  int out = tiny_picture(net, (d[1] + 1) / 2, (d[2] + 1) / 2, d[3]);
  net->op[net->nop++] = (tiny_op){.code = TINY_POOL,
                                  .in = {from},
                                  .nin = 1,
                                  .out = out,
                                  .option = {0, 2, 2, 2, 2, 0},
                                  .noption = 6};
  return out;
}

static int add_like(tiny_net *net, int code, int from, int other) {
  const int *d = net->tensor[from].dim;
  int out = tiny_picture(net, d[1], d[2], d[3]);
  tiny_op *op = &net->op[net->nop++];
  *op = (tiny_op){.code = code, .in = {from, other}, .nin = other < 0 ? 1 : 2, .out = out};
  op->noption = code == TINY_ADD;
  return out;
}

int tiny_prelu(tiny_net *net, int from) {
  const int dim[3] = {1, 1, net->tensor[from].dim[3]};
  return add_like(net, TINY_PRELU, from, tiny_random(net, 3, dim, TINY_FLOAT32));
}

int tiny_relu(tiny_net *net, int from) {
  return add_like(net, TINY_RELU, from, -1);
}

int tiny_add(tiny_net *net, int a, int b) {
  return add_like(net, TINY_ADD, a, b);
}

int tiny_pad(tiny_net *net, int from, int more) {
  const int dim[2] = {4, 2}, by[8] = {0, 0, 0, 0, 0, 0, 0, more};
  const int *d = net->tensor[from].dim;
  int amount = tiny_integers(net, 2, dim, by);
  int out = tiny_picture(net, d[1], d[2], d[3] + more);
  net->op[net->nop++] = (tiny_op){.code = TINY_PAD, .in = {from, amount}, .nin = 2, .out = out};
  return out;
}

int tiny_reshape(tiny_net *net, int from, int rank, const int *dim) {
  int out = tiny_numbers(net, rank, dim);
  net->op[net->nop++] = (tiny_op){.code = TINY_RESHAPE, .in = {from}, .nin = 1, .out = out};
  return out;
}

void tiny_free(tiny_net *net) {
  for (int i = 0; i < net->ntensor; i++) free(net->tensor[i].value);
  for (int i = 0; i < net->nop; i++) free(net->op[i].extra);
}

// -- Writing: every table with all its fields, four bytes each, parents before children -----------

typedef struct writer {
  unsigned char *bytes;
  size_t size, room;
} writer;

static size_t reserve(writer *w, size_t count) {
  size_t at = w->size;
  w->size += (count + 3) & ~(size_t)3;
  if (w->size > w->room) {
    w->room = 2 * w->size;
    w->bytes = realloc(w->bytes, w->room);
  }
  memset(w->bytes + at, 0, w->size - at);
  return at;
}

static void set(writer *w, size_t at, uint32_t value, int size) {
  for (int i = 0; i < size; i++) w->bytes[at + (size_t)i] = (unsigned char)(value >> 8 * i);
}

static size_t slot(size_t table, int field) {
  return table + 4 + 4 * (size_t)field;
}

static size_t table_of(writer *w, int nfield) {
  size_t vtable = reserve(w, 4 + 2 * (size_t)nfield), at = reserve(w, 4 + 4 * (size_t)nfield);
  set(w, vtable, (uint32_t)(4 + 2 * nfield), 2);
  set(w, vtable + 2, (uint32_t)(4 + 4 * nfield), 2);
  for (int i = 0; i < nfield; i++) set(w, vtable + 4 + 2 * (size_t)i, (uint32_t)(4 + 4 * i), 2);
  set(w, at, (uint32_t)(at - vtable), 4);
  return at;
}

static void forget(writer *w, size_t table, int field) {
  uint32_t back = 0;
  memcpy(&back, w->bytes + table, 4);
  set(w, table - back + 4 + 2 * (size_t)field, 0, 2);
}

static void point(writer *w, size_t from, size_t to) {
  set(w, from, (uint32_t)(to - from), 4);
}

// A vector of `count` items of `size` bytes; gives the place of the first.
static size_t vector_of(writer *w, size_t from, int count, int size) {
  size_t at = reserve(w, 4 + (size_t)(count * size));
  point(w, from, at);
  set(w, at, (uint32_t)count, 4);
  return at + 4;
}

static void integers(writer *w, size_t from, const int *value, int count) {
  size_t at = vector_of(w, from, count, 4);
  for (int i = 0; i < count; i++) set(w, at + 4 * (size_t)i, (uint32_t)value[i], 4);
}

static uint16_t half_of(float value) {
  if (value == 0) return 0;
  int exponent;
  float mantissa = frexpf(fabsf(value), &exponent); // 0.5 .. 1
  return (uint16_t)((value < 0 ? 0x8000 : 0) | (exponent + 14) << 10 |
                    ((int)(mantissa * 2048) & 1023));
}

static void write_data(writer *w, size_t buffer, const tiny_tensor *t) {
  int width = t->type == TINY_FLOAT16 ? 2 : 4;
  size_t at = vector_of(w, slot(buffer, 0), t->count * width, 1);
  for (int i = 0; i < t->count; i++) {
    uint32_t bits = (uint32_t)(int32_t)t->value[i];
    if (t->type == TINY_FLOAT16) bits = half_of(t->value[i]);
    if (t->type == TINY_FLOAT32) memcpy(&bits, &t->value[i], 4);
    set(w, at + (size_t)(i * width), bits, width);
  }
}

static void write_tensors(writer *w, const tiny_net *net, size_t graph, size_t model) {
  size_t tensors = vector_of(w, slot(graph, 0), net->ntensor, 4);
  size_t buffers = vector_of(w, slot(model, 4), net->ntensor + 1, 4);
  for (int i = 0; i <= net->ntensor; i++) {
    size_t buffer = table_of(w, 1);
    point(w, buffers + 4 * (size_t)i, buffer);
    if (i > 0 && net->tensor[i - 1].is_constant)
      write_data(w, buffer, &net->tensor[i - 1]);
    else
      forget(w, buffer, 0);
  }
  for (int i = 0; i < net->ntensor; i++) {
    size_t table = table_of(w, 3);
    point(w, tensors + 4 * (size_t)i, table);
    set(w, slot(table, 1), (uint32_t)net->tensor[i].type, 4);
    set(w, slot(table, 2), (uint32_t)(i + 1), 4);
    integers(w, slot(table, 0), net->tensor[i].dim, net->tensor[i].rank);
  }
}

static void write_ops(writer *w, const tiny_net *net, size_t graph, size_t model) {
  size_t ops = vector_of(w, slot(graph, 3), net->nop, 4);
  size_t codes = vector_of(w, slot(model, 1), net->nop, 4);
  for (int i = 0; i < net->nop; i++) {
    const tiny_op *op = &net->op[i];
    size_t code = table_of(w, 3), table = table_of(w, 6);
    point(w, codes + 4 * (size_t)i, code);
    point(w, ops + 4 * (size_t)i, table);
    set(w, slot(code, 0), (uint32_t)op->code, 4);
    set(w, slot(code, 2), op->custom ? 2 : 1, 4);
    const char *name = op->custom ? op->custom : "";
    size_t at = vector_of(w, slot(code, 1), (int)strlen(name), 1);
    memcpy(w->bytes + at, name, strlen(name));
    at = vector_of(w, slot(table, 5), op->nextra, 1);
    if (op->nextra) memcpy(w->bytes + at, op->extra, (size_t)op->nextra);
    set(w, slot(table, 0), (uint32_t)i, 4);
    integers(w, slot(table, 1), op->in, op->nin);
    integers(w, slot(table, 2), &op->out, 1);
    size_t options = table_of(w, op->noption);
    point(w, slot(table, 4), options);
    for (int k = 0; k < op->noption; k++) set(w, slot(options, k), (uint32_t)op->option[k], 4);
  }
}

unsigned char *tiny_write(const tiny_net *net, size_t *size) {
  writer w = {NULL, 0, 0};
  reserve(&w, 8);
  memcpy(w.bytes + 4, "TFL3", 4);
  size_t model = table_of(&w, 5);
  point(&w, 0, model);
  set(&w, slot(model, 0), 3, 4);
  forget(&w, model, 3);
  size_t graphs = vector_of(&w, slot(model, 2), 1, 4), graph = table_of(&w, 4);
  point(&w, graphs, graph);
  write_tensors(&w, net, graph, model);
  integers(&w, slot(graph, 1), &net->input, 1);
  integers(&w, slot(graph, 2), net->output, net->noutput);
  write_ops(&w, net, graph, model);
  *size = w.size;
  return w.bytes;
}

// -- Evaluating -----------------------------------------------------------------------------------

// A pixel's channel, zero outside.
static float pixel(const tiny_tensor *t, int y, int x, int c) {
  if (y < 0 || x < 0 || y >= t->dim[1] || x >= t->dim[2]) return 0;
  return t->value[(y * t->dim[2] + x) * t->dim[3] + c];
}

static int before(int in, int out, int size, int step, int padding) {
  int all = (out - 1) * step + size - in;
  return padding || all < 0 ? 0 : all / 2;
}

static float window_at(const tiny_net *net, const tiny_op *op, int y, int x, int n) {
  const tiny_tensor *from = &net->tensor[op->in[0]], *weight = &net->tensor[op->in[1]];
  const tiny_tensor *to = &net->tensor[op->out];
  int step = op->option[1], size = weight->dim[1], nin = from->dim[3];
  int y0 = y * step - before(from->dim[1], to->dim[1], size, step, op->option[0]);
  int x0 = x * step - before(from->dim[2], to->dim[2], size, step, op->option[0]);
  double sum = (double)net->tensor[op->in[2]].value[n];
  for (int ky = 0; ky < size; ky++)
    for (int kx = 0; kx < size; kx++)
      for (int c = 0; c < nin; c++) {
        bool is_depthwise = op->code == TINY_DEPTHWISE;
        if (is_depthwise && c != n) continue;
        int row = is_depthwise ? 0 : n;
        sum += (double)pixel(from, y0 + ky, x0 + kx, c) *
               (double)weight->value[((row * size + ky) * size + kx) * nin + c];
      }
  return (float)sum;
}

static float pooled_at(const tiny_tensor *from, int y, int x, int c) {
  float most = -INFINITY;
  for (int k = 0; k < 4; k++) {
    int py = 2 * y + k / 2, px = 2 * x + k % 2;
    if (py < from->dim[1] && px < from->dim[2]) most = fmaxf(most, pixel(from, py, px, c));
  }
  return most;
}

static float value_at(const tiny_net *net, const tiny_op *op, int i) {
  const tiny_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  int n = to->dim[to->rank - 1], c = i % n, x = 0, y = 0;
  if (to->rank == 4) {
    x = i / n % to->dim[2];
    y = i / n / to->dim[2];
  }
  switch (op->code) {
  case TINY_CONV:
  case TINY_DEPTHWISE:
    return window_at(net, op, y, x, c);
  case TINY_POOL:
    return pooled_at(from, y, x, c);
  case TINY_PRELU:
    return from->value[i] < 0 ? from->value[i] * net->tensor[op->in[1]].value[c] : from->value[i];
  case TINY_RELU:
    return fmaxf(from->value[i], 0);
  case TINY_ADD:
    return from->value[i] + net->tensor[op->in[1]].value[i];
  case TINY_PAD:
    return c < from->dim[3] ? pixel(from, y, x, c) : 0;
  case TINY_MUL: {
    const tiny_tensor *by = &net->tensor[op->in[1]];
    return from->value[i] * by->value[by->count == 1 ? 0 : i];
  }
  case TINY_CUSTOM:
    return op->value_at(net, op, i);
  case TINY_CONCAT:
    return i < from->count ? from->value[i] : net->tensor[op->in[1]].value[i - from->count];
  default:
    return from->value[i]; // RESHAPE, DEQUANTIZE
  }
}

void tiny_evaluate(tiny_net *net) {
  for (int o = 0; o < net->nop; o++) {
    tiny_tensor *to = &net->tensor[net->op[o].out];
    for (int i = 0; i < to->count; i++) to->value[i] = value_at(net, &net->op[o], i);
  }
}
