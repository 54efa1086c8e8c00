// Factors in double by CHOLMOD: for the Newton solver and for the references of benches and claims.
// Chosen in CMake (MIEN_SUITESPARSE); without it mi_cholesky_create returns NULL and callers report
// it. The real-time solvers do not use it: see spd.h.
#ifndef MI_CHOLESKY_H
#define MI_CHOLESKY_H

#include "sparse/sparse.h"

typedef struct mi_cholesky mi_cholesky;

bool mi_cholesky_is_built(void);         // and is the one that was built with
extern const char mi_cholesky_missing[]; // a sentence for a table

typedef enum mi_cholesky_kind {
  MI_CHOLESKY_SUPERNODAL = 0,
  MI_CHOLESKY_SIMPLICIAL = 1, // LDL', column by column: slower to factor, faster with few fill-ins
  MI_CHOLESKY_ORDERED = 2     // rows are in a good order already; CHOLMOD chooses the method
} mi_cholesky_kind;

// Analyses the pattern of A (both triangles, columns ascending). NULL when memory ends or CHOLMOD
// is not built. CHOLMOD brings its own memory for the numbers.
mi_cholesky *mi_cholesky_create(const mi_csr *a, mi_cholesky_kind kind,
                                const mien_allocator *allocator);
// Factors; the pattern must be that of the analysis. False when A is not positive definite or
// memory ends.
bool mi_cholesky_factor(mi_cholesky *c, const mi_csr *a);
// A x = b for `width` right-hand sides side by side (b[i * width + k]).
bool mi_cholesky_solve(mi_cholesky *c, int width, const double *b, double *x);
void mi_cholesky_free(mi_cholesky *c);

#endif
