// A build without CHOLMOD.
#include "sparse/cholesky.h"

const char mi_cholesky_missing[] = "left out: this build has no CHOLMOD (MIEN_SUITESPARSE)";

bool mi_cholesky_is_built(void) {
  return false;
}

mi_cholesky *mi_cholesky_create(const mi_csr *a, mi_cholesky_kind kind,
                                const mien_allocator *allocator) {
  (void)a, (void)kind, (void)allocator;
  return NULL;
}

bool mi_cholesky_factor(mi_cholesky *c, const mi_csr *a) {
  (void)c, (void)a;
  return false;
}

bool mi_cholesky_solve(mi_cholesky *c, int width, const double *b, double *x) {
  (void)c, (void)width, (void)b, (void)x;
  return false;
}

void mi_cholesky_free(mi_cholesky *c) {
  (void)c;
}
