// A build without METIS.
#include "sparse/order.h"

const char *mi_order_method(void) {
  return "bisection";
}

bool mi_order_dissect(const mi_csr *graph, int32_t *order, mi_arena *scratch) {
  return mi_order_bisect(graph, order, scratch);
}
