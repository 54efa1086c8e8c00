#include "sparse/cholesky.h"

#include <omp.h>
#include <suitesparse/cholmod.h>

enum { USUAL_WIDTH = 3 };

const char mi_cholesky_missing[] = "left out: this process has brought another CHOLMOD";

struct mi_cholesky {
  mi_arena arena;
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *b, *x, *y, *e; // kept between solves, as a careful user of CHOLMOD does
  int n;
};

// A program that libmien is loaded into may have a CHOLMOD of another version, as Blender 5 has:
// the linker then takes that one for ours, with structs of other sizes.
bool mi_cholesky_is_built(void) {
  int version[3] = {0};
  cholmod_version(version);
  return version[0] == CHOLMOD_MAIN_VERSION && version[1] == CHOLMOD_SUB_VERSION;
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

// CHOLMOD asks for four threads to copy small blocks; where others have work to do these wait for
// each other. The setting is the calling thread's own.
static int be_alone(void) {
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  return levels;
}

static void keep_order(cholmod_common *common) {
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_NATURAL;
  common->postorder = 1;
  common->final_ll = 1; // LDL' would go on with a negative pivot
}

static int method_of(mi_cholesky_kind kind) {
  if (kind == MI_CHOLESKY_ORDERED)
    return CHOLMOD_AUTO; // BLAS pays only where there is much fill-in
  return kind == MI_CHOLESKY_SIMPLICIAL ? CHOLMOD_SIMPLICIAL : CHOLMOD_SUPERNODAL;
}

mi_cholesky *mi_cholesky_create(const mi_csr *a, mi_cholesky_kind kind,
                                const mien_allocator *allocator) {
  if (!mi_cholesky_is_built()) return NULL;
  mi_arena arena = {.allocator = *allocator};
  mi_cholesky *c = MI_PUSH(&arena, mi_cholesky, 1);
  if (!c) return NULL;
  c->arena = arena;
  cholmod_start(&c->common);
  c->common.supernodal = method_of(kind);
  c->common.print = 0;
  if (kind == MI_CHOLESKY_ORDERED) keep_order(&c->common);
  c->n = a->nrow;
  cholmod_sparse matrix = as_sparse(a);
  c->factor = cholmod_analyze(&matrix, &c->common);
  c->b = cholmod_allocate_dense((size_t)c->n, USUAL_WIDTH, (size_t)c->n, CHOLMOD_REAL, &c->common);
  if (c->factor && c->b) return c;
  mi_cholesky_free(c);
  return NULL;
}

bool mi_cholesky_factor(mi_cholesky *c, const mi_csr *a) {
  cholmod_sparse matrix = as_sparse(a);
  int levels = be_alone();
  bool done = cholmod_factorize(&matrix, c->factor, &c->common) && c->common.status == CHOLMOD_OK;
  omp_set_max_active_levels(levels);
  return done;
}

// Room for right-hand sides: many at once are several times as fast as one after the other.
static bool widen(mi_cholesky *c, int width) {
  if ((size_t)width * (size_t)c->n <= c->b->nzmax) return true;
  cholmod_dense *b =
      cholmod_allocate_dense((size_t)c->n, (size_t)width, (size_t)c->n, CHOLMOD_REAL, &c->common);
  if (!b) return false;
  cholmod_free_dense(&c->b, &c->common);
  c->b = b;
  return true;
}

bool mi_cholesky_solve(mi_cholesky *c, int width, const double *b, double *x) {
  if (!widen(c, width)) return false;
  double *to = c->b->x;
  c->b->ncol = (size_t)width;
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < width; k++) to[(size_t)k * (size_t)c->n + i] = b[(size_t)i * width + k];
  int levels = be_alone();
  bool done =
      cholmod_solve2(CHOLMOD_A, c->factor, c->b, NULL, &c->x, NULL, &c->y, &c->e, &c->common) != 0;
  omp_set_max_active_levels(levels);
  if (!done) return false;
  const double *from = c->x->x;
  for (int i = 0; i < c->n; i++)
    for (int k = 0; k < width; k++) x[(size_t)i * width + k] = from[(size_t)k * (size_t)c->n + i];
  return true;
}

void mi_cholesky_free(mi_cholesky *c) {
  if (!c) return;
  cholmod_free_dense(&c->b, &c->common);
  cholmod_free_dense(&c->x, &c->common);
  cholmod_free_dense(&c->y, &c->common);
  cholmod_free_dense(&c->e, &c->common);
  cholmod_free_factor(&c->factor, &c->common);
  cholmod_finish(&c->common);
  mi_arena_delete(c->arena);
}
