// One SIMD type: eight floats, or sixteen where a source is made for it (MI_BODY_AVX512, which
// gives the bits of AVX2). A source that uses it (named *_body.c) is compiled once per body and
// never names an instruction set; kernels.c picks the body when the library is first used.
//
// The bodies MI_BODY_AVX2 and MI_BODY_NEON are set by the build; without either it is the scalar
// body, whose loops the compiler may vectorise for the baseline processor. Bodies differ in the
// last bits because AVX2 and NEON fuse a multiply with an add: madd(a, b, c) = a * b + c, and
// nmadd(a, b, c) = c - a * b. There is no approximate reciprocal root on purpose: its bits differ
// between makers of processors, and a farm must see what the artist saw.
//
// A comparison gives a mask, which selects; mi_wmask_bits has bit i set where lane i holds.
#ifndef MI_WIDE_H
#define MI_WIDE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(MI_BODY_AVX512)
enum { MI_WIDE = 16 };
#else
enum { MI_WIDE = 8 };
#endif
enum { MI_WIDE_ALL = (1 << MI_WIDE) - 1 }; // every lane of a mask holds

// For functions that take arrays of mi_wide: inlined, those arrays are registers. In the scalar
// body they are memory anyway, and inlining everything would only keep the compiler busy.
#if defined(MI_BODY_AVX2) || defined(MI_BODY_NEON) || defined(MI_BODY_AVX512)
#define MI_INLINE static inline __attribute__((always_inline))
#else
#define MI_INLINE static __attribute__((noinline, unused))
#endif

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
static inline mi_wide mi_wnmadd(mi_wide a, mi_wide b, mi_wide c) {
  return _mm256_fnmadd_ps(a, b, c);
}
static inline mi_wide mi_wabs(mi_wide a) {
  return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
// a with its sign turned where `sign` is negative
static inline mi_wide mi_wflip(mi_wide a, mi_wide sign) {
  return _mm256_xor_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0f), sign));
}
// the largest power of two not above a > 0
static inline mi_wide mi_wpower(mi_wide a) {
  return _mm256_and_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000)));
}
// eight numbers of half precision, exactly
static inline mi_wide mi_wload_half(const uint16_t *at) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)at));
}
typedef __m256 mi_wmask;
static inline mi_wmask mi_wless(mi_wide a, mi_wide b) {
  return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline mi_wmask mi_wmask_and(mi_wmask a, mi_wmask b) {
  return _mm256_and_ps(a, b);
}
static inline mi_wmask mi_wmask_or(mi_wmask a, mi_wmask b) {
  return _mm256_or_ps(a, b);
}
static inline mi_wmask mi_wmask_not(mi_wmask a) {
  return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}
static inline unsigned mi_wmask_bits(mi_wmask a) {
  return (unsigned)_mm256_movemask_ps(a);
}
static inline mi_wide mi_wselect(mi_wmask yes, mi_wide a, mi_wide b) {
  return _mm256_blendv_ps(b, a, yes);
}

#elif defined(MI_BODY_AVX512)
#include <immintrin.h>
typedef __m512 mi_wide;
static inline mi_wide mi_wload(const float *at) {
  return _mm512_loadu_ps(at);
}
// eight and eight
static inline mi_wide mi_wjoin(__m256 low, __m256 high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
static inline __m256 mi_whalf(mi_wide a, int half) {
  return half ? _mm512_extractf32x8_ps(a, 1) : _mm512_castps512_ps256(a);
}
static inline mi_wide mi_wset(float a) {
  return _mm512_set1_ps(a);
}
static inline mi_wide mi_wadd(mi_wide a, mi_wide b) {
  return _mm512_add_ps(a, b);
}
static inline mi_wide mi_wsub(mi_wide a, mi_wide b) {
  return _mm512_sub_ps(a, b);
}
static inline mi_wide mi_wmul(mi_wide a, mi_wide b) {
  return _mm512_mul_ps(a, b);
}
static inline mi_wide mi_wdiv(mi_wide a, mi_wide b) {
  return _mm512_div_ps(a, b);
}
static inline mi_wide mi_wsqrt(mi_wide a) {
  return _mm512_sqrt_ps(a);
}
static inline mi_wide mi_wmax(mi_wide a, mi_wide b) {
  return _mm512_max_ps(a, b);
}
static inline mi_wide mi_wmadd(mi_wide a, mi_wide b, mi_wide c) {
  return _mm512_fmadd_ps(a, b, c);
}
static inline mi_wide mi_wnmadd(mi_wide a, mi_wide b, mi_wide c) {
  return _mm512_fnmadd_ps(a, b, c);
}
static inline mi_wide mi_wabs(mi_wide a) {
  return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), a);
}
static inline mi_wide mi_wflip(mi_wide a, mi_wide sign) {
  return _mm512_xor_ps(a, _mm512_and_ps(_mm512_set1_ps(-0.0f), sign));
}
typedef __mmask16 mi_wmask;
static inline mi_wmask mi_wless(mi_wide a, mi_wide b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline mi_wmask mi_wmask_and(mi_wmask a, mi_wmask b) {
  return (mi_wmask)(a & b);
}
static inline mi_wmask mi_wmask_or(mi_wmask a, mi_wmask b) {
  return (mi_wmask)(a | b);
}
static inline unsigned mi_wmask_bits(mi_wmask a) {
  return a;
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
static inline mi_wide mi_wnmadd(mi_wide a, mi_wide b, mi_wide c) {
  return (mi_wide){vfmsq_f32(c.lo, a.lo, b.lo), vfmsq_f32(c.hi, a.hi, b.hi)};
}
static inline mi_wide mi_wabs(mi_wide a) {
  return (mi_wide){vabsq_f32(a.lo), vabsq_f32(a.hi)};
}
static inline mi_wide mi_wflip(mi_wide a, mi_wide sign) {
  uint32x4_t bit = vdupq_n_u32(0x80000000u);
#define MI_NEON_FLIP(a, b)                                                                         \
  vreinterpretq_f32_u32(                                                                           \
      veorq_u32(vreinterpretq_u32_f32(a), vandq_u32(bit, vreinterpretq_u32_f32(b))))
  return MI_NEON2(MI_NEON_FLIP, a, sign);
}
static inline mi_wide mi_wpower(mi_wide a) {
  uint32x4_t bits = vdupq_n_u32(0x7f800000u);
  return (mi_wide){vreinterpretq_f32_u32(vandq_u32(bits, vreinterpretq_u32_f32(a.lo))),
                   vreinterpretq_f32_u32(vandq_u32(bits, vreinterpretq_u32_f32(a.hi)))};
}
static inline mi_wide mi_wload_half(const uint16_t *at) {
  return (mi_wide){vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(at))),
                   vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(at + 4)))};
}
typedef struct mi_wmask {
  uint32x4_t lo, hi;
} mi_wmask;
static inline mi_wmask mi_wless(mi_wide a, mi_wide b) {
  return (mi_wmask){vcltq_f32(a.lo, b.lo), vcltq_f32(a.hi, b.hi)};
}
static inline mi_wmask mi_wmask_and(mi_wmask a, mi_wmask b) {
  return (mi_wmask){vandq_u32(a.lo, b.lo), vandq_u32(a.hi, b.hi)};
}
static inline mi_wmask mi_wmask_or(mi_wmask a, mi_wmask b) {
  return (mi_wmask){vorrq_u32(a.lo, b.lo), vorrq_u32(a.hi, b.hi)};
}
static inline mi_wmask mi_wmask_not(mi_wmask a) {
  return (mi_wmask){vmvnq_u32(a.lo), vmvnq_u32(a.hi)};
}
static inline unsigned mi_wmask_bits(mi_wmask a) {
  const uint32_t place[4] = {1, 2, 4, 8};
  uint32x4_t bit = vld1q_u32(place);
  return vaddvq_u32(vandq_u32(a.lo, bit)) | vaddvq_u32(vandq_u32(a.hi, bit)) << 4;
}
static inline mi_wide mi_wselect(mi_wmask yes, mi_wide a, mi_wide b) {
  return (mi_wide){vbslq_f32(yes.lo, a.lo, b.lo), vbslq_f32(yes.hi, a.hi, b.hi)};
}

#else
// with a sanitizer's checks per lane, inlining these a thousand times takes the compiler minutes
#if defined(__SANITIZE_ADDRESS__)
#define MI_SCALAR static __attribute__((noinline, unused))
#else
#define MI_SCALAR static inline
#endif
typedef struct mi_wide {
  float lane[MI_WIDE];
} mi_wide;
#define MI_LANES(expression)                                                                       \
  mi_wide r;                                                                                       \
  for (int i = 0; i < MI_WIDE; i++) r.lane[i] = (expression);                                      \
  return r
MI_SCALAR mi_wide mi_wload(const float *at) {
  MI_LANES(at[i]);
}
MI_SCALAR void mi_wstore(float *at, mi_wide a) {
  for (int i = 0; i < MI_WIDE; i++) at[i] = a.lane[i];
}
MI_SCALAR mi_wide mi_wset(float a) {
  MI_LANES(a);
}
MI_SCALAR mi_wide mi_wadd(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] + b.lane[i]);
}
MI_SCALAR mi_wide mi_wsub(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] - b.lane[i]);
}
MI_SCALAR mi_wide mi_wmul(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] * b.lane[i]);
}
MI_SCALAR mi_wide mi_wdiv(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] / b.lane[i]);
}
MI_SCALAR mi_wide mi_wsqrt(mi_wide a) {
  MI_LANES(sqrtf(a.lane[i]));
}
MI_SCALAR mi_wide mi_wmin(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
}
MI_SCALAR mi_wide mi_wmax(mi_wide a, mi_wide b) {
  MI_LANES(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
}
MI_SCALAR mi_wide mi_wmadd(mi_wide a, mi_wide b, mi_wide c) {
  MI_LANES(a.lane[i] * b.lane[i] + c.lane[i]);
}
MI_SCALAR mi_wide mi_wnmadd(mi_wide a, mi_wide b, mi_wide c) {
  MI_LANES(c.lane[i] - a.lane[i] * b.lane[i]);
}
MI_SCALAR mi_wide mi_wabs(mi_wide a) {
  MI_LANES(fabsf(a.lane[i]));
}
MI_SCALAR mi_wide mi_wflip(mi_wide a, mi_wide sign) {
  MI_LANES(signbit(sign.lane[i]) ? -a.lane[i] : a.lane[i]);
}
MI_SCALAR mi_wide mi_wpower(mi_wide a) {
  uint32_t bits[MI_WIDE];
  memcpy(bits, &a, sizeof bits);
  for (int i = 0; i < MI_WIDE; i++) bits[i] &= 0x7f800000u;
  memcpy(&a, bits, sizeof bits);
  return a;
}
// by 2^112, which moves the exponent of a half to that of a float, denormals included
MI_SCALAR mi_wide mi_wload_half(const uint16_t *at) {
  uint32_t bits[MI_WIDE];
  mi_wide r;
  for (int i = 0; i < MI_WIDE; i++)
    bits[i] = (uint32_t)(at[i] & 0x8000u) << 16 | (uint32_t)(at[i] & 0x7fffu) << 13;
  memcpy(&r, bits, sizeof bits);
  for (int i = 0; i < MI_WIDE; i++) r.lane[i] *= 0x1p112f;
  return r;
}
typedef struct mi_wmask {
  uint32_t lane[MI_WIDE]; // 0 or all bits
} mi_wmask;
#define MI_MASKS(expression)                                                                       \
  mi_wmask r;                                                                                      \
  for (int i = 0; i < MI_WIDE; i++) r.lane[i] = (expression);                                      \
  return r
MI_SCALAR mi_wmask mi_wless(mi_wide a, mi_wide b) {
  MI_MASKS(a.lane[i] < b.lane[i] ? ~0u : 0u);
}
MI_SCALAR mi_wmask mi_wmask_and(mi_wmask a, mi_wmask b) {
  MI_MASKS(a.lane[i] & b.lane[i]);
}
MI_SCALAR mi_wmask mi_wmask_or(mi_wmask a, mi_wmask b) {
  MI_MASKS(a.lane[i] | b.lane[i]);
}
MI_SCALAR mi_wmask mi_wmask_not(mi_wmask a) {
  MI_MASKS(~a.lane[i]);
}
MI_SCALAR unsigned mi_wmask_bits(mi_wmask a) {
  unsigned bits = 0;
  for (int i = 0; i < MI_WIDE; i++) bits |= (a.lane[i] & 1u) << i;
  return bits;
}
MI_SCALAR mi_wide mi_wselect(mi_wmask yes, mi_wide a, mi_wide b) {
  MI_LANES(yes.lane[i] ? a.lane[i] : b.lane[i]);
}
#endif

// sign of `sign`, size of a
static inline mi_wide mi_wcopysign(mi_wide a, mi_wide sign) {
  return mi_wflip(mi_wabs(a), sign);
}

#endif
