// Eigenvalues of eight small symmetric matrices at a time, for SIMD bodies. One matrix waits
// for a root and three quotients in every turn; eight wait together. Every lane does what it would
// do alone: same bits in every body.
#ifndef MI_JACOBI_WIDE_H
#define MI_JACOBI_WIDE_H

#include "math/wide_rows.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MI_JACOBI_LANES = 8, JACOBI_SWEEPS = 12, VECTORS = MI_JACOBI_LANES / MI_DOUBLES };

// Comparisons of doubles give all bits of a lane, or none.
typedef int64_t lanes_mask __attribute__((vector_size(8 * MI_DOUBLES)));

MI_INLINE mi_doubles choose_doubles(lanes_mask yes, mi_doubles a, mi_doubles b) {
  return (mi_doubles)(((lanes_mask)a & yes) | ((lanes_mask)b & ~yes));
}
MI_INLINE mi_doubles size_of_doubles(mi_doubles a) {
  return (mi_doubles)((lanes_mask)a & INT64_MAX);
}
MI_INLINE mi_doubles root_of_doubles(mi_doubles a) {
#if defined(MI_BODY_AVX2)
  return (mi_doubles)_mm256_sqrt_pd((__m256d)a);
#else
  for (int l = 0; l < MI_DOUBLES; l++) a[l] = sqrt(a[l]);
  return a;
#endif
}
MI_INLINE bool is_any_lane(lanes_mask mask) {
  int64_t any = 0;
  for (int l = 0; l < MI_DOUBLES; l++) any |= mask[l];
  return any != 0;
}

// Entry (i, j) of the lanes from v on; of a symmetric matrix only i <= j is kept.
MI_INLINE mi_doubles *entry_of(mi_five *m, int i, int j, int v) {
  return (mi_doubles *)(m->entry[i][j] + MI_DOUBLES * v);
}
MI_INLINE mi_doubles *upper_of(mi_five *m, int i, int j, int v) {
  return i < j ? entry_of(m, i, j, v) : entry_of(m, j, i, v);
}

typedef struct jacobi_turn {
  lanes_mask is_turned;
  mi_doubles c, s;
} jacobi_turn;

MI_INLINE void turn_entries(const jacobi_turn *t, mi_doubles *at_x, mi_doubles *at_y) {
  mi_doubles x = *at_x, y = *at_y;
  *at_x = choose_doubles(t->is_turned, t->c * x - t->s * y, x);
  *at_y = choose_doubles(t->is_turned, t->s * x + t->c * y, y);
}

// One Jacobi turn on rows i < j, and on the eigenvectors, kept as rows, in the lanes where the
// entry is not small. False when it is in all of them.
MI_INLINE bool turn_lanes(mi_five *a, mi_five *q, int i, int j, int v, mi_doubles small) {
  mi_doubles off = *entry_of(a, i, j, v);
  jacobi_turn turn = {.is_turned = (lanes_mask)(size_of_doubles(off) > small)};
  if (!is_any_lane(turn.is_turned)) return false;
  mi_doubles zero = off - off, one = zero + 1, first = *entry_of(a, i, i, v);
  mi_doubles last = *entry_of(a, j, j, v), theta = (last - first) / (2 * off);
  mi_doubles sign = choose_doubles((lanes_mask)(theta < zero), -one, one);
  mi_doubles t = sign / (size_of_doubles(theta) + root_of_doubles(theta * theta + one));
  turn.c = one / root_of_doubles(t * t + one);
  turn.s = turn.c * t;
  *entry_of(a, i, i, v) = choose_doubles(turn.is_turned, first - t * off, first);
  *entry_of(a, j, j, v) = choose_doubles(turn.is_turned, last + t * off, last);
  *entry_of(a, i, j, v) = choose_doubles(turn.is_turned, zero, off);
  for (int k = 0; k < 5; k++) {
    turn_entries(&turn, entry_of(q, i, k, v), entry_of(q, j, k, v));
    if (k != i && k != j) turn_entries(&turn, upper_of(a, i, k, v), upper_of(a, j, k, v));
  }
  return true;
}

static void diagonalise(mi_five *a, mi_five *q) {
  memset(q, 0, sizeof *q);
  for (int i = 0; i < 5; i++)
    for (int l = 0; l < MI_JACOBI_LANES; l++) q->entry[i][i][l] = 1;
  for (int v = 0; v < VECTORS; v++) {
    mi_doubles norm = {0};
    for (int i = 0; i < 5; i++)
      for (int j = i; j < 5; j++) {
        mi_doubles size = size_of_doubles(*entry_of(a, i, j, v));
        norm = choose_doubles((lanes_mask)(size > norm), size, norm);
      }
    mi_doubles small = 0.25 * DBL_EPSILON * norm;
    bool is_turned = true;
    for (int sweep = 0; is_turned && sweep < JACOBI_SWEEPS; sweep++) {
      is_turned = false;
      for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++) is_turned |= turn_lanes(a, q, i, j, v, small);
    }
  }
}

#endif
