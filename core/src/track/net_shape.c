// Whether an operation's inputs fit together and give the shape that the file says.
#include "track/net_graph.h"

#include <string.h>

static mien_result wrong(mien_error *err, const char *what) {
  return mi_fail(err, MIEN_ERR_FORMAT, "the network file is damaged: %s", what);
}

static bool is_picture(const mi_net_tensor *t) {
  return t->rank == 4 && t->dim[0] == 1 && t->maker != -1;
}

// Pictures with padded channels: all but the network's input.
static bool is_padded(const mi_net_tensor *t) {
  return is_picture(t) && t->maker != -2;
}

static bool is_same_shape(const mi_net_tensor *a, const mi_net_tensor *b) {
  return a->rank == b->rank && !memcmp(a->dim, b->dim, sizeof a->dim);
}

static bool is_constant(const mi_net_tensor *t, int count) {
  return t->constant && t->count == count;
}

// SAME covers the picture; otherwise windows stay inside.
static bool fits(int in, int out, int size, int step, bool is_same) {
  if (is_same) return out == (in + step - 1) / step;
  return in >= size && out == (in - size) / step + 1;
}

static mien_result check_window(const mi_net_tensor *from, const mi_net_tensor *to,
                                const mi_net_op *op, mien_error *err) {
  const mi_net_window *w = &op->window;
  if (!is_picture(from) || !is_picture(to) ||
      !fits(from->dim[1], to->dim[1], w->size_y, w->step_y, w->is_same) ||
      !fits(from->dim[2], to->dim[2], w->size_x, w->step_x, w->is_same))
    return wrong(err, "a window does not fit its picture");
  return MIEN_OK;
}

static mien_result check_conv(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  const mi_net_tensor *weight = &net->tensor[op->in[1]], *bias = &net->tensor[op->in[2]];
  mien_result result = check_window(from, to, op, err);
  if (result < 0) return result;
  bool is_depthwise = op->kind == MI_NET_DEPTHWISE;
  int nin = from->dim[3], nout = to->dim[3];
  bool is_good = weight->constant && is_constant(bias, nout);
  if (is_depthwise)
    is_good =
        is_good && weight->dim[0] == 1 && weight->dim[3] == nin && nout == nin && is_padded(from);
  else
    is_good = is_good && weight->dim[0] == nout && weight->dim[3] == nin;
  if (!is_good) return wrong(err, "weights do not fit their picture");
  double taps = (double)op->window.size_x * op->window.size_y * (is_depthwise ? 1 : nin);
  net->macs += taps * to->count;
  // ten times the size of the largest face network: larger files are refused
  if (net->macs > 5e8) return wrong(err, "it asks for more work than any face network");
  return MIEN_OK;
}

static mien_result check_slope(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  if (!is_padded(from) || !is_same_shape(from, to)) return wrong(err, "a picture changes its size");
  if (op->kind == MI_NET_PRELU && !is_constant(&net->tensor[op->in[1]], from->dim[3]))
    return wrong(err, "there is not one slope per channel");
  return MIEN_OK;
}

static mien_result check_pad(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  const mi_net_tensor *by = &net->tensor[op->in[1]];
  static const int32_t none[7] = {0};
  if (by->ninteger != 8 || memcmp(by->integer, none, sizeof none))
    return mi_fail(err, MIEN_ERR_FORMAT, "the network pads more than channels; we do not run that");
  if (!is_padded(from) || !is_picture(to) || to->dim[1] != from->dim[1] ||
      to->dim[2] != from->dim[2] || by->integer[7] < 0 ||
      to->dim[3] != (int64_t)from->dim[3] + by->integer[7])
    return wrong(err, "padding gives another size than it says");
  return MIEN_OK;
}

// RESHAPE, and the STRIDED_SLICE that takes everything.
static mien_result check_copy(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  if (from->maker < 0 || from->count != to->count)
    return wrong(err, "a new shape has another size");
  if (op->nin < 4) return MIEN_OK;
  const mi_net_tensor *begin = &net->tensor[op->in[1]], *step = &net->tensor[op->in[3]];
  bool is_whole = begin->ninteger == from->rank && step->ninteger == from->rank;
  for (int i = 0; is_whole && i < from->rank; i++)
    is_whole = begin->integer[i] == 0 && step->integer[i] == 1;
  if (!is_whole)
    return mi_fail(err, MIEN_ERR_FORMAT,
                   "the network takes slices of pictures; we do not run that");
  return MIEN_OK;
}

static mien_result check_scale(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  const mi_net_tensor *by = &net->tensor[op->in[1]];
  if (from->maker < 0 || from->rank == 4 || !is_same_shape(from, to) || op->relu ||
      !(is_constant(by, 1) || is_constant(by, from->count)))
    return mi_fail(err, MIEN_ERR_FORMAT, "the network multiplies in a way we do not run");
  return MIEN_OK;
}

static mien_result check_concat(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *to = &net->tensor[op->out];
  int64_t count = 0;
  bool is_good = to->rank == 3 && to->dim[0] == 1 && !op->relu;
  for (int i = 0; i < op->nin; i++) {
    const mi_net_tensor *from = &net->tensor[op->in[i]];
    is_good = is_good && from->maker >= 0 && from->rank == 3 && from->dim[0] == 1 &&
              from->dim[2] == to->dim[2];
    count += from->count;
  }
  if (!is_good || count != to->count)
    return mi_fail(err, MIEN_ERR_FORMAT, "the network joins pictures in a way we do not run");
  return MIEN_OK;
}

static mien_result check_attention(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  const mi_net_tensor *matrix = op->kind == MI_NET_REGION ? to : &net->tensor[op->in[1]];
  bool is_good = matrix->rank == 3 && matrix->count == 16 && from->maker >= 0;
  if (op->kind != MI_NET_REGION) is_good = is_good && matrix->maker >= 0;
  if (op->kind == MI_NET_CROP)
    is_good = is_good && is_padded(from) && is_picture(to) && from->dim[3] == to->dim[3];
  else
    is_good = is_good && from->rank == 3 && from->dim[0] == 1;
  if (op->kind == MI_NET_REGION) is_good = is_good && from->dim[2] == 3;
  if (op->kind == MI_NET_PLACE) is_good = is_good && from->dim[2] == 2 && is_same_shape(from, to);
  return is_good ? MIEN_OK : wrong(err, "a region does not fit its picture");
}

mien_result mi_net_check_op(mi_net *net, mi_net_op *op, mien_error *err) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  switch (op->kind) {
  case MI_NET_CONV:
  case MI_NET_DEPTHWISE:
    return check_conv(net, op, err);
  case MI_NET_PRELU:
  case MI_NET_RELU:
    return check_slope(net, op, err);
  case MI_NET_ADD:
    if (!is_padded(from) || !is_padded(&net->tensor[op->in[1]]) || !is_same_shape(from, to) ||
        !is_same_shape(from, &net->tensor[op->in[1]]))
      return wrong(err, "pictures of different sizes are added");
    return MIEN_OK;
  case MI_NET_POOL:
    if (!is_padded(from) || from->dim[3] != to->dim[3] || op->relu)
      return wrong(err, "a window does not fit its picture");
    return check_window(from, to, op, err);
  case MI_NET_PAD:
    return check_pad(net, op, err);
  case MI_NET_COPY:
    return check_copy(net, op, err);
  case MI_NET_SCALE:
    return check_scale(net, op, err);
  case MI_NET_CONCAT:
    return check_concat(net, op, err);
  case MI_NET_REGION:
  case MI_NET_CROP:
  case MI_NET_PLACE:
    return check_attention(net, op, err);
  case MI_NET_CONSTANT:
    break;
  }
  return MIEN_OK;
}
