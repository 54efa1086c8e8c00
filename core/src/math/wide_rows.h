// Between eight lanes and rows of four floats (x, y, z, 0): what sparse solves and gathers need.
// Same rules as wide.h: only sources named *_body.c include it.
#ifndef MI_WIDE_ROWS_H
#define MI_WIDE_ROWS_H

#include "math/wide.h"

#include <stddef.h>

// Doubles, as many as the body has room for; the compiler knows their arithmetic. Load and store
// through pointers to it, which need no alignment.
#if defined(MI_BODY_AVX2)
enum { MI_DOUBLES = 4 };
typedef double mi_doubles __attribute__((vector_size(32), aligned(8), may_alias));
#else
enum { MI_DOUBLES = 2 };
typedef double mi_doubles __attribute__((vector_size(16), aligned(8), may_alias));
#endif

// One row: four floats, whose arithmetic the compiler knows, too. It is what the intrinsics of AVX2
// and NEON take and give.
typedef float mi_quad __attribute__((vector_size(16)));

static inline mi_quad mi_qload(const float *at) {
  mi_quad a;
  memcpy(&a, at, sizeof a);
  return a;
}
static inline void mi_qstore(float *at, mi_quad a) {
  memcpy(at, &a, sizeof a);
}
static inline mi_quad mi_qset(float a) {
  return (mi_quad){a, a, a, a};
}
static inline mi_quad mi_qadd(mi_quad a, mi_quad b) {
  return a + b;
}
static inline mi_quad mi_qsub(mi_quad a, mi_quad b) {
  return a - b;
}
static inline mi_quad mi_qmul(mi_quad a, mi_quad b) {
  return a * b;
}
// c - a * b, fused where the body fuses
static inline mi_quad mi_qnmadd(mi_quad a, mi_quad b, mi_quad c) {
#if defined(MI_BODY_AVX2) || defined(MI_BODY_AVX512)
  return _mm_fnmadd_ps(a, b, c);
#elif defined(MI_BODY_NEON)
  return vfmsq_f32(c, a, b);
#else
  return c - a * b;
#endif
}

// Three wide numbers: x, y, z of eight rows.
typedef struct mi_wide3 {
  mi_wide x, y, z;
} mi_wide3;

#if defined(MI_BODY_AVX2)
static inline mi_wide mi_wide_of_rows(const float *a, const float *b) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
static inline mi_wide3 mi_wgather(const float *base, const int32_t *row) {
#define MI_ROW(i) (base + 4 * (size_t)row[i])
  __m256 a = mi_wide_of_rows(MI_ROW(0), MI_ROW(4)), b = mi_wide_of_rows(MI_ROW(1), MI_ROW(5));
  __m256 c = mi_wide_of_rows(MI_ROW(2), MI_ROW(6)), d = mi_wide_of_rows(MI_ROW(3), MI_ROW(7));
#undef MI_ROW
  __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
  __m256 zab = _mm256_unpackhi_ps(a, b), zcd = _mm256_unpackhi_ps(c, d);
  return (mi_wide3){_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE),
                    _mm256_shuffle_ps(zab, zcd, 0x44)};
}
static inline void mi_wrows(mi_wide3 a, mi_quad row[8]) {
  __m256 zero = _mm256_setzero_ps();
  __m256 lo = _mm256_unpacklo_ps(a.x, a.y), hi = _mm256_unpackhi_ps(a.x, a.y);
  __m256 zlo = _mm256_unpacklo_ps(a.z, zero), zhi = _mm256_unpackhi_ps(a.z, zero);
  __m256 r[4] = {_mm256_shuffle_ps(lo, zlo, 0x44), _mm256_shuffle_ps(lo, zlo, 0xEE),
                 _mm256_shuffle_ps(hi, zhi, 0x44), _mm256_shuffle_ps(hi, zhi, 0xEE)};
  for (int i = 0; i < 4; i++) {
    row[i] = _mm256_castps256_ps128(r[i]);
    row[i + 4] = _mm256_extractf128_ps(r[i], 1);
  }
}
// the sums over lanes: x, y, z, 0
static inline mi_quad mi_wsum(mi_wide3 a) {
  __m256 xy = _mm256_hadd_ps(a.x, a.y), z = _mm256_hadd_ps(a.z, _mm256_setzero_ps());
  __m256 both = _mm256_hadd_ps(xy, z);
  return _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1));
}

#elif defined(MI_BODY_AVX512)
static inline __m256 mi_wide_of_rows(const float *a, const float *b) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
// eight rows and eight others
static inline mi_wide3 mi_wgather_two(const float *base, const int32_t *row, const int32_t *other) {
  __m512 at[4];
  for (int i = 0; i < 4; i++)
    at[i] = mi_wjoin(mi_wide_of_rows(base + 4 * (size_t)row[i], base + 4 * (size_t)row[i + 4]),
                     mi_wide_of_rows(base + 4 * (size_t)other[i], base + 4 * (size_t)other[i + 4]));
  __m512 ab = _mm512_unpacklo_ps(at[0], at[1]), cd = _mm512_unpacklo_ps(at[2], at[3]);
  __m512 zab = _mm512_unpackhi_ps(at[0], at[1]), zcd = _mm512_unpackhi_ps(at[2], at[3]);
  return (mi_wide3){_mm512_shuffle_ps(ab, cd, 0x44), _mm512_shuffle_ps(ab, cd, 0xEE),
                    _mm512_shuffle_ps(zab, zcd, 0x44)};
}
static inline void mi_wrows_half(mi_wide3 a, int half, mi_quad row[8]) {
  __m256 x = mi_whalf(a.x, half), y = mi_whalf(a.y, half), z = mi_whalf(a.z, half);
  __m256 zero = _mm256_setzero_ps();
  __m256 lo = _mm256_unpacklo_ps(x, y), hi = _mm256_unpackhi_ps(x, y);
  __m256 zlo = _mm256_unpacklo_ps(z, zero), zhi = _mm256_unpackhi_ps(z, zero);
  __m256 r[4] = {_mm256_shuffle_ps(lo, zlo, 0x44), _mm256_shuffle_ps(lo, zlo, 0xEE),
                 _mm256_shuffle_ps(hi, zhi, 0x44), _mm256_shuffle_ps(hi, zhi, 0xEE)};
  for (int i = 0; i < 4; i++) {
    row[i] = _mm256_castps256_ps128(r[i]);
    row[i + 4] = _mm256_extractf128_ps(r[i], 1);
  }
}

#else
static inline mi_wide3 mi_wgather(const float *base, const int32_t *row) {
  float lane[3][MI_WIDE];
  for (int i = 0; i < MI_WIDE; i++)
    for (int k = 0; k < 3; k++) lane[k][i] = base[4 * (size_t)row[i] + (size_t)k];
  return (mi_wide3){mi_wload(lane[0]), mi_wload(lane[1]), mi_wload(lane[2])};
}
static inline void mi_wrows(mi_wide3 a, mi_quad row[8]) {
  float lane[3][MI_WIDE];
  mi_wstore(lane[0], a.x);
  mi_wstore(lane[1], a.y);
  mi_wstore(lane[2], a.z);
  for (int i = 0; i < MI_WIDE; i++) {
    const float one[4] = {lane[0][i], lane[1][i], lane[2][i], 0};
    row[i] = mi_qload(one);
  }
}
static inline mi_quad mi_wsum(mi_wide3 a) {
  float lane[3][MI_WIDE], sum[4] = {0};
  mi_wstore(lane[0], a.x);
  mi_wstore(lane[1], a.y);
  mi_wstore(lane[2], a.z);
  for (int k = 0; k < 3; k++)
    sum[k] = ((lane[k][0] + lane[k][1]) + (lane[k][2] + lane[k][3])) +
             ((lane[k][4] + lane[k][5]) + (lane[k][6] + lane[k][7]));
  return mi_qload(sum);
}
#endif

#endif
