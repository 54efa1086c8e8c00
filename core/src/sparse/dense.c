// Small dense positive definite matrices, lower triangle, row after row.
#include "sparse/factor.h"

#include <math.h>

enum { BLOCK = 4, PANEL = 16 };

typedef struct matrix {
  double *m;
  size_t side;
  const mi_sparse_kernels *kernels;
  size_t panel; // first column of the one at hand
} matrix;

// Entry (i, j) of the factor, where all before it in both rows are done.
static bool find_entry(const matrix *a, size_t i, size_t j) {
  double *row = a->m + i * a->side;
  const double *other = a->m + j * a->side;
  double left = row[j] - a->kernels->dot_double(row, other, (int)j);
  if (j == i && !(left > 0)) return false;
  row[j] = j == i ? sqrt(left) : left / other[j];
  return true;
}

// Four rows from i on, columns j to j + 3 of them.
static void find_block(const matrix *a, size_t i, size_t j) {
  double dot[BLOCK * BLOCK], *rows = a->m + i * a->side;
  const double *others = a->m + j * a->side;
  a->kernels->dots_double(rows, others, a->side, (int)j, dot);
  double inverse[BLOCK];
  for (size_t c = 0; c < BLOCK; c++) inverse[c] = 1 / others[c * a->side + j + c];
  for (size_t r = 0; r < BLOCK; r++) {
    double *row = rows + r * a->side + j;
    for (size_t c = 0; c < BLOCK; c++) {
      const double *other = others + c * a->side + j;
      double left = row[c] - dot[BLOCK * r + c];
      for (size_t k = 0; k < c; k++) left -= row[k] * other[k];
      row[c] = left * inverse[c];
    }
  }
}

// Rows [first, end) up to their diagonal, from column `done` on.
static bool find_rows(const matrix *a, size_t first, size_t end, size_t done) {
  for (size_t i = first; i < end; i++)
    for (size_t j = done; j <= i; j++)
      if (!find_entry(a, i, j)) return false;
  return true;
}

// Columns of a panel, in the rows below it: blocks [begin, end) of them.
static void find_below(void *task, int begin, int end) {
  const matrix *a = task;
  for (size_t i = a->panel + PANEL + BLOCK * (size_t)begin;
       i < a->panel + PANEL + BLOCK * (size_t)end; i += BLOCK)
    for (size_t j = a->panel; j < a->panel + PANEL; j += BLOCK) find_block(a, i, j);
}

// Panel after panel: first its own rows, then its columns in all rows below, which know nothing of
// each other. An entry is the same sum in any order of panels.
bool mi_dense_factor(double *m, int side, int threads) {
  matrix a = {m, (size_t)side, mi_sparse_kernels_best(), 0};
  size_t whole = a.side - a.side % BLOCK;
  for (; a.panel < whole; a.panel += PANEL) {
    for (size_t i = a.panel; i < a.panel + PANEL && i < whole; i += BLOCK) {
      for (size_t j = a.panel; j < i; j += BLOCK) find_block(&a, i, j);
      if (!find_rows(&a, i, i + BLOCK, i)) return false;
    }
    if (a.panel + PANEL >= whole) break;
    mi_parallel(threads, (int)((whole - a.panel - PANEL) / BLOCK), 4, find_below, &a);
  }
  return find_rows(&a, whole, a.side, 0);
}

void mi_dense_solve(const double *m, int side, double *x) {
  const mi_sparse_kernels *kernels = mi_sparse_kernels_best();
  for (int i = 0; i < side; i++) {
    const double *row = m + (size_t)i * (size_t)side;
    x[i] = (x[i] - kernels->dot_double(row, x, i)) / row[i];
  }
  for (int i = side - 1; i >= 0; i--) {
    const double *row = m + (size_t)i * (size_t)side;
    x[i] /= row[i];
    for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
  }
}
