// From the bytes of a .tflite file to a graph of checked operations.
#include "track/net_graph.h"

#include "track/net_flat.h"

#include <math.h>
#include <string.h>

enum { FLOAT32 = 0, FLOAT16 = 1, INT32 = 2 }; // types of tensors in the file

typedef struct reader {
  mi_flat flat;
  mi_flat_vector code, buffer;
  mi_net *net;
  mi_arena *build_ctx; // constants, until they are packed
  mien_error *err;
} reader;

static mien_result damaged(reader *r, const char *what) {
  return mi_fail(r->err, MIEN_ERR_FORMAT, "the network file is damaged: %s", what);
}

// -- Tensors --------------------------------------------------------------------------------------

static float float_of_half(uint16_t half) {
  int exponent = half >> 10 & 31, mantissa = half & 1023;
  float value = exponent == 0    ? ldexpf((float)mantissa, -24)
                : exponent == 31 ? NAN
                                 : ldexpf((float)(mantissa + 1024), exponent - 25);
  return half & 0x8000 ? -value : value;
}

static mien_result read_floats(reader *r, mi_net_tensor *t, mi_flat_vector data, int type) {
  int width = type == FLOAT16 ? 2 : 4;
  if (data.count != t->count * width) return damaged(r, "a constant has another size than it says");
  float *value = MI_PUSH_RAW(r->build_ctx, float, t->count);
  if (!value) return mi_fail_memory(r->err);
  const unsigned char *bytes = r->flat.bytes + data.at;
  if (type == FLOAT32) memcpy(value, bytes, (size_t)data.count);
  for (int i = 0; type == FLOAT16 && i < t->count; i++)
    value[i] = float_of_half((uint16_t)(bytes[2 * i] | bytes[2 * i + 1] << 8));
  for (int i = 0; i < t->count; i++)
    if (!isfinite(value[i])) return damaged(r, "a weight is not a number");
  t->constant = value;
  return MIEN_OK;
}

static mien_result read_constant(reader *r, mi_net_tensor *t, int buffer, int type) {
  mi_flat_table table = mi_flat_table_at(&r->flat, r->buffer, buffer);
  mi_flat_vector data = mi_flat_items(&r->flat, table, 0, 1);
  if (r->flat.is_broken) return damaged(r, "a constant lies outside the file");
  if (!data.count) return MIEN_OK;
  t->maker = -1;
  if (type == FLOAT32 || type == FLOAT16) return read_floats(r, t, data, type);
  if (type != INT32 || t->count > 8) return MIEN_OK; // refused when an operator uses it
  if (data.count != 4 * t->count) return damaged(r, "a constant has another size than it says");
  t->ninteger = t->count;
  for (int i = 0; i < t->count; i++)
    t->integer[i] = mi_flat_i32_at(&r->flat, (mi_flat_vector){data.at, t->count}, i);
  return MIEN_OK;
}

static mien_result read_tensor(reader *r, mi_flat_table table, mi_net_tensor *t) {
  mi_flat_vector shape = mi_flat_items(&r->flat, table, 0, 4);
  if (shape.count > 4) return damaged(r, "a tensor has more than four dimensions");
  t->rank = shape.count;
  int64_t count = 1;
  for (int i = 0; i < t->rank; i++) {
    t->dim[i] = mi_flat_i32_at(&r->flat, shape, i);
    if (t->dim[i] < 1 || t->dim[i] > 65536) return damaged(r, "a tensor has a side of no length");
    count *= t->dim[i];
    if (count > 1 << 24) return damaged(r, "a tensor is larger than any of a face network");
  }
  t->count = (int)count;
  t->maker = -3;
  t->pitch = t->rank ? t->dim[t->rank - 1] : 1;
  if (t->rank == 4) t->pitch = mi_net_round_up(t->pitch);
  int width = t->rank ? t->dim[t->rank - 1] : 1;
  t->nvalue = t->count / width * t->pitch;
  int type = mi_flat_i8(&r->flat, table, 1, 0);
  return read_constant(r, t, mi_flat_i32(&r->flat, table, 2, 0), type);
}

static mien_result read_tensors(reader *r, mi_flat_table graph) {
  mi_net *net = r->net;
  mi_flat_vector tensors = mi_flat_items(&r->flat, graph, 0, 4);
  if (r->flat.is_broken || tensors.count < 1 || tensors.count > MI_NET_MOST_TENSOR)
    return damaged(r, "it has no tensors, or too many");
  net->tensor = MI_PUSH(&net->arena, mi_net_tensor, tensors.count);
  if (!net->tensor) return mi_fail_memory(r->err);
  net->ntensor = tensors.count;
  for (int i = 0; i < net->ntensor; i++) {
    mien_result result = read_tensor(r, mi_flat_table_at(&r->flat, tensors, i), &net->tensor[i]);
    if (result < 0) return result;
    if (r->flat.is_broken) return damaged(r, "a tensor lies outside the file");
  }
  return MIEN_OK;
}

// -- Operations -----------------------------------------------------------------------------------

// Numbers of the operations in the file.
enum {
  OP_ADD = 0,
  OP_CONCATENATION = 2,
  OP_CONV_2D = 3,
  OP_DEPTHWISE_CONV_2D = 4,
  OP_DEQUANTIZE = 6,
  OP_MAX_POOL_2D = 17,
  OP_MUL = 18,
  OP_RELU = 19,
  OP_RESHAPE = 22,
  OP_CUSTOM = 32,
  OP_PAD = 34,
  OP_STRIDED_SLICE = 45,
  OP_PRELU = 54
};

static const struct {
  int code;
  const char *custom;
  mi_net_kind kind;
  int least_in, activation; // field of the fused activation, -1 = none
} kinds[] = {{OP_ADD, NULL, MI_NET_ADD, 2, 0},
             {OP_CONCATENATION, NULL, MI_NET_CONCAT, 1, 1},
             {OP_CONV_2D, NULL, MI_NET_CONV, 3, 3},
             {OP_DEPTHWISE_CONV_2D, NULL, MI_NET_DEPTHWISE, 3, 4},
             {OP_DEQUANTIZE, NULL, MI_NET_CONSTANT, 1, -1},
             {OP_MAX_POOL_2D, NULL, MI_NET_POOL, 1, 5},
             {OP_MUL, NULL, MI_NET_SCALE, 2, 0},
             {OP_RELU, NULL, MI_NET_RELU, 1, -1},
             {OP_RESHAPE, NULL, MI_NET_COPY, 1, -1},
             {OP_PAD, NULL, MI_NET_PAD, 2, -1},
             {OP_STRIDED_SLICE, NULL, MI_NET_COPY, 4, -1},
             {OP_PRELU, NULL, MI_NET_PRELU, 2, -1},
             {OP_CUSTOM, "Landmarks2TransformMatrix", MI_NET_REGION, 1, -1},
             {OP_CUSTOM, "TransformTensorBilinear", MI_NET_CROP, 2, -1},
             {OP_CUSTOM, "TransformLandmarks", MI_NET_PLACE, 2, -1}};
enum { NKIND = sizeof kinds / sizeof *kinds };

// Which row of the table an operation is, -1 = none we run.
static int kind_of(reader *r, mi_flat_table op) {
  mi_flat_table entry = mi_flat_table_at(&r->flat, r->code, mi_flat_i32(&r->flat, op, 0, 0));
  int code = mi_flat_i8(&r->flat, entry, 0, 0), wide = mi_flat_i32(&r->flat, entry, 3, 0);
  if (wide > code) code = wide;
  mi_flat_vector custom = mi_flat_items(&r->flat, entry, 1, 1);
  for (int k = 0; k < NKIND && !r->flat.is_broken; k++) {
    if (kinds[k].code != code) continue;
    if (code != OP_CUSTOM) return k;
    bool is_version = mi_flat_i32(&r->flat, entry, 2, 1) == 2;
    if (is_version && (size_t)custom.count == strlen(kinds[k].custom) &&
        !memcmp(r->flat.bytes + custom.at, kinds[k].custom, (size_t)custom.count))
      return k;
  }
  return -1;
}

// How far the first window begins outside, so that a picture keeps its size ("SAME").
static int padding_before(int in, int size, int step) {
  int all = ((in + step - 1) / step - 1) * step + size - in;
  return all > 0 ? all / 2 : 0;
}

static mien_result read_window(reader *r, mi_flat_table options, mi_net_op *op) {
  mi_net_window *w = &op->window;
  const mi_net_tensor *from = &r->net->tensor[op->in[0]];
  bool is_pool = op->kind == MI_NET_POOL;
  w->step_x = mi_flat_i32(&r->flat, options, 1, 0);
  w->step_y = mi_flat_i32(&r->flat, options, 2, 0);
  if (is_pool) {
    w->size_x = mi_flat_i32(&r->flat, options, 3, 0);
    w->size_y = mi_flat_i32(&r->flat, options, 4, 0);
  } else {
    const mi_net_tensor *weight = &r->net->tensor[op->in[1]];
    int dilation = op->kind == MI_NET_CONV ? 4 : 5;
    w->size_y = weight->rank == 4 ? weight->dim[1] : 0;
    w->size_x = weight->rank == 4 ? weight->dim[2] : 0;
    if (mi_flat_i32(&r->flat, options, dilation, 1) != 1 ||
        mi_flat_i32(&r->flat, options, dilation + 1, 1) != 1)
      return mi_fail(r->err, MIEN_ERR_FORMAT,
                     "the network has dilated windows; we do not run them");
  }
  if (w->step_x < 1 || w->step_y < 1 || w->step_x > 64 || w->step_y > 64 || w->size_x < 1 ||
      w->size_y < 1 || w->size_x > 64 || w->size_y > 64)
    return damaged(r, "a window has no size or no step");
  w->is_same = mi_flat_i8(&r->flat, options, 0, 0) == 0;
  if (w->is_same && from->rank == 4) {
    w->pad_y = padding_before(from->dim[1], w->size_y, w->step_y);
    w->pad_x = padding_before(from->dim[2], w->size_x, w->step_x);
  }
  return MIEN_OK;
}

static mien_result read_region(reader *r, mi_flat_vector bytes, mi_net_op *op) {
  mi_flat flex = {r->flat.bytes + bytes.at, (size_t)bytes.count, false};
  mi_net_region *region = &op->region;
  const mi_net_tensor *points = &r->net->tensor[op->in[0]];
  double left, right, width, height, angle, scale_x, scale_y;
  enum { MOST_POINT = 1024 };
  region->point = MI_PUSH(&r->net->arena, int32_t, MOST_POINT);
  if (!region->point) return mi_fail_memory(r->err);
  bool is_there = mi_flex_number(&flex, "left_rotation_idx", &left) &&
                  mi_flex_number(&flex, "right_rotation_idx", &right) &&
                  mi_flex_number(&flex, "output_width", &width) &&
                  mi_flex_number(&flex, "output_height", &height) &&
                  mi_flex_number(&flex, "target_rotation_radians", &angle) &&
                  mi_flex_number(&flex, "scale_x", &scale_x) &&
                  mi_flex_number(&flex, "scale_y", &scale_y);
  region->npoint = mi_flex_integers(&flex, "subset_idxs", region->point, MOST_POINT);
  int most = points->rank == 3 ? points->dim[1] : 0;
  is_there = is_there && region->npoint >= 1 && region->npoint <= MOST_POINT && left >= 0 &&
             left < most && right >= 0 && right < most && width >= 1 && width <= 4096 &&
             height >= 1 && height <= 4096 && scale_x > 0 && scale_x < 100 && scale_y > 0 &&
             scale_y < 100 && fabs(angle) < 7;
  for (int i = 0; is_there && i < region->npoint; i++)
    is_there = region->point[i] >= 0 && region->point[i] < most;
  if (!is_there) return damaged(r, "a region names points that are not there");
  region->left = (int)left;
  region->right = (int)right;
  region->width = (int)width;
  region->height = (int)height;
  region->angle = (float)angle;
  region->scale_x = (float)scale_x;
  region->scale_y = (float)scale_y;
  return MIEN_OK;
}

// Inputs and outputs of an operation, in an order in which they can be computed.
static mien_result read_wires(reader *r, mi_flat_table table, int row, mi_net_op *op) {
  mi_net *net = r->net;
  mi_flat_vector in = mi_flat_items(&r->flat, table, 1, 4);
  mi_flat_vector out = mi_flat_items(&r->flat, table, 2, 4);
  if (in.count < kinds[row].least_in || in.count > MI_NET_MOST_IN || out.count != 1)
    return damaged(r, "an operation has the wrong number of inputs");
  op->nin = in.count;
  op->out = mi_flat_i32_at(&r->flat, out, 0);
  for (int i = 0; i < op->nin; i++) {
    op->in[i] = mi_flat_i32_at(&r->flat, in, i);
    if (op->in[i] < 0 || op->in[i] >= net->ntensor || net->tensor[op->in[i]].maker == -3)
      return damaged(r, "an operation reads what nobody has computed");
  }
  if (op->out < 0 || op->out >= net->ntensor || net->tensor[op->out].maker != -3)
    return damaged(r, "two operations compute the same");
  return r->flat.is_broken ? damaged(r, "an operation lies outside the file") : MIEN_OK;
}

static mien_result read_op(reader *r, mi_flat_table table, int index, mi_net_op *op) {
  mi_net *net = r->net;
  int row = kind_of(r, table);
  if (r->flat.is_broken) return damaged(r, "an operation lies outside the file");
  if (row < 0)
    return mi_fail(r->err, MIEN_ERR_FORMAT,
                   "operation %d of the network is of a kind we do not run", index);
  op->kind = kinds[row].kind;
  op->depthwise = op->residual = op->slope = -1;
  mien_result result = read_wires(r, table, row, op);
  if (result < 0) return result;
  mi_flat_table options = mi_flat_child(&r->flat, table, 4);
  if (op->kind == MI_NET_CONV || op->kind == MI_NET_DEPTHWISE || op->kind == MI_NET_POOL)
    result = read_window(r, options, op);
  if (op->kind == MI_NET_REGION) result = read_region(r, mi_flat_items(&r->flat, table, 5, 1), op);
  if (result < 0) return result;
  int activation =
      kinds[row].activation < 0 ? 0 : mi_flat_i8(&r->flat, options, kinds[row].activation, 0);
  if (activation != 0 && activation != 1)
    return mi_fail(r->err, MIEN_ERR_FORMAT, "operation %d ends in a function we do not run", index);
  op->relu = activation == 1;
  if (r->flat.is_broken) return damaged(r, "an operation lies outside the file");
  if (op->kind == MI_NET_CONSTANT) {
    mi_net_tensor *to = &net->tensor[op->out];
    const mi_net_tensor *from = &net->tensor[op->in[0]];
    if (!from->constant || from->count != to->count)
      return damaged(r, "a 16-bit constant has no value");
    to->constant = from->constant;
    to->maker = -1;
    op->is_fused = true;
    return MIEN_OK;
  }
  result = mi_net_check_op(net, op, r->err);
  if (result >= 0) net->tensor[op->out].maker = index;
  return result;
}

static mien_result read_ops(reader *r, mi_flat_table graph) {
  mi_net *net = r->net;
  mi_flat_vector ops = mi_flat_items(&r->flat, graph, 3, 4);
  if (r->flat.is_broken || ops.count < 1 || ops.count > MI_NET_MOST_OP)
    return damaged(r, "it has no operations, or too many");
  net->op = MI_PUSH(&net->arena, mi_net_op, ops.count);
  if (!net->op) return mi_fail_memory(r->err);
  net->nop = ops.count;
  for (int i = 0; i < net->nop; i++) {
    mien_result result = read_op(r, mi_flat_table_at(&r->flat, ops, i), i, &net->op[i]);
    if (result < 0) return result;
  }
  return MIEN_OK;
}

// -- The whole ------------------------------------------------------------------------------------

static mien_result read_ends(reader *r, mi_flat_table graph) {
  mi_net *net = r->net;
  mi_flat_vector in = mi_flat_items(&r->flat, graph, 1, 4);
  net->input = in.count == 1 ? mi_flat_i32_at(&r->flat, in, 0) : -1;
  if (r->flat.is_broken || net->input < 0 || net->input >= net->ntensor)
    return damaged(r, "it has no input, or more than one");
  mi_net_tensor *t = &net->tensor[net->input];
  if (t->rank != 4 || t->dim[0] != 1 || t->maker != -3)
    return damaged(r, "its input is not a picture");
  t->maker = -2;
  t->pitch = t->dim[3];
  t->nvalue = t->count;
  return MIEN_OK;
}

static mien_result read_outputs(reader *r, mi_flat_table graph) {
  mi_net *net = r->net;
  mi_flat_vector out = mi_flat_items(&r->flat, graph, 2, 4);
  if (r->flat.is_broken || out.count < 1 || out.count > MI_NET_MOST_OUT)
    return damaged(r, "it has no output, or too many");
  net->noutput = out.count;
  for (int i = 0; i < out.count; i++) {
    net->output[i] = mi_flat_i32_at(&r->flat, out, i);
    if (net->output[i] < 0 || net->output[i] >= net->ntensor ||
        net->tensor[net->output[i]].maker < 0)
      return damaged(r, "an output is computed by nobody");
  }
  return MIEN_OK;
}

static mien_result read_graph(reader *r) {
  mi_flat *flat = &r->flat;
  if (flat->size < 8 || memcmp(flat->bytes + 4, "TFL3", 4))
    return mi_fail(r->err, MIEN_ERR_FORMAT, "this is not a .tflite network");
  mi_flat_table model = mi_flat_root(flat);
  r->code = mi_flat_items(flat, model, 1, 4);
  r->buffer = mi_flat_items(flat, model, 4, 4);
  mi_flat_vector graphs = mi_flat_items(flat, model, 2, 4);
  if (flat->is_broken || graphs.count != 1) return damaged(r, "it has not one graph");
  mi_flat_table graph = mi_flat_table_at(flat, graphs, 0);
  mien_result result = read_tensors(r, graph);
  if (result >= 0) result = read_ends(r, graph);
  if (result >= 0) result = read_ops(r, graph);
  if (result >= 0) result = read_outputs(r, graph);
  return result;
}

mien_result mi_net_read(const void *bytes, size_t size, const mien_host *host, mi_net **out,
                        mien_error *err) {
  mi_arena arena, build_ctx;
  mi_arena_init(&arena, host);
  mi_arena_init(&build_ctx, host);
  mi_net *net = MI_PUSH(&arena, mi_net, 1);
  if (!net) return mi_fail_memory(err);
  net->arena = arena;
  net->kernels = mi_net_kernels_best();
  reader r = {{bytes, size, false}, {0, 0}, {0, 0}, net, &build_ctx, err};
  mien_result result = read_graph(&r);
  if (result >= 0) {
    mi_net_fuse(net);
    result = mi_net_plan(net, err);
  }
  mi_arena_free(&build_ctx);
  if (result < 0) {
    mi_net_free(net);
    return result;
  }
  *out = net;
  return MIEN_OK;
}

void mi_net_free(mi_net *net) {
  if (!net) return;
  mi_arena_delete(net->arena);
}
