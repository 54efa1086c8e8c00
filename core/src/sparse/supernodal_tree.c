// Which columns form a supernode: those with the same rows below, and neighbours in the
// elimination tree whenever the zeros that merging stores cost less time than it saves.
#include "sparse/supernodal.h"

#include <string.h>

// Cycles of one solve, roughly: entries (both directions), rows that are gathered and scattered,
// the start of loops. Fitted to measurements; only ratios matter.
double mi_super_cost(int width, int nrow) {
  double panel = 8.0 * mi_blocks(nrow) * width, block = 8.0 * mi_blocks(width) * width;
  return 70 + 1.0 * panel + 0.5 * block + 5.0 * 8 * mi_blocks(nrow) + 12.0 * width;
}

// -- elimination tree of the columns --------------------------------------------------------------

typedef struct columns {
  const mi_csr *a;
  int nfront;
  int32_t *parent; // column; nfront or more = the root; -1 = none      (nfront)
  int32_t *count;  // rows below                                        (nfront)
  int32_t *order;  // postorder: place -> column                        (nfront)
} columns;

// Liu's algorithm with path compression
static void find_parents(columns *c, int32_t *ancestor) {
  const mi_csr *a = c->a;
  for (int j = 0; j < c->nfront; j++) c->parent[j] = ancestor[j] = -1;
  for (int i = 0; i < a->nrow; i++)
    for (int p = a->first[i]; p < a->first[i + 1]; p++) {
      int k = a->column[p];
      while (k < i && k < c->nfront) {
        int next = ancestor[k];
        ancestor[k] = i < c->nfront ? i : c->nfront;
        if (next < 0) c->parent[k] = ancestor[k];
        if (next < 0 || next == ancestor[k]) break;
        k = next;
      }
    }
}

// Row i of L has entries on the paths of the tree from the columns of row i of A up to i.
static void count_rows(columns *c, int32_t *mark) {
  const mi_csr *a = c->a;
  for (int j = 0; j < c->nfront; j++) mark[j] = -1, c->count[j] = 0;
  for (int i = 0; i < a->nrow; i++) {
    if (i < c->nfront) mark[i] = i;
    for (int p = a->first[i]; p < a->first[i + 1] && a->column[p] < i; p++)
      for (int k = a->column[p]; k >= 0 && k < c->nfront && k < i && mark[k] != i;
           k = c->parent[k]) {
        mark[k] = i;
        c->count[k]++;
      }
  }
}

static void find_postorder(columns *c, int32_t *head, int32_t *next, int32_t *stack) {
  int n = c->nfront, at = 0;
  for (int j = 0; j < n; j++) head[j] = -1;
  for (int j = n - 1; j >= 0; j--) {
    int parent = c->parent[j];
    if (parent < 0 || parent >= n) continue;
    next[j] = head[parent];
    head[parent] = j;
  }
  for (int root = 0; root < n; root++) {
    if (c->parent[root] >= 0 && c->parent[root] < n) continue;
    int depth = 0;
    stack[depth++] = root;
    while (depth) {
      int j = stack[depth - 1], child = head[j];
      if (child >= 0) {
        head[j] = next[child];
        stack[depth++] = child;
      } else {
        c->order[at++] = j;
        depth--;
      }
    }
  }
}

// -- supernodes -----------------------------------------------------------------------------------

// Columns that continue the one before in postorder with exactly one row less.
static void find_fundamental(const columns *c, const int32_t *nchild, mi_tree *tree) {
  int32_t before = -1;
  tree->count = 0;
  for (int k = 0; k < c->nfront; k++) {
    int j = c->order[k];
    bool continues = before >= 0 && c->parent[before] == j && nchild[j] == 1 &&
                     c->count[j] == c->count[before] - 1;
    if (!continues) tree->width[tree->count++] = 0;
    int s = tree->count - 1;
    tree->of[j] = s;
    tree->width[s]++;
    tree->nrow[s] = c->count[j];
    tree->parent[s] = c->parent[j]; // a column until all are known
    before = j;
  }
  for (int s = 0; s < tree->count; s++) {
    int parent = tree->parent[s];
    if (parent >= 0) tree->parent[s] = parent < c->nfront ? tree->of[parent] : tree->count;
  }
}

static void add_root(const columns *c, mi_tree *tree) {
  int root = tree->count, nroot = c->a->nrow - c->nfront;
  if (!nroot) return;
  for (int j = c->nfront; j < c->a->nrow; j++) tree->of[j] = root;
  tree->width[root] = nroot;
  tree->nrow[root] = 0;
  tree->parent[root] = -1;
  tree->count++;
}

typedef struct children {
  int32_t *head, *next, *into; // lists of children; `into` = merged into, itself when alive
} children;

static double gain_of(const mi_tree *tree, int child, int parent) {
  return mi_super_cost(tree->width[child], tree->nrow[child]) +
         mi_super_cost(tree->width[parent], tree->nrow[parent]) -
         mi_super_cost(tree->width[child] + tree->width[parent], tree->nrow[parent]);
}

// The child's rows lie among the parent's columns and rows, so that merging gives it the parent's
// rows whatever they are.
static void merge_child(mi_tree *tree, children *c, int parent, int32_t *link) {
  int child = *link;
  *link = c->next[child];
  c->into[child] = parent;
  tree->width[parent] += tree->width[child];
  for (int g = c->head[child]; g >= 0;) { // grandchildren become children
    int next = c->next[g];
    c->next[g] = c->head[parent];
    c->head[parent] = g;
    g = next;
  }
}

static void merge_while_it_pays(mi_tree *tree, children *c, int parent) {
  for (;;) {
    int32_t *best = NULL;
    double gain = 0;
    for (int32_t *link = &c->head[parent]; *link >= 0; link = &c->next[*link]) {
      double g = gain_of(tree, *link, parent);
      if (g > gain) gain = g, best = link;
    }
    if (!best) return;
    merge_child(tree, c, parent, best);
  }
}

// Supernodes that are left get consecutive numbers, children before parents.
static void renumber(mi_tree *tree, children *c, int n) {
  int32_t *number = c->next;                 // the lists are no longer needed
  for (int s = tree->count - 1; s >= 0; s--) // a parent has a larger number than its child
    if (c->into[s] != s) c->into[s] = c->into[c->into[s]];
  int count = 0;
  for (int s = 0; s < tree->count; s++)
    if (c->into[s] == s) number[s] = count++;
  for (int s = 0; s < tree->count; s++) {
    if (c->into[s] != s) continue;
    int at = number[s], parent = tree->parent[s];
    tree->width[at] = tree->width[s];
    tree->nrow[at] = tree->nrow[s];
    tree->parent[at] = parent < 0 ? -1 : number[c->into[parent]];
  }
  for (int j = 0; j < n; j++) tree->of[j] = number[c->into[tree->of[j]]];
  tree->count = count;
}

bool mi_tree_find(const mi_csr *a, int nfront, mi_arena *scratch, mi_tree *tree) {
  size_t n = (size_t)a->nrow + 1;
  columns c = {a, nfront, MI_PUSH(scratch, int32_t, n), MI_PUSH(scratch, int32_t, n),
               MI_PUSH(scratch, int32_t, n)};
  int32_t *x = MI_PUSH(scratch, int32_t, n), *y = MI_PUSH(scratch, int32_t, n);
  int32_t *z = MI_PUSH(scratch, int32_t, n);
  *tree = (mi_tree){0,
                    MI_PUSH(scratch, int32_t, n),
                    MI_PUSH(scratch, int32_t, n),
                    MI_PUSH(scratch, int32_t, n),
                    MI_PUSH(scratch, int32_t, n),
                    0};
  if (!c.parent || !c.count || !c.order || !x || !y || !z || !tree->width || !tree->nrow ||
      !tree->parent || !tree->of)
    return false;
  find_parents(&c, x);
  count_rows(&c, x);
  tree->nentry = (int64_t)nfront + (int64_t)(a->nrow - nfront) * (a->nrow - nfront + 1) / 2;
  for (int j = 0; j < nfront; j++) tree->nentry += c.count[j];
  find_postorder(&c, x, y, z);
  memset(x, 0, n * sizeof *x);
  for (int j = 0; j < nfront; j++)
    if (c.parent[j] >= 0) x[c.parent[j]]++;
  find_fundamental(&c, x, tree);
  add_root(&c, tree);
  children lists = {x, y, z};
  for (int s = 0; s < tree->count; s++) x[s] = -1, z[s] = s;
  int nmerge = nfront < a->nrow ? tree->count - 1 : tree->count; // never into the root
  for (int s = 0; s < nmerge; s++) {
    // children have smaller numbers, so all of them are in the list by now
    merge_while_it_pays(tree, &lists, s);
    int parent = tree->parent[s];
    if (parent < 0) continue;
    y[s] = x[parent];
    x[parent] = s;
  }
  renumber(tree, &lists, a->nrow);
  return true;
}
