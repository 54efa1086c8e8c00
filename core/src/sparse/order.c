// The contact region last, nested dissection for the rest.
#include "sparse/order.h"

// The pattern without the flagged vertices; `kept` = their numbers in A.
static bool take_rest(const mi_csr *a, const unsigned char *last, mi_arena *scratch, mi_csr *rest,
                      int32_t *kept) {
  int32_t *number = MI_PUSH(scratch, int32_t, a->nrow);
  rest->first = MI_PUSH(scratch, int32_t, a->nrow + 1);
  rest->column = MI_PUSH(scratch, int32_t, a->first[a->nrow]);
  rest->value = NULL;
  if (!number || !rest->first || !rest->column) return false;
  int n = 0, at = 0;
  for (int i = 0; i < a->nrow; i++) {
    number[i] = -1;
    if (last && last[i]) continue;
    kept[n] = i;
    number[i] = n++;
  }
  for (int k = 0; k < n; k++) {
    for (int p = a->first[kept[k]]; p < a->first[kept[k] + 1]; p++)
      if (number[a->column[p]] >= 0) rest->column[at++] = number[a->column[p]];
    rest->first[k + 1] = at;
  }
  rest->nrow = n;
  return true;
}

bool mi_order_find(const mi_csr *a, const unsigned char *last, int32_t *order, mi_arena *scratch) {
  int32_t *kept = MI_PUSH(scratch, int32_t, a->nrow);
  int32_t *inner = MI_PUSH(scratch, int32_t, a->nrow);
  mi_csr rest;
  if (!kept || !inner || !take_rest(a, last, scratch, &rest, kept)) return false;
  if (rest.nrow && !mi_order_dissect(&rest, inner, scratch)) return false;
  int at = 0;
  for (int k = 0; k < rest.nrow; k++) order[at++] = kept[inner[k]];
  for (int i = 0; i < a->nrow; i++)
    if (last && last[i]) order[at++] = i;
  return true;
}
