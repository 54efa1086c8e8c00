// Weights as the kernels want them, and a place for every picture: one that is no longer read gives
// its place to the next, so that a network runs in little more than its largest two pictures.
#include "track/net_graph.h"

#include <string.h>

// -- Weights --------------------------------------------------------------------------------------

static float *padded(mi_net *net, const mi_net_tensor *from, int count) {
  float *to = MI_PUSH(&net->arena, float, mi_net_round_up(count));
  if (to) memcpy(to, from->constant, (size_t)count * sizeof *to);
  return to;
}

// Panels of 16 columns: see mi_net_product.
static float *pack_product(mi_net *net, const float *weight, int nout, int depth) {
  int pitch = mi_net_round_up(nout);
  float *to = MI_PUSH(&net->arena, float, (size_t)pitch *(size_t)depth);
  for (int n = 0; to && n < nout; n++) {
    int panel = n / 16, wide = pitch - 16 * panel >= 16 ? 16 : 8;
    float *column = to + (size_t)panel * 16 * (size_t)depth + n % 16;
    for (int k = 0; k < depth; k++) column[k * wide] = weight[(size_t)n * (size_t)depth + k];
  }
  return to;
}

static float *pack_depthwise(mi_net *net, const float *weight, int ntap, int nchannel) {
  int pitch = mi_net_round_up(nchannel);
  float *to = MI_PUSH(&net->arena, float, (size_t)pitch *(size_t)ntap);
  for (int k = 0; to && k < ntap; k++)
    memcpy(to + k * pitch, weight + k * nchannel, (size_t)nchannel * sizeof *to);
  return to;
}

static bool pack(mi_net *net, mi_net_op *op) {
  const mi_net_tensor *in = net->tensor;
  int ntap = op->window.size_x * op->window.size_y;
  int slope = op->kind == MI_NET_PRELU ? op->in[1] : op->kind == MI_NET_CONV ? op->slope : -1;
  if (slope >= 0 && !(op->slopes = padded(net, &in[slope], in[slope].count))) return false;
  switch (op->kind) {
  case MI_NET_CONV:
    op->weight = pack_product(net, in[op->in[1]].constant, in[op->in[1]].dim[0],
                              ntap * in[op->in[1]].dim[3]);
    op->bias = padded(net, &in[op->in[2]], in[op->in[2]].count);
    return op->weight && op->bias;
  case MI_NET_DEPTHWISE:
    op->weight = pack_depthwise(net, in[op->in[1]].constant, ntap, in[op->in[1]].dim[3]);
    op->bias = padded(net, &in[op->in[2]], in[op->in[2]].count);
    return op->weight && op->bias;
  case MI_NET_SCALE:
    op->weight = padded(net, &in[op->in[1]], in[op->in[1]].count);
    return op->weight != NULL;
  default:
    return true;
  }
}

// -- Places ---------------------------------------------------------------------------------------

static void live_until(mi_net *net, int tensor, int op) {
  mi_net_tensor *t = &net->tensor[tensor];
  if (t->maker == -1) return;
  if (op + 1 > t->end) t->end = op + 1;
}

static void find_lives(mi_net *net) {
  for (int i = 0; i < net->nop; i++) {
    const mi_net_op *op = &net->op[i];
    if (op->is_fused) continue;
    net->tensor[op->out].first = i;
    live_until(net, op->out, i);
    int in = op->depthwise >= 0 ? net->op[op->depthwise].in[0] : op->in[0];
    live_until(net, in, i);
    if (op->residual >= 0) live_until(net, op->residual, i);
    for (int k = 1; k < op->nin; k++) live_until(net, op->in[k], i);
  }
  for (int i = 0; i < net->noutput; i++) live_until(net, net->output[i], net->nop);
}

// The lowest offset that overlaps no tensor alive at the same time. `placed` has `count` tensors.
static size_t find_place(const mi_net *net, const mi_net_tensor *t, const int *placed, int count) {
  size_t at = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < count; i++) {
      const mi_net_tensor *other = &net->tensor[placed[i]];
      bool is_alive = other->first < t->end && t->first < other->end;
      size_t end = other->offset + (size_t)mi_net_round_up(other->nvalue);
      if (!is_alive || at >= end || other->offset >= at + (size_t)mi_net_round_up(t->nvalue))
        continue;
      at = end;
      moved = true;
    }
  }
  return at;
}

static bool place(mi_net *net) {
  int *placed = MI_PUSH(&net->arena, int, net->ntensor);
  if (!placed) return false;
  int count = 0;
  find_lives(net);
  for (int i = 0; i < net->ntensor; i++) {
    mi_net_tensor *t = &net->tensor[i];
    if (!t->end || t->maker == -1) continue;
    t->offset = find_place(net, t, placed, count);
    placed[count++] = i;
    size_t end = t->offset + (size_t)mi_net_round_up(t->nvalue);
    if (end > net->nwork) net->nwork = end;
  }
  net->work = MI_PUSH(&net->arena, float, net->nwork);
  if (!net->work) return false;
  for (int i = 0; i < count; i++)
    net->tensor[placed[i]].value = net->work + net->tensor[placed[i]].offset;
  return true;
}

// -- Scratch --------------------------------------------------------------------------------------

// Floats that one row of a convolution needs: rows of the depthwise before it, or its windows laid
// out side by side. A 1x1 convolution reads its pixels where they are.
static size_t scratch_of_row(const mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *to = &net->tensor[op->out], *weight = &net->tensor[op->in[1]];
  if (op->depthwise >= 0) return (size_t)to->dim[2] * (size_t)net->tensor[op->in[0]].pitch;
  const mi_net_window *w = &op->window;
  return (size_t)to->dim[2] * (size_t)(w->size_x * w->size_y) * (size_t)weight->dim[3];
}

// Enough pixels to keep the product busy, few enough to stay in the first cache.
int mi_net_rows_at_once(const mi_net *net, const mi_net_op *op) {
  const mi_net_tensor *to = &net->tensor[op->out];
  int rows = 48 / to->dim[2];
  if (rows < 1) rows = 1;
  return rows < to->dim[1] ? rows : to->dim[1];
}

mien_result mi_net_plan(mi_net *net, mien_error *err) {
  for (int i = 0; i < net->nop; i++) {
    mi_net_op *op = &net->op[i];
    bool is_inside = op->is_fused && op->kind != MI_NET_DEPTHWISE;
    if (!is_inside && !pack(net, op)) return mi_fail_memory(err);
    if (op->kind != MI_NET_CONV) continue;
    size_t most = scratch_of_row(net, op) * (size_t)mi_net_rows_at_once(net, op);
    if (most > net->nscratch) net->nscratch = most;
  }
  net->scratch = MI_PUSH(&net->arena, float, net->nscratch);
  if (!net->scratch || !place(net)) return mi_fail_memory(err);
  return MIEN_OK;
}
