// Eight pairs at a time, most of it in float: quick answers that are safe, so that only pairs that
// matter are computed in double. One table per SIMD body (see math/wide.h).
//
// Both rest on separating directions: for any unit n the distance of two convex sets is at least
// the least n . (x_i - x_j) over their points. n is the direction of the closest points; a bad n
// only gives a worse bound.
#ifndef MI_PAIR_KERNELS_H
#define MI_PAIR_KERNELS_H

#include "contact/contact.h"

enum { MI_PAIRS = 8 };

// Eight pairs of one kind: coordinate k of point i of pair l is at [8 (3 i + k) + l].
typedef struct mi_pair_batch {
  bool is_edges;
  int count; // lanes beyond repeat the first
  float from[12 * MI_PAIRS], to[12 * MI_PAIRS];
  float offset[MI_PAIRS];
} mi_pair_batch;

// Eight matrices of five rows, side by side.
typedef struct mi_five {
  double entry[5][5][MI_PAIRS];
} mi_five;

typedef struct mi_pair_kernels {
  // Distances of `from` are no less than this.
  void (*least_distance)(const mi_pair_batch *batch, float *least);
  // Distances are no less than this anywhere on the way.
  void (*least_on_way)(const mi_pair_batch *batch, float *least);
  // Symmetric matrices, of which the entries with i <= j are read: their eigenvalues end up on the
  // diagonals, eigenvectors are the rows of `q`. The same in every body.
  void (*diagonalise)(mi_five *a, mi_five *q);
} mi_pair_kernels;

const mi_pair_kernels *mi_pair_kernels_best(void);
extern const mi_pair_kernels mi_pair_body_scalar, mi_pair_body_avx2, mi_pair_body_neon;

// Candidates [begin, end) as far as they are of one kind and fit; `to` may be NULL. Returns the
// first that is not in.
int mi_pair_gather(const mi_surface *surface, const mi_candidates *candidates, int begin, int end,
                   const float *from, const float *to, mi_pair_batch *batch);

// Candidate i: vertex-triangle pairs first, then edge-edge pairs.
static inline mi_pair mi_candidate(const mi_candidates *candidates, int i, bool *is_edges) {
  *is_edges = i >= candidates->nvt;
  return *is_edges ? candidates->ee[i - candidates->nvt] : candidates->vt[i];
}

#endif
