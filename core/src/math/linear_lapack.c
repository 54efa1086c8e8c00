// Dense linear algebra by OpenBLAS and LAPACKE.
#include "math/linear.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

void mi_linear_multiply(const mi_product *p, double *c) {
  if (p->nrow == 0 || p->ncol == 0) return;
  cblas_dgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
              p->transpose_b ? CblasTrans : CblasNoTrans, p->nrow, p->ncol, p->depth, 1, p->a,
              p->transpose_a ? p->nrow : p->depth, p->b, p->transpose_b ? p->depth : p->ncol,
              p->beta, c, p->ncol);
}

bool mi_linear_solve_spd(int n, double *a, int width, double *b) {
  return mi_linear_is_finite(b, n, width) && mi_linear_is_finite(a, n, n) &&
         LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, width, a, n, b, width) == 0;
}

bool mi_linear_eigen(int n, double *a, double *value, double *vector) {
  if (!mi_linear_is_finite(a, n, n)) return false;
  memcpy(vector, a, sizeof *a * (size_t)n * (size_t)n);
  return LAPACKE_dsyevd(LAPACK_ROW_MAJOR, 'V', 'L', n, vector, n, value) == 0;
}

bool mi_linear_svd(int nrow, int ncol, double *a, double *s, double *vt) {
  double unused = 0; // U takes the place of A
  return mi_linear_is_finite(a, nrow, ncol) &&
         LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'O', nrow, ncol, a, ncol, s, &unused, ncol, vt, ncol) ==
             0;
}
