// One SIMD type: eight floats. A source that uses it (named *_body.c) is compiled once per body and
// never names an instruction set; kernels.c picks the body when the library is first used.
//
// MI_BODY_AVX2 and MI_BODY_NEON are set by the build; without either it is the scalar body, whose
// loops the compiler may vectorise for the baseline processor. Bodies differ in the last bits
// because AVX2 and NEON fuse a multiply with an add: madd(a, b, c) = a * b + c.
#ifndef MI_WIDE_H
#define MI_WIDE_H

#include <math.h>

enum { MI_WIDE = 8 };

#if defined(MI_BODY_AVX2)
#include <immintrin.h>
typedef __m256 mi_wide;
static inline mi_wide mi_wload(const float *at) {
  return _mm256_loadu_ps(at);
}
static inline void mi_wstore(float *at, mi_wide a) {
  _mm256_storeu_ps(at, a);
}
static inline mi_wide mi_wset(float a) {
  return _mm256_set1_ps(a);
}
static inline mi_wide mi_wadd(mi_wide a, mi_wide b) {
  return _mm256_add_ps(a, b);
}
static inline mi_wide mi_wsub(mi_wide a, mi_wide b) {
  return _mm256_sub_ps(a, b);
}
static inline mi_wide mi_wmul(mi_wide a, mi_wide b) {
  return _mm256_mul_ps(a, b);
}
static inline mi_wide mi_wdiv(mi_wide a, mi_wide b) {
  return _mm256_div_ps(a, b);
}
static inline mi_wide mi_wsqrt(mi_wide a) {
  return _mm256_sqrt_ps(a);
}
static inline mi_wide mi_wmin(mi_wide a, mi_wide b) {
  return _mm256_min_ps(a, b);
}
static inline mi_wide mi_wmax(mi_wide a, mi_wide b) {
  return _mm256_max_ps(a, b);
}
static inline mi_wide mi_wmadd(mi_wide a, mi_wide b, mi_wide c) {
  return _mm256_fmadd_ps(a, b, c);
}

#elif defined(MI_BODY_NEON)
#include <arm_neon.h>
typedef struct mi_wide {
  float32x4_t lo, hi;
} mi_wide;
#define MI_NEON2(fn, a, b) ((mi_wide){fn((a).lo, (b).lo), fn((a).hi, (b).hi)})
static inline mi_wide mi_wload(const float *at) {
  return (mi_wide){vld1q_f32(at), vld1q_f32(at + 4)};
}
static inline void mi_wstore(float *at, mi_wide a) {
  vst1q_f32(at, a.lo);
  vst1q_f32(at + 4, a.hi);
}
static inline mi_wide mi_wset(float a) {
  return (mi_wide){vdupq_n_f32(a), vdupq_n_f32(a)};
}
static inline mi_wide mi_wadd(mi_wide a, mi_wide b) {
  return MI_NEON2(vaddq_f32, a, b);
}
static inline mi_wide mi_wsub(mi_wide a, mi_wide b) {
  return MI_NEON2(vsubq_f32, a, b);
}
static inline mi_wide mi_wmul(mi_wide a, mi_wide b) {
  return MI_NEON2(vmulq_f32, a, b);
}
static inline mi_wide mi_wdiv(mi_wide a, mi_wide b) {
  return MI_NEON2(vdivq_f32, a, b);
}
static inline mi_wide mi_wsqrt(mi_wide a) {
  return (mi_wide){vsqrtq_f32(a.lo), vsqrtq_f32(a.hi)};
}
static inline mi_wide mi_wmin(mi_wide a, mi_wide b) {
  return MI_NEON2(vminq_f32, a, b);
}
static inline mi_wide mi_wmax(mi_wide a, mi_wide b) {
  return MI_NEON2(vmaxq_f32, a, b);
}
static inline mi_wide mi_wmadd(mi_wide a, mi_wide b, mi_wide c) {
  return (mi_wide){vfmaq_f32(c.lo, a.lo, b.lo), vfmaq_f32(c.hi, a.hi, b.hi)};
}

#else
typedef struct mi_wide {
  float lane[MI_WIDE];
} mi_wide;
#define MI_LANES(expression)                                                                       \
  mi_wide r;                                                                                       \
  for (int i = 0; i < MI_WIDE; i++) r.lane[i] = (expression);                                      \
  return r
static inline mi_wide mi_wload(const float *at) {
  MI_LANES(at[i]);
}
static inline void mi_wstore(float *at, mi_wide a) {
  for (int i = 0; i < MI_WIDE; i++) at[i] = a.lane[i];
}
static inline mi_wide mi_wset(float a) {
  MI_LANES(a);
}
static inline mi_wide mi_wadd(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] + b.lane[i]);
}
static inline mi_wide mi_wsub(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] - b.lane[i]);
}
static inline mi_wide mi_wmul(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] * b.lane[i]);
}
static inline mi_wide mi_wdiv(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] / b.lane[i]);
}
static inline mi_wide mi_wsqrt(mi_wide a) {
  MI_LANES(sqrtf(a.lane[i]));
}
static inline mi_wide mi_wmin(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
static inline mi_wide mi_wmax(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
static inline mi_wide mi_wmadd(mi_wide a, mi_wide b, mi_wide c) {
  MI_LANES(a.lane[i] * b.lane[i] + c.lane[i]);
}
#endif

#endif
