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

typedef struct sweep {
  double *f;
  int ld, at, depth;    // columns [at, at + depth) are swept now
  double *inverse;      // of their own block, DEPTH x DEPTH
  double *left, *right; // the panels T = B P^-1 and B, packed by eight and by four rows
} sweep;

static bool is_inside(const sweep *s, int i) {
  return i >= s->at && i < s->at + s->depth;
}

static size_t packed(const sweep *s, int by, int i, int k) {
  return (size_t)(i - i % by) * (size_t)s->depth + (size_t)(by * k + i % by);
}

// The swept columns without their own rows.
static void pack_panels(sweep *s) {
  for (int i = 0; i < s->ld; i++) {
    double row[DEPTH], product[DEPTH] = {0};
    for (int k = 0; k < s->depth; k++) {
      row[k] = is_inside(s, i) ? 0 : *lower(s->f, s->ld, i, s->at + k);
      s->right[packed(s, 4, i, k)] = row[k];
    }
    for (int q = 0; q < s->depth && !is_inside(s, i); q++)
      for (int k = 0; k < s->depth; k++) product[k] += row[q] * s->inverse[q * DEPTH + k];
    for (int k = 0; k < s->depth; k++) s->left[packed(s, 8, i, k)] = product[k];
  }
}

static void unpack_panel(sweep *s, int count) {
  for (int i = 0; i < count; i++)
    for (int k = 0; k < s->depth && !is_inside(s, i); k++)
      *lower(s->f, s->ld, i, s->at + k) = s->left[packed(s, 8, i, k)];
  for (int k = 0; k < s->depth; k++)
    for (int i = k; i < s->depth; i++)
      *lower(s->f, s->ld, s->at + i, s->at + k) = -s->inverse[k * DEPTH + i];
}

int mi_sweep(double *f, int ld, int count, int width, double *panel) {
  const mi_sparse_kernels *kernels = mi_sparse_kernels_best();
  size_t size = (size_t)DEPTH * (size_t)ld;
  sweep s = {.f = f, .ld = ld, .left = panel, .right = panel + size, .inverse = panel + 2 * size};
  for (s.at = 0; s.at < width; s.at += DEPTH) {
    s.depth = width - s.at < DEPTH ? width - s.at : DEPTH;
    for (int k = 0; k < s.depth; k++)
      for (int i = 0; i < s.depth; i++)
        s.inverse[k * DEPTH + i] = *lower(f, ld, s.at + i, s.at + k);
    int bad = invert_block(s.inverse, s.depth);
    if (bad >= 0) return s.at + bad;
    pack_panels(&s);
    kernels->rank_update(f, ld, s.left, s.right, s.depth);
    unpack_panel(&s, count);
  }
  return -1;
}
