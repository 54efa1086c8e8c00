// Dense matrices of some dozen rows at most, row-major: eigenvalues and solves without an
// allocation.
#ifndef MI_SMALL_H
#define MI_SMALL_H

#include <stdbool.h>

enum { MI_SMALL_MOST = 48 }; // rows

// Symmetric A = Q diag(value) Q': column k of `vector` belongs to value[k]; in no order. (Jacobi)
void mi_small_eigen(int n, const double *a, double *value, double *vector);
// Negative eigenvalues become zero: the closest positive semi-definite matrix to a symmetric A.
void mi_small_make_psd(int n, double *a);
// Solves A X = B in place of B (n x width) by elimination with pivoting; A is used up. False when A
// is singular to working precision.
bool mi_small_solve(int n, double *a, int width, double *b);

#endif
