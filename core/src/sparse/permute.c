#include "sparse/spd.h"

#include <stdlib.h>

typedef struct placed {
  int32_t column;
  double value;
} placed;

static int compare_placed(const void *a, const void *b) {
  int32_t left = ((const placed *)a)->column, right = ((const placed *)b)->column;
  return (left > right) - (left < right);
}

bool mi_csr_permute(const mi_csr *a, const int32_t *order, mi_arena *arena, mi_arena *scratch,
                    mi_csr *out) {
  int n = a->nrow, longest = 0;
  for (int i = 0; i < n; i++)
    if (a->first[i + 1] - a->first[i] > longest) longest = a->first[i + 1] - a->first[i];
  int32_t *place = MI_PUSH(scratch, int32_t, n);
  placed *row = MI_PUSH(scratch, placed, longest);
  mi_csr b = {n, MI_PUSH(arena, int32_t, n + 1), MI_PUSH_RAW(arena, int32_t, a->first[n]),
              MI_PUSH_RAW(arena, double, a->first[n])};
  if (!place || !row || !b.first || !b.column || !b.value) return false;
  for (int k = 0; k < n; k++) place[order[k]] = k;
  for (int k = 0; k < n; k++) {
    int begin = a->first[order[k]], count = a->first[order[k] + 1] - begin;
    for (int p = 0; p < count; p++)
      row[p] = (placed){place[a->column[begin + p]], a->value[begin + p]};
    qsort(row, (size_t)count, sizeof *row, compare_placed);
    b.first[k + 1] = b.first[k] + count;
    for (int p = 0; p < count; p++) {
      b.column[b.first[k] + p] = row[p].column;
      b.value[b.first[k] + p] = row[p].value;
    }
  }
  *out = b;
  return true;
}
