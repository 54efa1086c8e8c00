#include "cholesky.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

enum { MOST_WIDTH = 3 };

const char cholesky_missing[] = "";

struct cholesky {
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *b, *x, *y, *e; // kept between solves, as a careful user of CHOLMOD does
  int n;
};

bool cholesky_is_built(void) {
  return true;
}

// Rows of a symmetric matrix are its columns; CHOLMOD reads the lower triangle alone.
static cholmod_sparse as_sparse(const mi_csr *a) {
  return (cholmod_sparse){.nrow = (size_t)a->nrow,
                          .ncol = (size_t)a->nrow,
                          .nzmax = (size_t)a->first[a->nrow],
                          .p = a->first,
                          .i = a->column,
                          .x = a->value,
                          .stype = -1,
                          .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

static cholesky *create(const mi_csr *a, int supernodal) {
  cholesky *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  // CHOLMOD asks for four threads to copy small blocks; on fewer cores they wait for each other
  omp_set_max_active_levels(0);
  cholmod_start(&c->common);
  c->common.supernodal = supernodal;
  c->common.print = 0;
  c->n = a->nrow;
  cholmod_sparse matrix = as_sparse(a);
  c->factor = cholmod_analyze(&matrix, &c->common);
  c->b = cholmod_allocate_dense((size_t)c->n, MOST_WIDTH, (size_t)c->n, CHOLMOD_REAL, &c->common);
  if (c->factor && c->b) return c;
  cholesky_free(c);
  return NULL;
}

cholesky *cholesky_create(const mi_csr *a) {
  return create(a, CHOLMOD_SUPERNODAL);
}

cholesky *cholesky_create_simplicial(const mi_csr *a) {
  return create(a, CHOLMOD_SIMPLICIAL);
}

bool cholesky_factor(cholesky *c, const mi_csr *a) {
  cholmod_sparse matrix = as_sparse(a);
  return cholmod_factorize(&matrix, c->factor, &c->common) && c->common.status == CHOLMOD_OK;
}

bool cholesky_solve(cholesky *c, int width, const double *b, double *x) {
  double *to = c->b->x;
  c->b->ncol = (size_t)width;
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < width; k++) to[(size_t)k * (size_t)c->n + i] = b[(size_t)i * width + k];
  bool done =
      cholmod_solve2(CHOLMOD_A, c->factor, c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common) != 0;
  c->b->ncol = MOST_WIDTH;
  if (!done) return false;
  const double *from = c->x->x;
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < width; k++) x[(size_t)i * width + k] = from[(size_t)k * (size_t)c->n + i];
  return true;
}

void cholesky_free(cholesky *c) {
  if (!c) return;
  cholmod_free_dense(&c->b, &c->common);
  cholmod_free_dense(&c->x, &c->common);
  cholmod_free_dense(&c->y, &c->common);
  cholmod_free_dense(&c->e, &c->common);
  cholmod_free_factor(&c->factor, &c->common);
  cholmod_finish(&c->common);
  free(c);
}
