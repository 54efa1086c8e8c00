// The numbers of the factor: multifrontal, in double. Every supernode collects what its columns
// have in A and what its children pass on, sweeps its own columns out and passes the rest to its
// parent.
#include "sparse/supernodal.h"

#include <string.h>

typedef struct front {
  const mi_csr *a;
  const mi_symbolic *sym;
  int32_t *place; // row of A -> column of the factor                      (n)
  int32_t *local; // column -> row of the front, where mark[column] is this supernode's stamp
  int32_t *mark;
  double *f; // the front, column-major, lower triangle
  int ld;
  double *stack; // what children pass on: nrow x nrow, lower triangle, column-major
  size_t height;
  double *panel;
} front;

static size_t square(int32_t n) {
  return (size_t)n * (size_t)n;
}

// How high the stack grows, and the largest front.
static bool measure(const mi_symbolic *sym, mi_arena *scratch, size_t *peak, int *largest) {
  size_t *passed = MI_PUSH(scratch, size_t, sym->nsuper + 1), height = 0;
  if (!passed) return false;
  *peak = 0;
  *largest = 0;
  for (int k = 0; k < sym->nsuper; k++) {
    int s = sym->postorder[k];
    const mi_super *super = sym->super + s;
    height += square(super->nrow) - passed[s];
    if (super->parent >= 0) passed[super->parent] += square(super->nrow);
    if (height > *peak) *peak = height;
    if (super->width + super->nrow > *largest) *largest = super->width + super->nrow;
  }
  return true;
}

static void number_front(front *c, int s) {
  const mi_super *super = c->sym->super + s;
  const int32_t *column = c->sym->column + c->sym->column_at[s];
  int count = super->width + super->nrow;
  for (int k = 0; k < count; k++) {
    int at = k < super->width ? super->first + k : column[k - super->width];
    c->local[at] = k;
    c->mark[at] = s;
  }
  c->ld = 8 * mi_blocks(count);
  memset(c->f, 0, square(c->ld) * sizeof *c->f);
}

static void add_matrix(front *c, int s) {
  const mi_super *super = c->sym->super + s;
  for (int k = 0; k < super->width; k++) {
    int j = c->sym->vertex[super->first + k];
    double *column = c->f + (size_t)k * (size_t)c->ld;
    for (int p = c->a->first[j]; p < c->a->first[j + 1]; p++) {
      int at = c->place[c->a->column[p]];
      if (c->mark[at] == s && c->local[at] >= k) column[c->local[at]] += c->a->value[p];
    }
  }
}

static void add_child(front *c, int child) {
  int nrow = c->sym->super[child].nrow;
  const int32_t *column = c->sym->column + c->sym->column_at[child];
  c->height -= square(nrow);
  const double *passed = c->stack + c->height;
  for (int j = 0; j < nrow; j++) {
    int to = c->local[column[j]];
    for (int i = j; i < nrow; i++) {
      int at = c->local[column[i]];
      double *entry = at >= to ? c->f + (size_t)to * (size_t)c->ld + at
                               : c->f + (size_t)at * (size_t)c->ld + to;
      *entry += passed[(size_t)j * (size_t)nrow + (size_t)i];
    }
  }
}

static void pass_on(front *c, int s) {
  const mi_super *super = c->sym->super + s;
  double *to = c->stack + c->height;
  for (int j = 0; j < super->nrow; j++)
    memcpy(to + (size_t)j * (size_t)super->nrow,
           c->f + (size_t)(super->width + j) * (size_t)c->ld + super->width,
           (size_t)super->nrow * sizeof *to);
  c->height += square(super->nrow);
}

static void keep(const front *c, int s, float *entry) {
  const mi_super *super = c->sym->super + s;
  int width = super->width;
  for (int j = 0; j < width; j++) {
    const double *column = c->f + (size_t)j * (size_t)c->ld;
    for (int i = 0; i < super->nrow; i++)
      entry[super->panel + ((int64_t)(i / 8) * width + j) * 8 + i % 8] = (float)column[width + i];
    for (int i = j; i < width; i++) {
      entry[super->block + ((int64_t)(i / 8) * width + j) * 8 + i % 8] = (float)-column[i];
      entry[super->block + ((int64_t)(j / 8) * width + i) * 8 + j % 8] = (float)-column[i];
    }
  }
}

mien_result mi_numeric_find(const mi_csr *a, const mi_symbolic *sym, float *entry,
                            mi_arena *scratch, mien_error *err) {
  size_t peak;
  int largest;
  if (!measure(sym, scratch, &peak, &largest)) return mi_fail_memory(err);
  int ld = 8 * mi_blocks(largest);
  front c = {.a = a, .sym = sym};
  c.place = MI_PUSH(scratch, int32_t, sym->n);
  c.local = MI_PUSH(scratch, int32_t, sym->n);
  c.mark = MI_PUSH(scratch, int32_t, sym->n);
  c.f = MI_PUSH_RAW(scratch, double, square(ld));
  c.stack = MI_PUSH_RAW(scratch, double, peak);
  c.panel = MI_PUSH_RAW(scratch, double, mi_sweep_panel(ld));
  int32_t *nchild = MI_PUSH(scratch, int32_t, sym->nsuper);
  int32_t *waiting = MI_PUSH(scratch, int32_t, sym->nsuper), nwaiting = 0;
  if (!c.place || !c.local || !c.mark || !c.f || !c.stack || !c.panel || !nchild || !waiting)
    return mi_fail_memory(err);
  for (int k = 0; k < sym->n; k++) c.place[sym->vertex[k]] = k, c.mark[k] = -1;
  for (int s = 0; s < sym->nsuper; s++)
    if (sym->super[s].parent >= 0) nchild[sym->super[s].parent]++;
  for (int k = 0; k < sym->nsuper; k++) {
    int s = sym->postorder[k];
    const mi_super *super = sym->super + s;
    number_front(&c, s);
    add_matrix(&c, s);
    for (int i = 0; i < nchild[s]; i++) add_child(&c, waiting[--nwaiting]);
    int bad = mi_sweep(c.f, c.ld, super->width + super->nrow, super->width, c.panel);
    if (bad >= 0)
      return mi_fail(err, MIEN_ERR_MISMATCH, "the matrix is not positive definite (row %d)",
                     (int)sym->vertex[super->first + bad]);
    keep(&c, s, entry);
    if (super->parent < 0) continue;
    pass_on(&c, s);
    waiting[nwaiting++] = s;
  }
  return MIEN_OK;
}
