// Numbers, rows and places of the supernodes: everything about the factor that does not depend on
// the values of A.
#include "sparse/supernodal.h"

#include <stdlib.h>
#include <string.h>

// Tasks are at most this share of the work, so that two to eight threads come out even, and at
// least so many cycles, so that starting one pays.
static const double TASK_SHARE = 1.0 / 14, TASK_LEAST = 20000;

typedef struct maker {
  const mi_csr *a;
  mi_symbolic *sym;
  mi_arena *arena, *scratch;
  mi_tree tree;
  int nfront;
  int32_t *task_of; // supernode of the tree -> task, -1 = top
  int32_t *number;  // supernode of the tree -> supernode of the factor
  int32_t *place;   // row of A -> column of the factor
} maker;

// -- tasks ----------------------------------------------------------------------------------------

// Subtrees are contiguous in the tree's numbering. Whole ones that are small enough, packed in
// order.
static bool pack_tasks(maker *m) {
  const mi_tree *tree = &m->tree;
  int count = tree->count;
  bool has_root = m->nfront < m->a->nrow;
  double *below = MI_PUSH(m->scratch, double, count + 1), total = 0;
  m->task_of = MI_PUSH(m->scratch, int32_t, count + 1);
  if (!below || !m->task_of) return false;
  for (int s = 0; s < count - has_root; s++) {
    below[s] += mi_super_cost(tree->width[s], tree->nrow[s]);
    total += mi_super_cost(tree->width[s], tree->nrow[s]);
    if (tree->parent[s] >= 0) below[tree->parent[s]] += below[s];
  }
  double most = total * TASK_SHARE < TASK_LEAST ? TASK_LEAST : total * TASK_SHARE, filled = 0;
  if (has_root) below[count - 1] = 2 * (most + total); // always part of the top
  int ntask = 0;
  for (int s = count - 1; s >= 0; s--) {
    int parent = tree->parent[s];
    m->task_of[s] = -1;
    if (below[s] > most) continue;
    bool heads = parent < 0 || below[parent] > most;
    if (heads && ntask && filled + below[s] <= most)
      filled += below[s];
    else if (heads)
      ntask++, filled = below[s];
    m->task_of[s] = heads ? ntask - 1 : m->task_of[parent];
  }
  m->sym->ntask = ntask;
  return true;
}

// -- numbers --------------------------------------------------------------------------------------

// Tasks first, then the top; inside each the tree's own order.
static void number_supernodes(maker *m) {
  mi_symbolic *sym = m->sym;
  const mi_tree *tree = &m->tree;
  int at = 0, column = 0;
  for (int t = 0; t <= sym->ntask; t++) {
    mi_task *task = sym->task + t;
    *task = (mi_task){.super = at, .first = column};
    for (int s = 0; s < tree->count; s++) {
      if ((m->task_of[s] < 0 ? sym->ntask : m->task_of[s]) != t) continue;
      m->number[s] = at;
      sym->super[at++] = (mi_super){.first = column, .width = tree->width[s], .task = t};
      column += tree->width[s];
    }
    task->nsuper = at - task->super;
    task->width = column - task->first;
  }
  for (int s = 0; s < tree->count; s++) {
    sym->postorder[s] = m->number[s];
    sym->super[m->number[s]].parent = tree->parent[s] < 0 ? -1 : m->number[tree->parent[s]];
  }
}

static bool number_columns(maker *m) {
  mi_symbolic *sym = m->sym;
  int32_t *filled = MI_PUSH(m->scratch, int32_t, sym->nsuper);
  if (!filled) return false;
  for (int j = 0; j < sym->n; j++) {
    int s = m->number[m->tree.of[j]];
    int column = sym->super[s].first + filled[s]++;
    sym->vertex[column] = j;
    m->place[j] = column;
  }
  return true;
}

// -- rows -----------------------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
  return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

typedef struct collector {
  int32_t *mark, stamp;
  int32_t *out;
  int count;
} collector;

static void collect(collector *c, int column) {
  if (c->mark[column] == c->stamp) return;
  c->mark[column] = c->stamp;
  c->out[c->count++] = column;
}

// The rows of s: those of its columns in A, and those its children left, later than its own.
static void collect_rows(maker *m, int s, const int32_t *head, const int32_t *next, collector *c) {
  const mi_symbolic *sym = m->sym;
  const mi_csr *a = m->a;
  const mi_super *super = sym->super + m->number[s];
  for (int k = super->first; k < super->first + super->width; k++) {
    int j = sym->vertex[k];
    for (int p = a->first[j]; p < a->first[j + 1]; p++)
      if (m->tree.of[a->column[p]] > s) collect(c, m->place[a->column[p]]);
  }
  for (int child = head[s]; child >= 0; child = next[child]) {
    const mi_super *from = sym->super + m->number[child];
    const int32_t *column = sym->column + sym->column_at[m->number[child]];
    for (int k = 0; k < from->nrow; k++)
      if (column[k] < super->first || column[k] >= super->first + super->width)
        collect(c, column[k]);
  }
  qsort(c->out, (size_t)c->count, sizeof *c->out, compare);
}

static bool find_rows(maker *m) {
  mi_symbolic *sym = m->sym;
  const mi_tree *tree = &m->tree;
  int64_t most = 0, at = 0;
  for (int s = 0; s < tree->count; s++) most += tree->nrow[s];
  sym->column = MI_PUSH_RAW(m->scratch, int32_t, most);
  sym->column_at = MI_PUSH(m->scratch, int64_t, sym->nsuper);
  int32_t *mark = MI_PUSH(m->scratch, int32_t, sym->n);
  int32_t *head = MI_PUSH(m->scratch, int32_t, tree->count);
  int32_t *next = MI_PUSH(m->scratch, int32_t, tree->count);
  if (!sym->column || !sym->column_at || !mark || !head || !next) return false;
  for (int s = 0; s < tree->count; s++) head[s] = -1;
  for (int s = tree->count - 1; s >= 0; s--) {
    if (tree->parent[s] < 0) continue;
    next[s] = head[tree->parent[s]];
    head[tree->parent[s]] = s;
  }
  for (int s = 0; s < tree->count; s++) {
    collector c = {mark, s + 1, sym->column + at, 0};
    collect_rows(m, s, head, next, &c);
    sym->column_at[m->number[s]] = at;
    sym->super[m->number[s]].nrow = c.count;
    at += c.count;
  }
  return true;
}

// -- places ---------------------------------------------------------------------------------------

// Gives a task its stretch of the work vector; slot[column] = place of a column it touches.
static void lay_out(maker *m, mi_task *task, int32_t *slot, int32_t *at_boundary) {
  mi_symbolic *sym = m->sym;
  int end = task->first + task->width, temporary = 0;
  task->base = sym->nwork;
  task->boundary = *at_boundary;
  for (int k = 0; k < task->width; k++) slot[task->first + k] = task->base + k;
  for (int s = task->super; s < task->super + task->nsuper; s++) {
    const mi_super *super = sym->super + s;
    const int32_t *column = sym->column + sym->column_at[s];
    int rows = 6 * mi_blocks(super->nrow), own = 8 * mi_blocks(super->width);
    if (rows > temporary) temporary = rows;
    if (own > temporary) temporary = own;
    for (int k = 0; k < super->nrow; k++) {
      if (column[k] < end || slot[column[k]] >= task->base) continue;
      slot[column[k]] = end - task->first + task->base + task->nboundary++;
      sym->boundary[(*at_boundary)++] = column[k];
    }
  }
  int padding = task->base + task->width + task->nboundary;
  task->temporary = padding + 1;
  sym->nwork = task->temporary + temporary;
  for (int s = task->super; s < task->super + task->nsuper; s++) {
    mi_super *super = sym->super + s;
    const int32_t *column = sym->column + sym->column_at[s];
    int32_t *row = sym->row + super->row;
    for (int k = 0; k < 8 * mi_blocks(super->nrow); k++)
      row[k] = k < super->nrow ? slot[column[k]] : padding;
  }
}

// How long the boundaries of all tasks are together, at most.
static int64_t count_boundaries(const mi_symbolic *sym) {
  int64_t count = 0;
  for (int s = 0; s < sym->nsuper; s++) {
    const mi_super *super = sym->super + s;
    // a subtree's rows outside are those of its head
    if (super->task < sym->ntask &&
        (super->parent < 0 || sym->super[super->parent].task != super->task))
      count += super->nrow;
  }
  return count;
}

static bool find_places(maker *m) {
  mi_symbolic *sym = m->sym;
  for (int s = 0; s < sym->nsuper; s++) {
    mi_super *super = sym->super + s;
    super->row = sym->nrow_total;
    super->panel = sym->nstored;
    super->block = super->panel + (int64_t)mi_panel_size(super->nrow, super->width);
    sym->nrow_total += 8 * mi_blocks(super->nrow);
    sym->nstored = super->block + (int64_t)mi_panel_size(super->width, super->width);
  }
  sym->row = MI_PUSH_RAW(m->arena, int32_t, sym->nrow_total);
  sym->boundary = MI_PUSH_RAW(m->arena, int32_t, count_boundaries(sym));
  int32_t *slot = MI_PUSH(m->scratch, int32_t, sym->n), at_boundary = 0;
  if (!sym->row || !sym->boundary || !slot) return false;
  for (int k = 0; k < sym->n; k++) slot[k] = -1;
  for (int t = 0; t <= sym->ntask; t++) lay_out(m, sym->task + t, slot, &at_boundary);
  const mi_task *top = sym->task + sym->ntask;
  for (int k = 0; k < at_boundary; k++)
    sym->boundary[k] = top->base + sym->boundary[k] - top->first;
  return true;
}

bool mi_symbolic_find(const mi_csr *a, int nfront, mi_arena *arena, mi_arena *scratch,
                      mi_symbolic *sym) {
  maker m = {.a = a, .sym = sym, .arena = arena, .scratch = scratch, .nfront = nfront};
  *sym = (mi_symbolic){.n = a->nrow, .nroot = a->nrow - nfront};
  if (!mi_tree_find(a, nfront, scratch, &m.tree) || !pack_tasks(&m)) return false;
  sym->nsuper = m.tree.count;
  sym->nentry = m.tree.nentry;
  sym->super = MI_PUSH(arena, mi_super, sym->nsuper);
  sym->task = MI_PUSH(arena, mi_task, sym->ntask + 1);
  sym->vertex = MI_PUSH(arena, int32_t, sym->n);
  sym->postorder = MI_PUSH(scratch, int32_t, sym->nsuper);
  m.number = MI_PUSH(scratch, int32_t, sym->nsuper);
  m.place = MI_PUSH(scratch, int32_t, sym->n);
  if (!sym->super || !sym->task || !sym->vertex || !sym->postorder || !m.number || !m.place)
    return false;
  number_supernodes(&m);
  return number_columns(&m) && find_rows(&m) && find_places(&m);
}
