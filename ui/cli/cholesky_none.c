// A build without CHOLMOD.
#include "cholesky.h"

const char cholesky_missing[] = "left out: this build has no CHOLMOD (MIEN_SUITESPARSE)";

bool cholesky_is_built(void) {
  return false;
}

cholesky *cholesky_create(const mi_csr *a) {
  (void)a;
  return NULL;
}

cholesky *cholesky_create_simplicial(const mi_csr *a) {
  (void)a;
  return NULL;
}

bool cholesky_factor(cholesky *c, const mi_csr *a) {
  (void)c, (void)a;
  return false;
}

bool cholesky_solve(cholesky *c, int width, const double *b, double *x) {
  (void)c, (void)width, (void)b, (void)x;
  return false;
}

void cholesky_free(cholesky *c) {
  (void)c;
}
