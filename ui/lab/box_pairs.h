// Pairs of triangles whose boxes overlap, found in the cells of a grid. Shares nothing with the
// library on purpose: it is part of the judge.
#ifndef MIEN_LAB_BOX_PAIRS_H
#define MIEN_LAB_BOX_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct box {
  float low[3], high[3];
} box;

// The boxes of triangles (ntri x 3). False when a position is not finite.
bool box_bound(const float *position, const int32_t *tri, int ntri, box *boxes);

typedef void box_pair_fn(void *user, int32_t a, int32_t b); // a < b
// Every pair of boxes that overlap or touch, once. False when memory ends.
bool box_pairs_find(const box *boxes, int count, box_pair_fn *found, void *user);

#endif
