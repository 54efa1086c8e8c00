#define _DEFAULT_SOURCE // initstate
// Nested dissection by METIS, through CHOLMOD (its Partition module, LGPL; nothing else is used).
#include "sparse/cholesky.h"
#include "sparse/order.h"

#include <stdlib.h>
#include <suitesparse/cholmod.h>

#if defined(MI_HAVE_THREADS)
#include <pthread.h>
// METIS draws from the one sequence of random numbers that the C library has: two orders found at
// the same time would disturb each other, and the same face would get different bits.
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static void enter(void) {
  pthread_mutex_lock(&one_at_a_time);
}
static void leave(void) {
  pthread_mutex_unlock(&one_at_a_time);
}
#else
static void enter(void) {}
static void leave(void) {}
#endif

const char *mi_order_method(void) {
  return mi_cholesky_is_built() ? "METIS" : "bisection";
}

// METIS brings its own memory and may run out of it. It says so, but CHOLMOD does not hand that on.
static bool is_order(const int32_t *order, int n, unsigned char *is_there) {
  for (int k = 0; k < n; k++) {
    if (order[k] < 0 || order[k] >= n || is_there[order[k]]) return false;
    is_there[order[k]] = 1;
  }
  return true;
}

bool mi_order_dissect(const mi_csr *graph, int32_t *order, mi_arena *scratch) {
  if (!mi_cholesky_is_built()) return mi_order_bisect(graph, order, scratch);
  int n = graph->nrow;
  unsigned char *is_there = MI_PUSH(scratch, unsigned char, n);
  if (!is_there) return false;
  cholmod_common common; // CHOLMOD brings its own memory
  if (!cholmod_start(&common)) return false;
  common.print = 0;
  common.metis_memory = 0; // no guess at how much METIS may take: it would fall back to AMD
  cholmod_sparse a = {.nrow = (size_t)n,
                      .ncol = (size_t)n,
                      .nzmax = (size_t)graph->first[n],
                      .p = graph->first,
                      .i = graph->column,
                      .stype = -1,
                      .itype = CHOLMOD_INT,
                      .xtype = CHOLMOD_PATTERN,
                      .dtype = CHOLMOD_DOUBLE,
                      .sorted = 1,
                      .packed = 1};
  enter();
  // METIS seeds the C library's random numbers. A state of our own keeps the host's sequence
  // untouched.
  char own[128];
  char *hosts = initstate(1, own, sizeof own);
  bool done = cholmod_metis(&a, NULL, 0, 0, order, &common);
  if (hosts) setstate(hosts);
  leave();
  cholmod_finish(&common);
  return done && is_order(order, n, is_there);
}
