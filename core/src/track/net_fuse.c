// Operations that can be done on the way. A face network is made of blocks
//
//   depthwise 3x3 -> 1x1 convolution -> + what came in (pooled, padded) -> PReLU
//
// and run one by one each of them reads and writes a whole picture. Here a convolution learns to do
// the depthwise rows before it, and the sum and the function after it, while the rows are in cache.
#include "track/net_graph.h"

static void count_uses(mi_net *net) {
  for (int i = 0; i < net->nop; i++)
    for (int k = 0; k < net->op[i].nin; k++) net->tensor[net->op[i].in[k]].nuse++;
  for (int i = 0; i < net->noutput; i++) net->tensor[net->output[i]].nuse++;
}

// The one operation that reads what `op` computes, or NULL.
static mi_net_op *only_reader(mi_net *net, const mi_net_op *op) {
  if (net->tensor[op->out].nuse != 1) return NULL;
  for (int i = 0; i < net->nop; i++)
    for (int k = 0; k < net->op[i].nin; k++)
      if (net->op[i].in[k] == op->out) return net->op[i].is_fused ? NULL : &net->op[i];
  return NULL; // an output
}

static void take_over(mi_net *net, mi_net_op *op, mi_net_op *after) {
  op->out = after->out;
  after->is_fused = true;
  net->tensor[op->out].maker = (int)(op - net->op);
}

// conv + ADD: the other picture must be there before the convolution runs.
static void fuse_add(mi_net *net, mi_net_op *op) {
  mi_net_op *add = only_reader(net, op);
  if (!add || add->kind != MI_NET_ADD || add->in[0] == add->in[1]) return;
  int other = add->in[0] == op->out ? add->in[1] : add->in[0];
  int maker = net->tensor[other].maker, self = (int)(op - net->op);
  if (maker >= 0 && net->op[maker].kind == MI_NET_PAD && net->tensor[other].nuse == 1) {
    // missing channels count as zero, so the padded picture need not be made
    int before = net->op[maker].in[0];
    if (net->tensor[before].maker < self) {
      net->op[maker].is_fused = true;
      other = before;
      maker = net->tensor[before].maker;
    }
  }
  if (maker >= self) return;
  op->residual = other;
  op->relu = add->relu;
  take_over(net, op, add);
}

static void fuse_function(mi_net *net, mi_net_op *op) {
  mi_net_op *after = only_reader(net, op);
  if (!after || op->relu) return;
  if (after->kind == MI_NET_PRELU)
    op->slope = after->in[1];
  else if (after->kind == MI_NET_RELU)
    op->relu = true;
  else
    return;
  take_over(net, op, after);
}

static void fuse_depthwise(mi_net *net, mi_net_op *op) {
  const mi_net_tensor *from = &net->tensor[op->in[0]];
  if (from->maker < 0 || from->nuse != 1) return;
  mi_net_op *before = &net->op[from->maker];
  bool is_point = op->window.size_x == 1 && op->window.size_y == 1 && op->window.step_x == 1 &&
                  op->window.step_y == 1;
  if (before->kind != MI_NET_DEPTHWISE || before->is_fused || before->relu || !is_point) return;
  op->depthwise = from->maker;
  before->is_fused = true;
}

void mi_net_fuse(mi_net *net) {
  count_uses(net);
  for (int i = 0; i < net->nop; i++) {
    mi_net_op *op = &net->op[i];
    if (op->kind != MI_NET_CONV || op->is_fused) continue;
    fuse_depthwise(net, op);
    if (!op->relu) fuse_add(net, op);
    fuse_function(net, op);
  }
}
