// The sweep operator on symmetric matrices, by blocks: inverse, Schur complement and the factor
// between them in one pass over the same storage.
#include "sparse/supernodal.h"

#include <math.h>

enum { DEPTH = 32 };

size_t mi_sweep_panel(int ld) {
  return 2 * (size_t)DEPTH * (size_t)ld + DEPTH * DEPTH;
}

// full symmetric `n` x `n` block: becomes its inverse; returns a bad pivot or -1
static int invert_block(double *p, int n) {
  for (int k = 0; k < n; k++) {
    double pivot = p[k * DEPTH + k];
    if (!(pivot > 0) || !isfinite(pivot)) return k;
    double row[DEPTH];
    for (int i = 0; i < n; i++) row[i] = p[k * DEPTH + i];
    for (int j = 0; j < n; j++) {
      double share = row[j] / pivot;
      if (j == k) continue;
      for (int i = 0; i < n; i++) p[j * DEPTH + i] -= share * row[i];
      p[j * DEPTH + k] = share;
    }
    for (int i = 0; i < n; i++) p[k * DEPTH + i] = row[i] / pivot;
    p[k * DEPTH + k] = -1 / pivot;
  }
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) p[k * DEPTH + i] = -p[k * DEPTH + i];
  return -1;
}

static double *lower(double *f, int ld, int i, int j) {
  return i >= j ? f + (size_t)j * (size_t)ld + i : f + (size_t)i * (size_t)ld + j;
}

// Columns [at, at + depth) without their own rows, packed by eight and by four rows: T = B P^-1, B.
static void pack_panels(double *f, int ld, int at, int depth, const double *inverse, double *t,
                        double *b) {
  for (int i = 0; i < ld; i++) {
    double row[DEPTH];
    bool inside = i >= at && i < at + depth;
    for (int k = 0; k < depth; k++) {
      row[k] = inside ? 0 : *lower(f, ld, i, at + k);
      b[(size_t)(i & ~3) * (size_t)depth + 4 * (size_t)k + (size_t)(i & 3)] = row[k];
    }
    double product[DEPTH] = {0};
    if (!inside)
      for (int q = 0; q < depth; q++)
        for (int k = 0; k < depth; k++) product[k] += row[q] * inverse[q * DEPTH + k];
    for (int k = 0; k < depth; k++)
      t[(size_t)(i & ~7) * (size_t)depth + 8 * (size_t)k + (size_t)(i & 7)] = product[k];
  }
}

static void unpack_panel(double *f, int ld, int count, int at, int depth, const double *t) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < depth && (i < at || i >= at + depth); k++)
      *lower(f, ld, i, at + k) =
          t[(size_t)(i & ~7) * (size_t)depth + 8 * (size_t)k + (size_t)(i & 7)];
}

int mi_sweep(double *f, int ld, int count, int width, double *panel) {
  const mi_sparse_kernels *kernels = mi_sparse_kernels_best();
  double *t = panel, *b = t + (size_t)DEPTH * (size_t)ld, *inverse = b + (size_t)DEPTH * (size_t)ld;
  for (int at = 0; at < width; at += DEPTH) {
    int depth = width - at < DEPTH ? width - at : DEPTH;
    for (int k = 0; k < depth; k++)
      for (int i = 0; i < depth; i++) inverse[k * DEPTH + i] = *lower(f, ld, at + i, at + k);
    int bad = invert_block(inverse, depth);
    if (bad >= 0) return at + bad;
    pack_panels(f, ld, at, depth, inverse, t, b);
    kernels->rank_update(f, ld, t, b, depth);
    unpack_panel(f, ld, count, at, depth, t);
    for (int k = 0; k < depth; k++)
      for (int i = k; i < depth; i++) *lower(f, ld, at + i, at + k) = -inverse[k * DEPTH + i];
  }
  return -1;
}
