// Dense linear algebra for set-up and fits, row-major, in double. OpenBLAS and LAPACKE do the work
// where they are built in (MIEN_LAPACK, linear_lapack.c); plain loops do it elsewhere. Last bits
// depend on the library and the processor: nothing that a step reads in its loops comes from here
// unless it is stored with the face. The step uses math/small.h and sparse/dense.c.
//
// All functions return false when memory ends, an entry is not finite or the method fails; the
// arrays that they write to then hold nothing of use.
#ifndef MI_LINEAR_H
#define MI_LINEAR_H

#include "base/base.h"

bool mi_linear_is_finite(const double *a, int nrow, int ncol);

// C = A B + beta C, with A' or B' in place of A or B where asked. C is nrow x ncol, the inner
// dimension is `depth`.
typedef struct mi_product {
  int nrow, ncol, depth;
  const double *a; // nrow x depth, or depth x nrow if transpose_a
  const double *b; // depth x ncol, or ncol x depth if transpose_b
  bool transpose_a, transpose_b;
  double beta;
} mi_product;
void mi_linear_multiply(const mi_product *product, double *c);

// Solves A X = B in place of B (n x width) for a symmetric positive definite A, whose lower
// triangle is read. A becomes its Cholesky factor. False when A is not positive definite.
bool mi_linear_solve_spd(int n, double *a, int width, double *b);

#endif
