// CHOLMOD for the references that `mien bench` and `mien reproduce` compare with: double,
// supernodal. Chosen in CMake (MIEN_SUITESPARSE); without it the comparisons are left out and say
// so.
#ifndef MIEN_CLI_CHOLESKY_H
#define MIEN_CLI_CHOLESKY_H

#include "sparse/sparse.h"

typedef struct cholesky cholesky;

bool cholesky_is_built(void);
extern const char cholesky_missing[]; // a sentence for the table

// Analyses the pattern of A (both triangles, columns ascending). NULL when memory ends.
cholesky *cholesky_create(const mi_csr *a);
// The same with one column at a time (LDL'): slower to factor, faster to solve with few fill-ins.
cholesky *cholesky_create_simplicial(const mi_csr *a);
// Factors; the pattern must be that of the analysis. False when A is not positive definite.
bool cholesky_factor(cholesky *c, const mi_csr *a);
// A x = b for `width` right-hand sides side by side (b[i * width + k]); at most three.
bool cholesky_solve(cholesky *c, int width, const double *b, double *x);
void cholesky_free(cholesky *c);

#endif
