// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt.
#include "sparse/sparse_kernels.h"

#include "math/wide_rows.h"
#include "sparse/sparse_vectors.h"

#include <stdbool.h>

#if defined(MI_BODY_AVX2) && defined(MI_SIXTEEN)
#define BODY_TABLE mi_sparse_body_avx512
#elif defined(MI_BODY_AVX2)
#define BODY_TABLE mi_sparse_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_sparse_body_neon
#else
#define BODY_TABLE mi_sparse_body_scalar
#endif

// -- panels ---------------------------------------------------------------------------------------

static inline mi_wide3 zero3(void) {
  return (mi_wide3){mi_wset(0), mi_wset(0), mi_wset(0)};
}

static inline mi_wide3 add3(mi_wide3 a, mi_wide3 b) {
  return (mi_wide3){mi_wadd(a.x, b.x), mi_wadd(a.y, b.y), mi_wadd(a.z, b.z)};
}

// sum + l * b for eight rows and one right-hand row
static inline mi_wide3 madd_row(mi_wide l, const float *b, mi_wide3 sum) {
  return (mi_wide3){mi_wmadd(l, mi_wset(b[0]), sum.x), mi_wmadd(l, mi_wset(b[1]), sum.y),
                    mi_wmadd(l, mi_wset(b[2]), sum.z)};
}

static inline mi_wide3 madd_block(mi_wide l, mi_wide3 y, mi_wide3 sum) {
  return (mi_wide3){mi_wmadd(l, y.x, sum.x), mi_wmadd(l, y.y, sum.y), mi_wmadd(l, y.z, sum.z)};
}

// eight entries; `half` is known where this is inlined
MI_INLINE mi_wide entry_at(const mi_panel *s, size_t at, bool half) {
  return half ? mi_wload_half(s->half + at) : mi_wload(s->entry + at);
}

#if defined(MI_SIXTEEN)
#include "sparse/panel_sixteen.h"
#else
// Four blocks share one read of every row of the right-hand side.
MI_INLINE void multiply_four(const mi_panel *s, size_t at, const float *b, bool half,
                             mi_wide3 out[4]) {
  size_t step = 8 * (size_t)s->stride;
  mi_wide3 p = zero3(), q = zero3(), r = zero3(), t = zero3();
  for (int c = 0; c < s->width; c++, at += 8) {
    p = madd_row(entry_at(s, at, half), b + 4 * c, p);
    q = madd_row(entry_at(s, at + step, half), b + 4 * c, q);
    r = madd_row(entry_at(s, at + 2 * step, half), b + 4 * c, r);
    t = madd_row(entry_at(s, at + 3 * step, half), b + 4 * c, t);
  }
  out[0] = p;
  out[1] = q;
  out[2] = r;
  out[3] = t;
}
#endif

// two blocks in flight hide the latency of the sums
MI_INLINE void multiply_two(const mi_panel *s, size_t first, size_t second, const float *b,
                            bool half, mi_wide3 out[2]) {
  mi_wide3 p = zero3(), q = zero3();
  for (int c = 0; c < s->width; c++) {
    p = madd_row(entry_at(s, first + 8 * (size_t)c, half), b + 4 * c, p);
    q = madd_row(entry_at(s, second + 8 * (size_t)c, half), b + 4 * c, q);
  }
  out[0] = p;
  out[1] = q;
}

MI_INLINE mi_wide3 multiply_one(const mi_panel *s, size_t at, const float *b, bool half) {
  mi_wide3 p = zero3(), q = zero3();
  int c = 0;
  for (; c + 2 <= s->width; c += 2) {
    p = madd_row(entry_at(s, at + 8 * (size_t)c, half), b + 4 * c, p);
    q = madd_row(entry_at(s, at + 8 * (size_t)c + 8, half), b + 4 * c + 4, q);
  }
  if (c < s->width) p = madd_row(entry_at(s, at + 8 * (size_t)c, half), b + 4 * c, p);
  return add3(p, q);
}

static inline void scatter_subtract(mi_wide3 sum, const int32_t *row, float *work) {
  mi_quad rows[8];
  mi_wrows(sum, rows);
  for (int i = 0; i < 8; i++) {
    float *at = work + 4 * (size_t)row[i];
    mi_qstore(at, mi_qsub(mi_qload(at), rows[i]));
  }
}

MI_INLINE void subtract(const mi_panel *s, const int32_t *row, const float *b, bool half,
                        float *work) {
  size_t step = 8 * (size_t)s->stride;
  int k = 0;
  for (; k + 4 <= s->nblock; k += 4) {
    mi_wide3 sum[4];
    multiply_four(s, k * step, b, half, sum);
    for (int i = 0; i < 4; i++) scatter_subtract(sum[i], row + 8 * (k + i), work);
  }
  for (; k + 2 <= s->nblock; k += 2) {
    mi_wide3 sum[2];
    multiply_two(s, k * step, (k + 1) * step, b, half, sum);
    scatter_subtract(sum[0], row + 8 * k, work);
    scatter_subtract(sum[1], row + 8 * k + 8, work);
  }
  if (k < s->nblock) scatter_subtract(multiply_one(s, k * step, b, half), row + 8 * k, work);
}

static void panel_subtract(mi_panel s, const int32_t *row, const float *b, float *work) {
  if (s.half)
    subtract(&s, row, b, true, work);
  else
    subtract(&s, row, b, false, work);
}

static inline void store_rows(mi_wide3 sum, float *z) {
  mi_quad rows[8];
  mi_wrows(sum, rows);
  for (int i = 0; i < 8; i++) mi_qstore(z + 4 * i, rows[i]);
}

static void panel_multiply(mi_panel s, const float *b, float *z) {
  size_t step = 8 * (size_t)s.stride;
  int k = 0;
  for (; k + 4 <= s.nblock; k += 4) {
    mi_wide3 sum[4];
    multiply_four(&s, k * step, b, false, sum);
    for (int i = 0; i < 4; i++) store_rows(sum[i], z + 32 * (k + i));
  }
  for (; k + 2 <= s.nblock; k += 2) {
    mi_wide3 sum[2];
    multiply_two(&s, k * step, (k + 1) * step, b, false, sum);
    store_rows(sum[0], z + 32 * k);
    store_rows(sum[1], z + 32 * k + 32);
  }
  if (k < s.nblock) store_rows(multiply_one(&s, k * step, b, false), z + 32 * k);
}

static void panel_multiply_some(mi_panel s, const int32_t *column, int count, const float *b,
                                float *z) {
  size_t step = 8 * (size_t)s.stride;
  int k = 0;
  for (; k + 2 <= s.nblock; k += 2) {
    const float *first = s.entry + k * step, *second = first + step;
    mi_wide3 p = zero3(), q = zero3();
    for (int i = 0; i < count; i++) {
      size_t c = (size_t)column[i];
      p = madd_row(mi_wload(first + 8 * c), b + 4 * c, p);
      q = madd_row(mi_wload(second + 8 * c), b + 4 * c, q);
    }
    store_rows(p, z + 32 * k);
    store_rows(q, z + 32 * k + 32);
  }
  if (k == s.nblock) return;
  mi_wide3 sum[2] = {zero3(), zero3()}; // as multiply_one: even and odd columns
  for (int i = 0; i < count; i++) {
    size_t c = (size_t)column[i];
    sum[c % 2] = madd_row(mi_wload(s.entry + k * step + 8 * c), b + 4 * c, sum[c % 2]);
  }
  store_rows(add3(sum[0], sum[1]), z + 32 * k);
}

static void gather(const float *work, const int32_t *row, int nblock, float *gathered) {
  for (int k = 0; k < nblock; k++) {
    mi_wide3 y = mi_wgather(work, row + 8 * k);
    mi_wstore(gathered + 24 * k, y.x);
    mi_wstore(gathered + 24 * k + 8, y.y);
    mi_wstore(gathered + 24 * k + 16, y.z);
  }
}

static inline mi_wide3 load3(const float *at) {
  return (mi_wide3){mi_wload(at), mi_wload(at + 8), mi_wload(at + 16)};
}

static inline void subtract_sum(mi_wide3 sum, float *x) {
  mi_qstore(x, mi_qsub(mi_qload(x), mi_wsum(sum)));
}

MI_INLINE void subtract_transposed(const mi_panel *s, const float *gathered, bool half, float *x) {
  size_t step = 8 * (size_t)s->stride;
  int c = 0;
#if defined(MI_SIXTEEN)
  for (; c + 8 <= s->width; c += 8) {
    mi_wide3 sum[8];
    transposed_eight(s, 8 * (size_t)c, gathered, half, sum);
    for (int i = 0; i < 8; i++) subtract_sum(sum[i], x + 4 * (c + i));
  }
#endif
  for (; c + 4 <= s->width; c += 4) {
    mi_wide3 p = zero3(), q = zero3(), r = zero3(), t = zero3();
    size_t entry = 8 * (size_t)c;
    for (int k = 0; k < s->nblock; k++, entry += step) {
      mi_wide3 y = load3(gathered + 24 * k);
      p = madd_block(entry_at(s, entry, half), y, p);
      q = madd_block(entry_at(s, entry + 8, half), y, q);
      r = madd_block(entry_at(s, entry + 16, half), y, r);
      t = madd_block(entry_at(s, entry + 24, half), y, t);
    }
    subtract_sum(p, x + 4 * c);
    subtract_sum(q, x + 4 * c + 4);
    subtract_sum(r, x + 4 * c + 8);
    subtract_sum(t, x + 4 * c + 12);
  }
  for (; c < s->width; c++) {
    mi_wide3 p = zero3();
    size_t entry = 8 * (size_t)c;
    for (int k = 0; k < s->nblock; k++, entry += step)
      p = madd_block(entry_at(s, entry, half), load3(gathered + 24 * k), p);
    subtract_sum(p, x + 4 * c);
  }
}

static void panel_subtract_transposed(mi_panel s, const float *gathered, float *x) {
  if (s.half)
    subtract_transposed(&s, gathered, true, x);
  else
    subtract_transposed(&s, gathered, false, x);
}

// -- dense, double --------------------------------------------------------------------------------

enum { TILE = MI_DOUBLES }; // eight rows and as many columns of C as fit into registers

static inline void update_tile(double *c, size_t ld, const double *left, const double *right,
                               int depth) {
  mi_doubles sum[TILE][8 / MI_DOUBLES] = {{{0}}};
  for (int k = 0; k < depth; k++, left += 8, right += 4)
    for (int q = 0; q < TILE; q++)
      for (int p = 0; p < 8 / MI_DOUBLES; p++)
        sum[q][p] += *(const mi_doubles *)(left + MI_DOUBLES * p) * right[q];
  for (int q = 0; q < TILE; q++)
    for (int p = 0; p < 8 / MI_DOUBLES; p++)
      *(mi_doubles *)(c + (size_t)q * ld + MI_DOUBLES * p) -= sum[q][p];
}

static void rank_update(double *c, int ld, const double *t, const double *b, int depth) {
  for (int j = 0; j < ld; j += TILE)
    for (int i = j & ~7; i < ld; i += 8)
      update_tile(c + (size_t)j * (size_t)ld + (size_t)i, (size_t)ld, t + (size_t)i * (size_t)depth,
                  b + (size_t)(j & ~3) * (size_t)depth + (size_t)(j & 3), depth);
}

static void multiply_double(const double *k, int ld, int count, const double *r, double *t) {
  for (int i = 0; i < count; i++) {
    const double *column = k + (size_t)i * (size_t)ld; // symmetric: row i
    mi_doubles even[4 / MI_DOUBLES] = {{0}}, odd[4 / MI_DOUBLES] = {{0}};
    int j = 0;
    for (; j + 2 <= count; j += 2)
      for (int p = 0; p < 4 / MI_DOUBLES; p++) {
        even[p] += column[j] * *(const mi_doubles *)(r + 4 * j + MI_DOUBLES * p);
        odd[p] += column[j + 1] * *(const mi_doubles *)(r + 4 * j + 4 + MI_DOUBLES * p);
      }
    for (int p = 0; p < 4 / MI_DOUBLES; p++) {
      if (j < count) even[p] += column[j] * *(const mi_doubles *)(r + 4 * j + MI_DOUBLES * p);
      *(mi_doubles *)(t + 4 * i + MI_DOUBLES * p) = even[p] + odd[p];
    }
  }
}

// -- Gauss-Seidel ---------------------------------------------------------------------------------

static void relax(const mi_gs_rows *rows, int begin, int end, const float *q, float *s) {
  for (int r = begin; r < end; r++) {
    int i = rows->vert[r];
    if (rows->held[i]) continue;
    mi_quad even = mi_qload(q + 4 * (size_t)i), odd = mi_qset(0);
    int p = rows->first[r], last = rows->first[r + 1];
    for (; p + 2 <= last; p += 2) {
      even = mi_qnmadd(mi_qset(rows->value[p]), mi_qload(s + 4 * (size_t)rows->column[p]), even);
      odd = mi_qnmadd(mi_qset(rows->value[p + 1]), mi_qload(s + 4 * (size_t)rows->column[p + 1]),
                      odd);
    }
    if (p < last)
      even = mi_qnmadd(mi_qset(rows->value[p]), mi_qload(s + 4 * (size_t)rows->column[p]), even);
    mi_qstore(s + 4 * (size_t)i, mi_qmul(mi_qadd(even, odd), mi_qset(rows->inverse[r])));
  }
}

static void panel_respond(mi_panel s, const int32_t *column, int count, const float (*vector)[3],
                          double *out) {
  for (int b = 0; b < s.nblock; b++) {
    mi_wide3 sum = zero3();
    for (int a = 0; a < count; a++)
      sum = madd_row(mi_wload(s.entry + 8 * ((size_t)b * (size_t)s.stride + (size_t)column[a])),
                     vector[a], sum);
    float rows[32];
    store_rows(sum, rows);
    for (int i = 0; i < 32; i++) out[32 * (size_t)b + (size_t)i] = (double)rows[i];
  }
}

const mi_sparse_kernels BODY_TABLE = {
    panel_subtract, panel_multiply, panel_multiply_some, panel_subtract_transposed,
    gather,         rank_update,    multiply_double,     relax,
    dots,           combine,        spring_rows,         dot_double,
    dots_double,    panel_respond,  rank1_dots};
