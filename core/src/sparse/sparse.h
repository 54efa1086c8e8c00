// Sparse matrices in compressed rows, and solvers over them.
#ifndef MI_SPARSE_H
#define MI_SPARSE_H

#include "base/base.h"

typedef struct mi_csr {
  int nrow;
  int32_t *first; // row i is [first[i], first[i + 1])                                 (nrow + 1)
  int32_t *column;
  double *value;
} mi_csr;

// y = A x for `width` right-hand sides side by side (x[i * width + k]).
void mi_csr_multiply(const mi_csr *a, int width, const double *x, double *y);
// y += s A^T x
void mi_csr_multiply_transposed(const mi_csr *a, int width, double s, const double *x, double *y);

// Conjugate gradients on a symmetric positive definite operator, preconditioned by its diagonal.
typedef void mi_apply_fn(const void *matrix, const double *x, double *y); // y = A x
typedef struct mi_pcg {
  mi_apply_fn *apply;
  const void *matrix;
  int count;              // unknowns
  const double *diagonal; // of A                                                      (count)
  double tolerance;       // on |b - A x| / |b|
  int max_iterations;
} mi_pcg;
typedef struct mi_pcg_info {
  int iterations;
  double residual; // reached, relative
} mi_pcg_info;
// x holds the start and becomes the solution. False when memory ends.
bool mi_pcg_solve(const mi_pcg *pcg, const double *b, double *x, mi_arena *scratch,
                  mi_pcg_info *info);
// The same in memory that is there already.                                         (4 x count)
void mi_pcg_solve_in(const mi_pcg *pcg, const double *b, double *x, double *work,
                     mi_pcg_info *info);

#endif
