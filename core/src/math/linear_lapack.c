// Dense linear algebra by OpenBLAS and LAPACKE.
#include "math/linear.h"

#include <cblas.h>
#include <lapacke.h>

void mi_linear_multiply(const mi_product *p, double *c) {
  if (p->nrow == 0 || p->ncol == 0) return;
  if (p->ncol == 1) { // a product with one column reads A once and packs nothing
    int width = p->transpose_a ? p->nrow : p->depth;
    cblas_dgemv(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
                p->transpose_a ? p->depth : p->nrow, width, 1, p->a, width, p->b, 1, p->beta, c, 1);
    return;
  }
  cblas_dgemm(CblasRowMajor, p->transpose_a ? CblasTrans : CblasNoTrans,
              p->transpose_b ? CblasTrans : CblasNoTrans, p->nrow, p->ncol, p->depth, 1, p->a,
              p->transpose_a ? p->nrow : p->depth, p->b, p->transpose_b ? p->depth : p->ncol,
              p->beta, c, p->ncol);
}

bool mi_linear_solve_spd(int n, double *a, int width, double *b) {
  return mi_linear_is_finite(b, n, width) && mi_linear_is_finite(a, n, n) &&
         LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, width, a, n, b, width) == 0;
}
