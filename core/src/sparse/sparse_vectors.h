// Vectors in float lanes and in double, for sparse_body.c alone.
#ifndef MI_SPARSE_VECTORS_H
#define MI_SPARSE_VECTORS_H

#include "math/wide_rows.h"
#include "sparse/sparse_kernels.h"

// Sums of a few products in float lanes, those in double: as exact as L-BFGS can use, at the price
// of reading.
enum { DOT_RUN = 256 };

static inline double sum_lanes(mi_wide a) {
  float lane[MI_WIDE];
  mi_wstore(lane, a);
  double even = 0, odd = 0;
  for (int p = 0; p < MI_WIDE; p += 2) even += (double)lane[p], odd += (double)lane[p + 1];
  return even + odd;
}

// a with up to four vectors in one go; count is a multiple of eight
MI_INLINE void dot_run(const float *a, const float *const *v, int nv, int from, int to,
                       double *dot) {
  mi_wide sum[4] = {mi_wset(0), mi_wset(0), mi_wset(0), mi_wset(0)};
  for (int i = from; i < to; i += MI_WIDE) {
    mi_wide x = mi_wload(a + i);
    for (int k = 0; k < nv; k++) sum[k] = mi_wmadd(x, mi_wload(v[k] + i), sum[k]);
  }
  for (int k = 0; k < nv; k++) dot[k] += sum_lanes(sum[k]);
}

static void dots(const float *a, const float *const *v, int nv, int count, double *dot) {
  int whole = count & ~(MI_WIDE - 1);
  for (int k = 0; k < nv; k++) dot[k] = 0;
  for (int from = 0; from < whole; from += DOT_RUN) {
    int to = from + DOT_RUN < whole ? from + DOT_RUN : whole, k = 0;
    for (; k + 4 <= nv; k += 4) dot_run(a, v + k, 4, from, to, dot + k);
    if (nv - k == 3) dot_run(a, v + k, 3, from, to, dot + k);
    if (nv - k == 2) dot_run(a, v + k, 2, from, to, dot + k);
    if (nv - k == 1) dot_run(a, v + k, 1, from, to, dot + k);
  }
  for (int i = whole; i < count; i++)
    for (int k = 0; k < nv; k++) dot[k] += (double)a[i] * (double)v[k][i];
}

static void combine(const float *x, const float *const *v, const float *c, int nv, int count,
                    float *y) {
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    mi_wide sum = mi_wload(x + i);
    for (int k = 0; k < nv; k++) sum = mi_wmadd(mi_wset(c[k]), mi_wload(v[k] + i), sum);
    mi_wstore(y + i, sum);
  }
  for (; i + 4 <= count; i += 4) { // a row of four is all that can be left
    float tail_x[8] = {0}, tail_v[8] = {0};
    for (int p = 0; p < 4; p++) tail_x[p] = x[i + p];
    mi_wide sum = mi_wload(tail_x);
    for (int k = 0; k < nv; k++) {
      for (int p = 0; p < 4; p++) tail_v[p] = v[k][i + p];
      sum = mi_wmadd(mi_wset(c[k]), mi_wload(tail_v), sum);
    }
    mi_wstore(tail_x, sum);
    for (int p = 0; p < 4; p++) y[i + p] = tail_x[p];
  }
}

// Few enough rows are added in float that it does not matter.
enum { SPRING_RUN = 32 };

static inline double add_row(mi_quad a) {
  float row[4];
  mi_qstore(row, a);
  return (double)row[0] + (double)row[1] + (double)row[2];
}

static void spring_rows(const mi_spring_rows *rows, int begin, int end, float *gradient,
                        double energy[2]) {
  for (int run = begin; run < end; run += SPRING_RUN) {
    mi_quad first = mi_qset(0), second = mi_qset(0);
    for (int i = run; i < end && i < run + SPRING_RUN; i++) {
      size_t at = 4 * (size_t)i;
      mi_quad x = mi_qload(rows->x + at);
      mi_quad p = mi_qsub(x, mi_qload(rows->y + at)), q = mi_qsub(x, mi_qload(rows->z + at));
      mi_quad lowrank = mi_qmul(mi_qset(rows->a[i]), p), back = mi_qmul(mi_qset(rows->b[i]), q);
      mi_qstore(gradient + at, mi_qadd(lowrank, back));
      first = mi_qadd(first, mi_qmul(lowrank, p));
      second = mi_qadd(second, mi_qmul(back, q));
    }
    energy[0] += 0.5 * add_row(first);
    energy[1] += 0.5 * add_row(second);
  }
}

// Sixteen sums hide the latency of the additions in wide registers.
static double dot_double(const double *a, const double *b, int count) {
  double sum[16] = {0};
  int k = 0;
  for (; k + 16 <= count; k += 16)
    for (int c = 0; c < 16; c++) sum[c] += a[k + c] * b[k + c];
  for (; k < count; k++) sum[k % 16] += a[k] * b[k];
  for (int c = 8; c > 0; c /= 2)
    for (int i = 0; i < c; i++) sum[i] += sum[i + c];
  return sum[0];
}

#if defined(MI_SIXTEEN)
// Two rows of b in one register; the other bodies use two.
static void dots_double(const double *a, const double *b, size_t ld, int count, double dot[16]) {
  __m512d sum[4][2];
  for (int i = 0; i < 8; i++) sum[i / 2][i % 2] = _mm512_setzero_pd();
  for (size_t k = 0; k < (size_t)count; k += 4) {
    __m512d two[2];
    for (size_t q = 0; q < 2; q++)
      two[q] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(b + 2 * q * ld + k)),
                                  _mm256_loadu_pd(b + (2 * q + 1) * ld + k), 1);
    for (size_t i = 0; i < 4; i++) {
      __m512d row = _mm512_broadcast_f64x4(_mm256_loadu_pd(a + i * ld + k));
      for (int q = 0; q < 2; q++) sum[i][q] = _mm512_add_pd(sum[i][q], _mm512_mul_pd(row, two[q]));
    }
  }
  for (int i = 0; i < 8; i++) {
    double part[8];
    _mm512_storeu_pd(part, sum[i / 2][i % 2]);
    for (int h = 0; h < 2; h++)
      dot[4 * (i / 2) + 2 * (i % 2) + h] =
          (part[4 * h] + part[4 * h + 2]) + (part[4 * h + 1] + part[4 * h + 3]);
  }
}
#else
// Four rows against two: more sums would not fit into registers.
static inline void dots_of_two(const double *a, const double *b, size_t ld, int count,
                               double *dot) {
  enum { N = 4 / MI_DOUBLES };
  mi_doubles sum[4][2][N] = {{{{0}}}};
  for (int k = 0; k < count; k += 4)
    for (int p = 0; p < N; p++) {
      size_t at = (size_t)(k + MI_DOUBLES * p);
      mi_doubles left = *(const mi_doubles *)(b + at), right = *(const mi_doubles *)(b + ld + at);
      for (size_t i = 0; i < 4; i++) {
        mi_doubles row = *(const mi_doubles *)(a + i * ld + at);
        sum[i][0][p] += row * left;
        sum[i][1][p] += row * right;
      }
    }
  for (int i = 0; i < 8; i++) {
    double part[4];
    for (int p = 0; p < N; p++) *(mi_doubles *)(part + MI_DOUBLES * p) = sum[i / 2][i % 2][p];
    dot[4 * (i / 2) + i % 2] = (part[0] + part[2]) + (part[1] + part[3]);
  }
}

static void dots_double(const double *a, const double *b, size_t ld, int count, double dot[16]) {
  dots_of_two(a, b, ld, count, dot);
  dots_of_two(a, b + 2 * ld, ld, count, dot + 2);
}
#endif

static inline double rank1_dot(const mi_rank1_packed *rank1, const double *field) {
  enum { N = 4 / MI_DOUBLES };
  mi_doubles sum[N] = {{0}};
  double part[4];
  for (int a = 0; a < 4; a++)
    for (int p = 0; p < N; p++)
      sum[p] += *(const mi_doubles *)(rank1->vector[a] + MI_DOUBLES * p) *
                *(const mi_doubles *)(field + 4 * (size_t)rank1->row[a] + MI_DOUBLES * p);
  for (int p = 0; p < N; p++) *(mi_doubles *)(part + MI_DOUBLES * p) = sum[p];
  return part[0] + part[1] + part[2];
}

static void rank1_dots(const mi_rank1_packed *rank1, int begin, int end, const double *field,
                       size_t size, double *dot, size_t ld) {
  for (int k = begin; k < end; k++)
    for (size_t j = 0; j < 4; j++) dot[ld * (size_t)k + j] = rank1_dot(rank1 + k, field + j * size);
}

#endif
