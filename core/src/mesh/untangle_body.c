// Four tetrahedra at a time, in double.
#include "mesh/untangle_kernels.h"

#include <math.h>
#include <string.h>

#if defined(MI_BODY_AVX2)
#include <immintrin.h>
#define BODY_TABLE mi_untangle_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_untangle_body_neon
#else
#define BODY_TABLE mi_untangle_body_scalar
#endif

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t mask __attribute__((vector_size(8 * LANES)));

#define INLINE static inline __attribute__((always_inline))

INLINE void load(const double *const from[LANES], int at, lanes *out) {
  *out = (lanes){from[0][at], from[1][at], from[2][at], from[3][at]};
}

// yes where `test`, otherwise no
INLINE void choose(const mask *test, const lanes *yes, const lanes *no, lanes *out) {
  *out = (lanes)((*test & (mask)*yes) | (~*test & (mask)*no));
}

INLINE void square_root(const lanes *a, lanes *out) {
#if defined(MI_BODY_AVX2)
  *out = (lanes)_mm256_sqrt_pd((__m256d)*a);
#else
  for (int l = 0; l < LANES; l++) (*out)[l] = sqrt((*a)[l]);
#endif
}

// c^(-1/3) for c > 0: minus a third of the exponent, good to 3.5 %, then steps without a division,
// each of which triples the digits that are right. The C library's root was a third of an energy.
INLINE void inverse_cube_root(const lanes *c, lanes *out) {
  uint64_t bits[LANES];
  lanes y;
  memcpy(bits, c, sizeof bits);
  for (int l = 0; l < LANES; l++) bits[l] = UINT64_C(0x553ef1a9fbe76c8c) - bits[l] / 3;
  memcpy(&y, bits, sizeof y);
  for (int step = 0; step < 3; step++) {
    lanes off = 1 - *c * (y * y * y);
    y *= 1 + off * (1.0 / 3 + off * (2.0 / 9));
  }
  *out = y;
}

// Tetrahedra [first, first + count), the first one again where a lane has none.
typedef struct block {
  const int32_t *tet[LANES];
  lanes inverse[9], j[9], cof[9], det;
} block;

INLINE void deform(const mi_untangle *u, const double *x, int first, int count, block *b) {
  const double *corner[4][LANES], *inverse[LANES];
  for (int l = 0; l < LANES; l++) {
    size_t t = (size_t)(first + (l < count ? l : 0));
    b->tet[l] = u->tets + 4 * t;
    inverse[l] = u->inverse + 9 * t;
    for (int c = 0; c < 4; c++) corner[c][l] = x + 3 * (size_t)b->tet[l][c];
  }
  lanes edge[9]; // columns
  for (int k = 0; k < 3; k++) {
    lanes origin;
    load(corner[0], k, &origin);
    for (int c = 0; c < 3; c++) {
      load(corner[c + 1], k, edge + 3 * k + c);
      edge[3 * k + c] -= origin;
    }
  }
  for (int i = 0; i < 9; i++) load(inverse, i, b->inverse + i);
  const lanes *m = b->inverse, *j = b->j;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      b->j[3 * r + c] =
          edge[3 * r] * m[c] + edge[3 * r + 1] * m[3 + c] + edge[3 * r + 2] * m[6 + c];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) {
      int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      b->cof[3 * r + c] = j[3 * r1 + c1] * j[3 * r2 + c2] - j[3 * r1 + c2] * j[3 * r2 + c1];
    }
  b->det = j[0] * b->cof[0] + j[1] * b->cof[1] + j[2] * b->cof[2];
}

// the gradient by corners from that by J
INLINE void spread(const mi_untangle *u, const block *b, int count, const lanes by_j[9],
                   double *gradient) {
  double by_corner[4][3][LANES];
  lanes origin[3] = {{0}};
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++) {
      lanes g = by_j[3 * k] * b->inverse[3 * c] + by_j[3 * k + 1] * b->inverse[3 * c + 1] +
                by_j[3 * k + 2] * b->inverse[3 * c + 2];
      origin[k] -= g;
      memcpy(by_corner[c + 1][k], &g, sizeof g);
    }
  memcpy(by_corner[0], origin, sizeof origin);
  for (int l = 0; l < count; l++)
    for (int c = 0; c < 4; c++) {
      double *at = gradient + 3 * (size_t)b->tet[l][c];
      if (b->tet[l][c] >= u->nfree) continue;
      for (int k = 0; k < 3; k++) at[k] += by_corner[c][k][l];
    }
}

static double energy(const mi_untangle *u, const double *x, double e, int begin, int end,
                     double *gradient) {
  double sum = 0;
  for (int t = begin; t < end; t += LANES) {
    int count = end - t < LANES ? end - t : LANES;
    block b;
    deform(u, x, t, count, &b);
    lanes d = b.det, root = e * e + d * d, square = {0}, per, c;
    square_root(&root, &root);
    // for d far below 0 the plain sum would cancel
    lanes above = 0.5 * (d + root), below = 0.5 * e * e / (root - d);
    mask is_above = d > 0;
    choose(&is_above, &above, &below, &c);
    for (int k = 0; k < 9; k++) square += b.j[k] * b.j[k];
    inverse_cube_root(&c, &per);
    lanes per2 = per * per, per3 = per * per2;
    lanes shape = square * per2, volume = (d * d + 1) * per3, both = shape + volume;
    for (int l = 0; l < count; l++) sum += both[l];
    if (!gradient) continue;
    // dc/dd = c / root
    lanes on_j = 2 * per2, on_cof = 2 * d * per3 - (2.0 / 3 * shape + volume) / root, by_j[9];
    for (int k = 0; k < 9; k++) by_j[k] = on_j * b.j[k] + on_cof * b.cof[k];
    spread(u, &b, count, by_j, gradient);
  }
  return sum;
}

static void measure(const mi_untangle *u, double *least, int *nbad) {
  *least = INFINITY;
  *nbad = 0;
  for (int t = 0; t < u->ntet; t += LANES) {
    int count = u->ntet - t < LANES ? u->ntet - t : LANES;
    block b;
    deform(u, u->x, t, count, &b);
    for (int l = 0; l < count; l++) {
      *least = fmin(*least, b.det[l]);
      *nbad += !(b.det[l] > 0);
    }
  }
}

const mi_untangle_kernels BODY_TABLE = {energy, measure};
