// The local step: strain and volume projections (Barrielle & Stoiber, eq. 14 and 15), one
// tetrahedron after the other, in double, through singular values.
#include "textbook_parts.h"

#include "energy/product.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512, MOST_STEPS = 12 };

typedef struct local {
  textbook *t;
  const double *x;
  bool gradient;
} local;

static void multiply(const double a[9], const double b[9], double out[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
}

// A B'
static void multiply_transposed(const double a[9], const double b[9], double out[9]) {
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      out[3 * r + c] =
          a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] + a[3 * r + 2] * b[3 * c + 2];
}

// The closest values to s with a given product: Bouaziz, D.3, iterated from s itself; where that
// does not settle, the careful search of energy/product.h.
static void closest_product(const double s[3], double product, double to[3]) {
  memcpy(to, s, 3 * sizeof *to);
  for (int step = 0; step < MOST_STEPS; step++) {
    double n[3] = {to[1] * to[2], to[0] * to[2], to[0] * to[1]};
    double off = to[0] * to[1] * to[2] - product, along = 0, moved = 0;
    double length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    if (!(length2 > 0)) break;
    for (int k = 0; k < 3; k++) along += n[k] * (to[k] - s[k]);
    for (int k = 0; k < 3; k++) {
      double next = s[k] + (along - off) / length2 * n[k];
      moved += fabs(next - to[k]);
      to[k] = next;
    }
    if (moved < 1e-13) return;
  }
  // a negative product is the mirror image of a positive one
  double sign = product < 0 ? -1 : 1, mirrored[3] = {s[0], s[1], sign * s[2]};
  memcpy(to, s, 3 * sizeof *to);
  if (product == 0) return;
  mi_product_closest(3, mirrored, fabs(product), to);
  to[2] *= sign;
}

static void deformation(const textbook_tet *e, const double *x, double f[9]) {
  double edges[9];
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      edges[3 * r + c] = x[3 * (size_t)e->vert[c + 1] + r] - x[3 * (size_t)e->vert[0] + r];
  multiply(edges, e->inverse, f);
}

static void project(const textbook *t, const textbook_tet *e, const double f[9], double strain[9],
                    double volume[9]) {
  double u[9], s[3], v[9], to[3], scaled[9], ft[9], r[9];
  textbook_svd(f, u, s, v);
  closest_product(s, e->target_det, to);
  for (int k = 0; k < 9; k++) scaled[k] = u[k] * to[k % 3];
  multiply_transposed(scaled, v, volume);
  if (t->is_posed) { // the rotation that brings T closest to F
    multiply_transposed(f, e->target, ft);
    textbook_svd(ft, u, s, v);
    multiply_transposed(u, v, r);
    multiply(r, e->target, strain);
  } else {
    multiply_transposed(u, v, strain);
  }
}

static void local_range(void *task, int begin, int end) {
  const local *l = task;
  for (int i = begin; i < end; i++) {
    const textbook_tet *e = l->t->tet + i;
    double f[9], strain[9], volume[9], energy = 0, *out = l->t->element + 9 * (size_t)i;
    deformation(e, l->x, f);
    project(l->t, e, f, strain, volume);
    for (int k = 0; k < 9; k++) {
      double a = f[k] - strain[k], b = f[k] - volume[k];
      energy += 0.5 * (e->strain * a * a + e->volume * b * b);
      out[k] = l->gradient ? e->strain * a + e->volume * b
                           : e->strain * strain[k] + e->volume * volume[k];
    }
    l->t->element_energy[i] = energy;
  }
}

void textbook_local(textbook *t, const double *x, bool gradient) {
  local l = {t, x, gradient};
  mi_parallel(t->threads, t->ntet, CHUNK, local_range, &l);
}

typedef struct gathering {
  const textbook *t;
  double *to;
} gathering;

static void gather_range(void *task, int begin, int end) {
  const gathering *g = task;
  const textbook *t = g->t;
  for (int i = begin; i < end; i++)
    for (int k = t->corner_first[i]; k < t->corner_first[i + 1]; k++) {
      const textbook_tet *e = t->tet + t->corner[k] / 4;
      const double *m = t->element + 9 * (size_t)(t->corner[k] / 4), *d = e->inverse;
      int c = t->corner[k] % 4;
      double n[3];
      for (int j = 0; j < 3; j++) n[j] = c ? d[3 * (c - 1) + j] : -d[j] - d[3 + j] - d[6 + j];
      for (int r = 0; r < 3; r++)
        g->to[3 * (size_t)i + r] += m[3 * r] * n[0] + m[3 * r + 1] * n[1] + m[3 * r + 2] * n[2];
    }
}

void textbook_gather(const textbook *t, double *to) {
  gathering g = {t, to};
  mi_parallel(t->threads, t->nvert, CHUNK, gather_range, &g);
}
