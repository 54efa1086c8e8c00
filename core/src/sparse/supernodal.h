// Inside the factor. A = L D L' by blocks of columns ("supernodes") that share their rows:
//
//   forward    b_rows -= L_s b_s    for every supernode s, leaves first
//   middle     b_s = D_s^-1 b_s
//   backward   x_s = b_s - L_s' x_rows
//
// D_s^-1 is explicit, so nothing waits for a chain of divisions, and that of the root is the block
// of A^-1 that belongs to the contact region: what Woodbury's formula asks for.
//
// Subtrees of the elimination tree are packed into tasks that depend on nothing but the matrix.
// Each works on its own stretch of one long work vector:
//
//   [its columns][what it adds to columns outside: its boundary][a row for padding][temporary]
//
// and the top (everything else, the root at the end) has the last stretch. Row numbers of a
// supernode are places in that vector.
#ifndef MI_SUPERNODAL_H
#define MI_SUPERNODAL_H

#include "sparse/sparse_kernels.h"
#include "sparse/spd.h"

typedef struct mi_super {
  int32_t first, width; // columns, in the factor's order
  int32_t nrow;         // rows below
  int32_t parent;       // -1 = none
  int32_t task;         // ntask = the top
  int64_t row;          // where its rows begin, a multiple of eight
  int64_t panel, block; // where L and D^-1 begin among the entries
} mi_super;

typedef struct mi_task {
  int32_t super, nsuper;       // [super, super + nsuper)
  int32_t first, width;        // columns
  int32_t base;                // of its stretch of the work vector, rows
  int32_t nboundary, boundary; // its boundary, and where it begins in mi_symbolic.boundary
  int32_t temporary;           // rows of its stretch free for anything
} mi_task;

// Everything but numbers.
typedef struct mi_symbolic {
  int n, nroot, nsuper, ntask;
  mi_super *super;   // tasks first, each in postorder, then the top; the root is the last
  mi_task *task;     //                                                     (ntask + 1)
  int32_t *vertex;   // column -> row of A                                  (n)
  int32_t *row;      // places in the work vector, padded                   (nrow_total)
  int32_t *boundary; // places in the top's stretch
  int64_t nrow_total, nentry, nstored;
  int32_t nwork; // rows of the work vector
  // only while factoring:
  int32_t *column;    // rows of each supernode as columns, unpadded
  int64_t *column_at; // where those of a supernode begin
  int32_t *postorder; // of supernodes
} mi_symbolic;

static inline int mi_blocks(int rows) {
  return (rows + 7) / 8;
}
static inline size_t mi_panel_size(int rows, int width) {
  return 8 * (size_t)mi_blocks(rows) * (size_t)width;
}
static inline bool mi_has_root(const mi_symbolic *sym) {
  return sym->nroot > 0;
}

// supernodal_tree.c: supernodes as sets of columns, before they get their final numbers
typedef struct mi_tree {
  int count;
  int32_t *width, *nrow, *parent; // parent > child, -1 = none
  int32_t *of;                    // column of A -> supernode                       (n)
  int64_t nentry;                 // of L, before merging
} mi_tree;
// False when memory ends.
bool mi_tree_find(const mi_csr *a, int nfront, mi_arena *scratch, mi_tree *tree);
double mi_super_cost(int width, int nrow);

// supernodal_symbolic.c. False when memory ends.
bool mi_symbolic_find(const mi_csr *a, int nfront, mi_arena *arena, mi_arena *scratch,
                      mi_symbolic *sym);

// supernodal_numeric.c: fills `entry` (sym->nstored floats, zeroed).
mien_result mi_numeric_find(const mi_csr *a, const mi_symbolic *sym, float *entry,
                            mi_arena *scratch, mien_error *err);

// sweep.c: block by block, the first `width` rows and columns of a symmetric matrix F = [P R'; R Q]
// (lower triangle, column-major, `ld` = a multiple of eight, padded with zeros) become [-P^-1 .; R
// P^-1, Q - R P^-1 R']. `panel` has room for mi_sweep_panel(ld) doubles. Returns the first row
// whose pivot is not positive, or -1.
int mi_sweep(double *f, int ld, int count, int width, double *panel);
size_t mi_sweep_panel(int ld);

#endif
