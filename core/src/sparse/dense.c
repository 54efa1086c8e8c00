// Small dense positive definite matrices, lower triangle, row after row.
#include "sparse/factor.h"

#include <math.h>

enum { BLOCK = 4, PANEL = 8 * BLOCK };

typedef struct matrix {
  double *m;
  size_t side;
  const mi_sparse_kernels *kernels;
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
// `inverse`: of the diagonal, from j on.
static void find_block(const matrix *a, size_t i, size_t j, const double *inverse) {
  double dot[BLOCK * BLOCK], *rows = a->m + i * a->side;
  const double *others = a->m + j * a->side;
  a->kernels->dots_double(rows, others, a->side, (int)j, dot);
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

// Four rows from i on: the triangle at the diagonal.
static bool find_corner(const matrix *a, size_t i) {
  double dot[BLOCK * BLOCK], *rows = a->m + i * a->side;
  a->kernels->dots_double(rows, rows, a->side, (int)i, dot);
  for (size_t r = 0; r < BLOCK; r++) {
    double *row = rows + r * a->side + i;
    for (size_t c = 0; c <= r; c++) {
      const double *other = rows + c * a->side + i;
      double left = row[c] - dot[BLOCK * r + c];
      for (size_t k = 0; k < c; k++) left -= row[k] * other[k];
      if (c == r && !(left > 0)) return false;
      row[c] = c == r ? sqrt(left) : left / other[c];
    }
  }
  return true;
}

// Rows below a panel depend only on the columns to its left and on the panel's own rows.
typedef struct panel {
  const matrix *matrix;
  size_t begin, end;
  double inverse[PANEL]; // of the diagonal
} panel;

static void find_below(void *user, int begin, int end) {
  const panel *p = user;
  for (size_t b = (size_t)begin; b < (size_t)end; b++)
    for (size_t j = p->begin; j < p->end; j += BLOCK)
      find_block(p->matrix, p->end + BLOCK * b, j, p->inverse + (j - p->begin));
}

bool mi_dense_factor(double *m, int side, int threads) {
  matrix a = {m, (size_t)side, mi_sparse_kernels_best()};
  size_t whole = a.side / BLOCK * BLOCK;
  for (size_t first = 0; first < whole; first += PANEL) {
    panel p = {.matrix = &a, .begin = first};
    p.end = first + PANEL < whole ? first + PANEL : whole;
    for (size_t i = first; i < p.end; i += BLOCK) {
      for (size_t j = first; j < i; j += BLOCK) find_block(&a, i, j, p.inverse + (j - first));
      if (!find_corner(&a, i)) return false;
      for (size_t c = i; c < i + BLOCK; c++) p.inverse[c - first] = 1 / m[c * a.side + c];
    }
    mi_parallel(threads, (int)((whole - p.end) / BLOCK), 4, find_below, &p);
  }
  for (size_t i = whole; i < a.side; i++)
    for (size_t j = 0; j <= i; j++)
      if (!find_entry(&a, i, j)) return false;
  return true;
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
