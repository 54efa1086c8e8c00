// Pairs that are not reported: a hash table of (kind, a, b) that never grows.
#ifndef MI_EXCLUDED_H
#define MI_EXCLUDED_H

#include "base/base.h"

enum { MI_EXCLUDED_VT, MI_EXCLUDED_EE };
// Close at rest itself, not only part of triangles that cross there; of a fold that is open, so
// that the pair is reported like any other until it closes again.
enum { MI_EXCLUDED_CLOSE = 1, MI_EXCLUDED_OPEN = 2 };

typedef struct mi_excluded {
  uint64_t *slot;     // 0 = free                                       (mask + 1)
  unsigned char *why; // of a slot: MI_EXCLUDED_CLOSE, MI_EXCLUDED_OPEN (mask + 1)
  uint32_t mask;      // slots - 1, a power of two less one
  int count;          // pairs
  unsigned char *has; // vertices, then edges: this one has excluded pairs  (nvert + nedge)
  int nvert;
  int32_t *fold; // two triangles that cross at rest                    (nfold x 2)
  int nfold;
  double threshold; // m, beyond the offset: nearer is close
} mi_excluded;

static inline uint64_t mi_excluded_key(int kind, int a, int b) {
  return ((uint64_t)kind << 62 | (uint64_t)(uint32_t)a << 31 | (uint64_t)(uint32_t)b) + 1;
}

static inline uint32_t mi_excluded_slot(const mi_excluded *excluded, uint64_t key) {
  return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & excluded->mask;
}

// Why a pair is in the table; NULL = it is not.
static inline unsigned char *mi_excluded_why(const mi_excluded *excluded, int kind, int a, int b) {
  if (!excluded->has[kind == MI_EXCLUDED_VT ? a : excluded->nvert + a]) return NULL;
  uint64_t key = mi_excluded_key(kind, a, b);
  for (uint32_t i = mi_excluded_slot(excluded, key);; i = (i + 1) & excluded->mask) {
    if (excluded->slot[i] == key) return excluded->why + i;
    if (!excluded->slot[i]) return NULL;
  }
}

static inline bool mi_excluded_has(const mi_excluded *excluded, int kind, int a, int b) {
  const unsigned char *why = mi_excluded_why(excluded, kind, a, b);
  return why && !(*why & MI_EXCLUDED_OPEN);
}

#endif
