// Solving with the factor: tasks side by side, then the top, then tasks again.
#include "sparse/factor.h"

#include <math.h>
#include <string.h>

// -- sweeps over supernodes -----------------------------------------------------------------------

static mi_panel panel_of(const mi_factor *f, const mi_super *s) {
  mi_panel panel = {NULL, mi_blocks(s->nrow), s->width, s->width, NULL};
  if (f->half)
    panel.half = f->half + s->panel;
  else
    panel.entry = f->entry + s->panel;
  return panel;
}

static mi_panel block_of(const mi_factor *f, const mi_super *s) {
  return (mi_panel){f->entry + s->block, mi_blocks(s->width), s->width, s->width, NULL};
}

// blocks [begin, end) of it; columns [begin, end)
static mi_panel moved_by(mi_panel s, size_t count) {
  if (s.half)
    s.half += count;
  else
    s.entry += count;
  return s;
}
static mi_panel blocks_of(mi_panel s, int begin, int end) {
  s = moved_by(s, 8 * (size_t)begin * (size_t)s.stride);
  s.nblock = end - begin;
  return s;
}
static mi_panel columns_of(mi_panel s, int begin, int end) {
  s = moved_by(s, 8 * (size_t)begin);
  s.width = end - begin;
  return s;
}

static bool is_root(const mi_factor *f, int s) {
  return f->sym.nroot && s == f->sym.nsuper - 1;
}

// One supernode in the hands of one thread or, at the top of the tree, of several.
typedef struct turn {
  mi_factor *factor;
  const mi_super *super;
  float *own, *temporary;
} turn;

static turn turn_of(mi_factor *f, const mi_task *task, const mi_super *s) {
  return (turn){f, s, f->work + 4 * (size_t)(task->base + s->first - task->first),
                f->work + 4 * (size_t)task->temporary};
}

// Blocks of L, then blocks of D^-1.
static void forward_blocks(void *user, int begin, int end) {
  const turn *t = user;
  mi_factor *f = t->factor;
  mi_panel panel = panel_of(f, t->super), block = block_of(f, t->super);
  if (begin < panel.nblock)
    f->kernels->panel_subtract(blocks_of(panel, begin, end < panel.nblock ? end : panel.nblock),
                               f->sym.row + t->super->row + 8 * begin, t->own, f->work);
  begin = begin < panel.nblock ? 0 : begin - panel.nblock;
  if (begin < end - panel.nblock)
    f->kernels->panel_multiply(blocks_of(block, begin, end - panel.nblock), t->own,
                               t->temporary + 32 * (size_t)begin);
}

// Columns by fours, with the rows below gathered.
static void backward_columns(void *user, int begin, int end) {
  const turn *t = user;
  int width = t->super->width, first = 4 * begin, last = 4 * end < width ? 4 * end : width;
  t->factor->kernels->panel_subtract_transposed(
      columns_of(panel_of(t->factor, t->super), first, last), t->temporary, t->own + 4 * first);
}

// A supernode worth dividing is cut into eight chunks, whatever the number of threads.
enum { WORTH_DIVIDING = 16384 };

static inline void divide(int threads, int count, mi_range_fn *fn, turn *t) {
  if (mi_panel_size(t->super->nrow, t->super->width) > WORTH_DIVIDING)
    mi_parallel(threads, count, (count + 7) / 8, fn, t);
  else
    fn(t, 0, count);
}

static void go_forward(mi_factor *f, const mi_task *task, int threads) {
  for (int k = task->super; k < task->super + task->nsuper && !is_root(f, k); k++) {
    const mi_super *s = f->sym.super + k;
    turn t = turn_of(f, task, s);
    divide(threads, mi_blocks(s->nrow) + mi_blocks(s->width), forward_blocks, &t);
    memcpy(t.own, t.temporary, 4 * (size_t)s->width * sizeof *t.own);
  }
}

static void go_backward(mi_factor *f, const mi_task *task, int threads) {
  for (int k = task->super + task->nsuper - 1; k >= task->super; k--) {
    const mi_super *s = f->sym.super + k;
    turn t = turn_of(f, task, s);
    if (is_root(f, k)) continue;
    f->kernels->gather(f->work, f->sym.row + s->row, mi_blocks(s->nrow), t.temporary);
    divide(threads, (s->width + 3) / 4, backward_columns, &t);
  }
}

// -- tasks ----------------------------------------------------------------------------------------

static void copy_row(float *to, const float *from) {
  memcpy(to, from, 4 * sizeof *to);
}

static void load(const mi_factor *f, const mi_task *task, const float *b) {
  float *own = f->work + 4 * (size_t)task->base;
  for (int k = 0; k < task->width; k++)
    copy_row(own + 4 * k, b + 4 * (size_t)f->sym.vertex[task->first + k]);
  memset(own + 4 * (size_t)task->width, 0, 4 * (size_t)(task->nboundary + 1) * sizeof *own);
}

static void store(const mi_factor *f, const mi_task *task, float *x) {
  const float *own = f->work + 4 * (size_t)task->base;
  for (int k = 0; k < task->width; k++)
    copy_row(x + 4 * (size_t)f->sym.vertex[task->first + k], own + 4 * k);
}

// contributions of a task to the top, in the order of tasks
static void add_boundary(const mi_factor *f, const mi_task *task) {
  const float *from = f->work + 4 * (size_t)(task->base + task->width);
  for (int k = 0; k < task->nboundary; k++) {
    float *to = f->work + 4 * (size_t)f->sym.boundary[task->boundary + k];
    for (int c = 0; c < 4; c++) to[c] += from[4 * k + c];
  }
}

static void take_boundary(const mi_factor *f, const mi_task *task) {
  float *to = f->work + 4 * (size_t)(task->base + task->width);
  for (int k = 0; k < task->nboundary; k++)
    copy_row(to + 4 * k, f->work + 4 * (size_t)f->sym.boundary[task->boundary + k]);
}

typedef struct solve_ctx {
  mi_factor *factor;
  const float *b;
  float *x;
} solve_ctx;

// The largest come first, so that threads end at about the same time.
static void run_forward(void *user, int begin, int end) {
  solve_ctx *s = user;
  for (int k = begin; k < end; k++) {
    const mi_task *task = s->factor->sym.task + s->factor->largest_first[k];
    load(s->factor, task, s->b);
    go_forward(s->factor, task, 1);
  }
}

static void run_backward(void *user, int begin, int end) {
  solve_ctx *s = user;
  for (int k = begin; k < end; k++) {
    const mi_task *task = s->factor->sym.task + s->factor->largest_first[k];
    take_boundary(s->factor, task);
    go_backward(s->factor, task, 1);
    store(s->factor, task, s->x);
  }
}

// -- root -----------------------------------------------------------------------------------------

enum { ROOT_CHUNK = 8 }; // blocks of eight rows

static void multiply_root(void *user, int begin, int end) {
  mi_factor *f = user;
  mi_panel all = block_of(f, f->sym.super + f->sym.nsuper - 1);
  f->kernels->panel_multiply(blocks_of(all, begin, end), f->root,
                             f->root + 32 * (size_t)(all.nblock + begin));
}

// where rank-1 rows pull at few vertices
static void multiply_root_at_rank1(void *user, int begin, int end) {
  mi_factor *f = user;
  mi_panel all = block_of(f, f->sym.super + f->sym.nsuper - 1);
  f->kernels->panel_multiply_some(blocks_of(all, begin, end), f->update.sorted, f->update.nvert,
                                  f->root, f->root + 32 * (size_t)(all.nblock + begin));
}

static void solve_root(mi_factor *f, int threads) {
  const mi_task *top = f->sym.task + f->sym.ntask;
  int nroot = f->sym.nroot, nblock = mi_blocks(nroot);
  float *own = f->work + 4 * (size_t)(top->base + top->width - nroot);
  float *x = f->root + 32 * (size_t)nblock;
  if (mi_schur_solve(f, own)) return;
  memcpy(f->root, own, 4 * (size_t)nroot * sizeof *own);
  mi_parallel(threads, nblock, ROOT_CHUNK, multiply_root, f);
  mi_correct_root(f, x);
  memcpy(own, x, 4 * (size_t)nroot * sizeof *own);
  if (!mi_rank1_answer(f, own, f->root)) return;
  mi_parallel(threads, nblock, ROOT_CHUNK, multiply_root_at_rank1, f);
  mi_correct_root(f, x);
  for (int i = 0; i < 4 * nroot; i++) own[i] -= x[i];
}

void mi_factor_solve_inside(mi_factor *f, const float *b, int threads, float *x) {
  solve_ctx s = {.factor = f, .b = b, .x = x};
  const mi_task *top = f->sym.task + f->sym.ntask;
  mi_parallel(threads, f->sym.ntask, 1, run_forward, &s);
  load(f, top, b);
  for (int t = 0; t < f->sym.ntask; t++) add_boundary(f, f->sym.task + t);
  go_forward(f, top, threads);
  if (f->sym.nroot) solve_root(f, threads);
  go_backward(f, top, threads);
  mi_parallel(threads, f->sym.ntask, 1, run_backward, &s);
  store(f, top, x);
}

void mi_factor_solve(mi_factor *factor, const float *b, int threads, float *x) {
  mi_factor_solve_inside(factor, b, threads, x);
  if (factor->outside.count) mi_correct_outside(factor, threads, x);
}

// -- making ---------------------------------------------------------------------------------------

static double cost_of(const mi_symbolic *sym, const mi_task *task) {
  double cost = 0;
  for (int k = task->super; k < task->super + task->nsuper; k++)
    cost += mi_super_cost(sym->super[k].width, sym->super[k].nrow);
  return cost;
}

static void sort_tasks(mi_factor *f) {
  for (int t = 0; t < f->sym.ntask; t++) {
    double cost = cost_of(&f->sym, f->sym.task + t);
    int at = t;
    for (; at > 0 && cost_of(&f->sym, f->sym.task + f->largest_first[at - 1]) < cost; at--)
      f->largest_first[at] = f->largest_first[at - 1];
    f->largest_first[at] = t;
  }
}

static bool reserve_rows(mi_factor *f) {
  const mi_symbolic *sym = &f->sym;
  f->root_row = MI_PUSH(&f->arena, int32_t, 8 * (size_t)mi_blocks(sym->nroot));
  f->largest_first = MI_PUSH(&f->arena, int32_t, sym->ntask);
  if (!f->root_row || !f->largest_first) return false;
  for (int k = 0; k < 8 * mi_blocks(sym->nroot); k++) f->root_row[k] = k;
  sort_tasks(f);
  return true;
}

static bool reserve_work(mi_factor *f) {
  f->work = MI_PUSH(&f->work_arena, float, 4 * (size_t)f->sym.nwork);
  f->root = MI_PUSH(&f->work_arena, float, 64 * (size_t)mi_blocks(f->sym.nroot));
  return f->work && f->root && mi_correction_reserve(f);
}

// The nearest number of half precision; beyond its range the largest.
static uint16_t half_of(float value) {
  uint32_t bits;
  float scaled = fminf(fabsf(value), 65504.0f) * 0x1p-112f; // the exponent of a half, to round
  memcpy(&bits, &scaled, sizeof bits);
  bits += 0xfff + (bits >> 13 & 1);
  return (uint16_t)((signbit(value) ? 0x8000u : 0) | bits >> 13);
}

// L goes to half precision: half the bytes of a solve, which lives from reading them. D^-1 stays,
// so that A is replaced by another positive definite matrix close by, and spring rows are exact for
// that.
static bool compact(mi_factor *f, const float *entry) {
  mi_symbolic *sym = &f->sym;
  int64_t nhalf = 0, nfloat = 0;
  for (int s = 0; s < sym->nsuper; s++) {
    nhalf += (int64_t)mi_panel_size(sym->super[s].nrow, sym->super[s].width);
    nfloat += (int64_t)mi_panel_size(sym->super[s].width, sym->super[s].width);
  }
  f->half = MI_PUSH_RAW(&f->arena, uint16_t, nhalf);
  f->entry = MI_PUSH_RAW(&f->arena, float, nfloat);
  if (!f->half || !f->entry) return false;
  nhalf = nfloat = 0;
  for (int s = 0; s < sym->nsuper; s++) {
    mi_super *super = sym->super + s;
    size_t panel = mi_panel_size(super->nrow, super->width);
    size_t block = mi_panel_size(super->width, super->width);
    for (size_t k = 0; k < panel; k++)
      f->half[(size_t)nhalf + k] = half_of(entry[(size_t)super->panel + k]);
    memcpy(f->entry + nfloat, entry + super->block, block * sizeof *entry);
    super->panel = nhalf;
    super->block = nfloat;
    nhalf += (int64_t)panel;
    nfloat += (int64_t)block;
  }
  return true;
}

static mien_result make(mi_factor *f, const mi_csr *a, int nfront, bool in_half, mi_arena *scratch,
                        mien_error *err) {
  if (!mi_symbolic_find(a, nfront, &f->arena, scratch, &f->sym) || !reserve_rows(f) ||
      !reserve_work(f))
    return mi_fail_memory(err);
  float *entry = MI_PUSH(in_half ? scratch : &f->arena, float, f->sym.nstored);
  if (!entry) return mi_fail_memory(err);
  mien_result result = mi_numeric_find(a, &f->sym, entry, scratch, err);
  if (!in_half)
    f->entry = entry;
  else if (result == MIEN_OK && !compact(f, entry))
    result = mi_fail_memory(err);
  // these belong to the scratch
  f->sym.column = NULL;
  f->sym.column_at = NULL;
  f->sym.postorder = NULL;
  return result;
}

// without numbers; NULL when memory ends
static mi_factor *create_empty(const mien_host *host) {
  mi_arena arena;
  mi_arena_init(&arena, host);
  mi_factor *f = MI_PUSH(&arena, mi_factor, 1);
  if (!f) return NULL;
  f->work_arena = arena;
  mi_arena_init(&f->arena, host);
  f->kernels = mi_sparse_kernels_best();
  return f;
}

static mien_result create(const mi_csr *a, int nfront, bool in_half, const mien_host *host,
                          mi_factor **out, mien_error *err) {
  *out = NULL;
  mi_arena scratch;
  mi_arena_init(&scratch, host);
  mi_factor *f = create_empty(host);
  if (!f) return mi_fail_memory(err);
  mien_result result = make(f, a, nfront, in_half, &scratch, err);
  mi_arena_free(&scratch);
  if (result < 0) {
    mi_factor_free(f);
    return result;
  }
  *out = f;
  return MIEN_OK;
}

mien_result mi_factor_create(const mi_csr *a, int nfront, const mien_host *host, mi_factor **out,
                             mien_error *err) {
  return create(a, nfront, false, host, out, err);
}

mien_result mi_factor_create_compact(const mi_csr *a, int nfront, const mien_host *host,
                                     mi_factor **out, mien_error *err) {
  return create(a, nfront, true, host, out, err);
}

static void take_numbers(mi_factor *f, const mi_factor *from) {
  f->sym = from->sym;
  f->entry = from->entry;
  f->half = from->half;
  f->root_row = from->root_row;
  f->largest_first = from->largest_first;
}

mien_result mi_factor_share(const mi_factor *from, const mien_host *host, mi_factor **out,
                            mien_error *err) {
  *out = NULL;
  mi_factor *f = create_empty(host);
  if (!f) return mi_fail_memory(err);
  take_numbers(f, from);
  if (!reserve_work(f)) {
    mi_factor_free(f);
    return mi_fail_memory(err);
  }
  *out = f;
  return MIEN_OK;
}

void mi_factor_switch(mi_factor *f, const mi_factor *to) {
  mi_factor_set_lowrank(f, NULL, 1);
  take_numbers(f, to);
  f->schur.is_known = false;
}

mi_factor_info mi_factor_get_info(const mi_factor *f) {
  return (mi_factor_info){f->sym.nsuper,  f->sym.ntask,       f->sym.nroot, f->sym.nentry,
                          f->sym.nstored, mi_factor_bytes(f), f->nlowrank,  f->outside.count};
}

size_t mi_factor_bytes(const mi_factor *factor) {
  return factor->arena.total + factor->work_arena.total;
}

void mi_factor_free(mi_factor *factor) {
  if (!factor) return;
  mi_arena_free(&factor->arena);
  mi_arena work = factor->work_arena; // it lives in its own memory
  mi_arena_free(&work);
}
