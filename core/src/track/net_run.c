#include "track/net_graph.h"

#include <string.h>

static mi_net_picture picture_of(const mi_net_tensor *t) {
  return (mi_net_picture){t->value, t->dim[1], t->dim[2], t->dim[3], t->pitch};
}

static void copy_pixels(const mi_net_picture *from, int y, int x, int count, float *to) {
  const float *pixel =
      from->pixel + ((size_t)y * (size_t)from->width + (size_t)x) * (size_t)from->pitch;
  int n = from->nchannel;
  if (from->pitch == n) { // one run of floats
    for (int i = 0; i < count * n; i++) to[i] = pixel[i];
    return;
  }
  for (int p = 0; p < count; p++, pixel += from->pitch)
    for (int c = 0; c < n; c++) to[p * n + c] = pixel[c];
}

// The windows of row `row`, each as one row of depth size_y * size_x * channels; zeros outside.
static void lay_out(const mi_net_picture *from, const mi_net_window *w, int row, int width,
                    float *to) {
  int y0 = row * w->step_y - w->pad_y, n = from->nchannel, line = w->size_x * n;
  for (int x = 0; x < width; x++) {
    int x0 = x * w->step_x - w->pad_x;
    int begin = x0 < 0 ? -x0 : 0;
    int end = x0 + w->size_x > from->width ? from->width - x0 : w->size_x;
    for (int y = y0; y < y0 + w->size_y; y++, to += line) {
      bool is_whole = y >= 0 && y < from->height && begin == 0 && end == w->size_x;
      if (!is_whole) memset(to, 0, (size_t)line * sizeof *to);
      if (y < 0 || y >= from->height || end <= begin) continue;
      copy_pixels(from, y, x0 + begin, end - begin, to + begin * n);
    }
  }
}

// Rows [row, row + count) of the matrix that a convolution multiplies with its weights.
static const float *gather(mi_net *net, const mi_net_op *op, int row, int count, int width,
                           int *pitch) {
  const mi_net_window *w = &op->window;
  if (op->depthwise >= 0) {
    const mi_net_op *before = &net->op[op->depthwise];
    mi_net_picture from = picture_of(&net->tensor[before->in[0]]);
    *pitch = from.pitch;
    for (int r = 0; r < count; r++)
      net->kernels->depthwise_row(&from, &before->window, before->weight, before->bias, row + r,
                                  width, net->scratch + (size_t)(r * width) * (size_t)*pitch);
    return net->scratch;
  }
  mi_net_picture from = picture_of(&net->tensor[op->in[0]]);
  bool is_point = w->size_x == 1 && w->size_y == 1 && w->step_x == 1 && w->step_y == 1;
  *pitch = is_point ? from.pitch : w->size_x * w->size_y * from.nchannel;
  if (is_point) return from.pixel + (size_t)(row * width) * (size_t)*pitch;
  for (int r = 0; r < count; r++)
    lay_out(&from, w, row + r, width, net->scratch + (size_t)(r * width) * (size_t)*pitch);
  return net->scratch;
}

static void run_conv(mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *to = &net->tensor[op->out], *weight = &net->tensor[op->in[1]];
  const mi_net_tensor *residual = op->residual >= 0 ? &net->tensor[op->residual] : NULL;
  int height = to->dim[1], width = to->dim[2], step = mi_net_rows_at_once(net, op);
  mi_net_product p = {.weight = op->weight,
                      .bias = op->bias,
                      .slope = op->slopes,
                      .relu = op->relu,
                      .depth = op->window.size_x * op->window.size_y * weight->dim[3],
                      .to_pitch = to->pitch,
                      .residual_pitch = residual ? residual->pitch : 0};
  for (int row = 0; row < height; row += step) {
    int count = row + step < height ? step : height - row;
    size_t first = (size_t)row * (size_t)width;
    p.from = gather(net, op, row, count, width, &p.from_pitch);
    p.npixel = count * width;
    p.to = to->value + first * (size_t)to->pitch;
    p.residual = residual ? residual->value + first * (size_t)residual->pitch : NULL;
    net->kernels->multiply(&p);
  }
}

static void run_rows(mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *to = &net->tensor[op->out];
  mi_net_picture from = picture_of(&net->tensor[op->in[0]]);
  for (int row = 0; row < to->dim[1]; row++) {
    float *at = to->value + (size_t)row * (size_t)to->dim[2] * (size_t)to->pitch;
    if (op->kind == MI_NET_POOL) {
      net->kernels->pool_row(&from, &op->window, row, to->dim[2], at);
      continue;
    }
    net->kernels->depthwise_row(&from, &op->window, op->weight, op->bias, row, to->dim[2], at);
    if (op->relu) net->kernels->finish(at, NULL, NULL, true, to->dim[2], to->pitch, at);
  }
}

// The same numbers in another shape, or with more channels, of zeros.
static void run_copy(const mi_net_tensor *from, const mi_net_tensor *to) {
  int from_width = from->rank ? from->dim[from->rank - 1] : 1;
  int to_width = to->rank ? to->dim[to->rank - 1] : 1;
  memset(to->value, 0, (size_t)to->nvalue * sizeof *to->value);
  if (from->count != to->count) { // more channels
    for (int p = 0; p < from->count / from_width; p++)
      memcpy(to->value + (size_t)p * (size_t)to->pitch,
             from->value + (size_t)p * (size_t)from->pitch, (size_t)from_width * sizeof(float));
    return;
  }
  for (int i = 0; i < from->count; i++)
    to->value[(size_t)(i / to_width) * (size_t)to->pitch + (size_t)(i % to_width)] =
        from->value[(size_t)(i / from_width) * (size_t)from->pitch + (size_t)(i % from_width)];
}

static void run_concat(const mi_net *net, const mi_net_op *op) {
  float *at = net->tensor[op->out].value;
  for (int k = 0; k < op->nin; k++) {
    const mi_net_tensor *from = &net->tensor[op->in[k]];
    memcpy(at, from->value, (size_t)from->count * sizeof *at);
    at += from->count;
  }
}

static void run_scale(const mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  bool is_one = net->tensor[op->in[1]].count == 1;
  for (int i = 0; i < from->count; i++) to->value[i] = from->value[i] * op->weight[is_one ? 0 : i];
}

static void run_op(mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *from = &net->tensor[op->in[0]], *to = &net->tensor[op->out];
  int npixel = to->nvalue / to->pitch;
  switch (op->kind) {
  case MI_NET_CONV:
    run_conv(net, op);
    break;
  case MI_NET_DEPTHWISE:
  case MI_NET_POOL:
    run_rows(net, op);
    break;
  case MI_NET_PRELU:
  case MI_NET_RELU:
    net->kernels->finish(from->value, NULL, op->slopes, op->kind == MI_NET_RELU, npixel, to->pitch,
                         to->value);
    break;
  case MI_NET_ADD:
    net->kernels->finish(from->value, net->tensor[op->in[1]].value, NULL, op->relu, npixel,
                         to->pitch, to->value);
    break;
  case MI_NET_PAD:
  case MI_NET_COPY:
    run_copy(from, to);
    break;
  case MI_NET_SCALE:
    run_scale(net, op);
    break;
  case MI_NET_CONCAT:
    run_concat(net, op);
    break;
  case MI_NET_REGION:
    mi_net_find_region(&op->region, from->value, to->value);
    break;
  case MI_NET_CROP:
    mi_net_crop(from, net->tensor[op->in[1]].value, to);
    break;
  case MI_NET_PLACE:
    mi_net_place(from->value, from->dim[1], net->tensor[op->in[1]].value, to->value);
    break;
  case MI_NET_CONSTANT:
    break;
  }
}

void mi_net_run(mi_net *net) {
  for (int i = 0; i < net->nop; i++)
    if (!net->op[i].is_fused) run_op(net, &net->op[i]);
}

void mi_net_input_size(const mi_net *net, int size[3]) {
  for (int i = 0; i < 3; i++) size[i] = net->tensor[net->input].dim[i + 1];
}

float *mi_net_input(mi_net *net) {
  return net->tensor[net->input].value;
}

int mi_net_output_count(const mi_net *net) {
  return net->noutput;
}

int mi_net_output_size(const mi_net *net, int output) {
  return net->tensor[net->output[output]].count;
}

void mi_net_output(const mi_net *net, int output, float *out) {
  const mi_net_tensor *t = &net->tensor[net->output[output]];
  int width = t->rank ? t->dim[t->rank - 1] : 1;
  for (int p = 0; p < t->count / width; p++)
    memcpy(out + (size_t)p * (size_t)width, t->value + (size_t)p * (size_t)t->pitch,
           (size_t)width * sizeof *out);
}

double mi_net_macs(const mi_net *net) {
  return net->macs;
}
