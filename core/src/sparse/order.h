// Inside the ordering.
#ifndef MI_ORDER_H
#define MI_ORDER_H

#include "sparse/spd.h"

// order_cholmod.c or order_none.c: order[k] = vertex at position k, for a symmetric pattern with
// sorted rows. Values are not read and may be NULL. False when memory ends.
bool mi_order_dissect(const mi_csr *graph, int32_t *order, mi_arena *scratch);

// The same by our own means: order_bisect.c.
bool mi_order_bisect(const mi_csr *graph, int32_t *order, mi_arena *scratch);

#endif
