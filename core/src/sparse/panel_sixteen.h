// Panels with sixteen lanes (AVX-512), for sparse_body.c alone: two blocks of rows, or two columns,
// in one register. Every row and column is summed as with eight lanes: same bits.
#ifndef MI_PANEL_SIXTEEN_H
#define MI_PANEL_SIXTEEN_H

typedef struct sixteen3 {
  __m512 x, y, z;
} sixteen3;

static inline sixteen3 zero_sixteen(void) {
  return (sixteen3){_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()};
}

static inline mi_wide3 half_of(sixteen3 a, int half) {
  if (!half)
    return (mi_wide3){_mm512_castps512_ps256(a.x), _mm512_castps512_ps256(a.y),
                      _mm512_castps512_ps256(a.z)};
  return (mi_wide3){_mm512_extractf32x8_ps(a.x, 1), _mm512_extractf32x8_ps(a.y, 1),
                    _mm512_extractf32x8_ps(a.z, 1)};
}

// eight entries from here, eight from there
MI_INLINE __m512 entries_at(const mi_panel *s, size_t at, size_t other, bool half) {
  if (half) {
    __m128i low = _mm_loadu_si128((const __m128i *)(s->half + at));
    __m128i high = _mm_loadu_si128((const __m128i *)(s->half + other));
    return _mm512_cvtph_ps(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
  }
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(s->entry + at)),
                            _mm256_loadu_ps(s->entry + other), 1);
}

MI_INLINE sixteen3 madd_sixteen(__m512 l, const float *b, sixteen3 sum) {
  return (sixteen3){_mm512_fmadd_ps(l, _mm512_set1_ps(b[0]), sum.x),
                    _mm512_fmadd_ps(l, _mm512_set1_ps(b[1]), sum.y),
                    _mm512_fmadd_ps(l, _mm512_set1_ps(b[2]), sum.z)};
}

MI_INLINE void multiply_four(const mi_panel *s, size_t at, const float *b, bool half,
                             mi_wide3 out[4]) {
  size_t step = 8 * (size_t)s->stride;
  sixteen3 p = zero_sixteen(), q = zero_sixteen();
  for (int c = 0; c < s->width; c++, at += 8) {
    p = madd_sixteen(entries_at(s, at, at + step, half), b + 4 * c, p);
    q = madd_sixteen(entries_at(s, at + 2 * step, at + 3 * step, half), b + 4 * c, q);
  }
  for (int i = 0; i < 4; i++) out[i] = half_of(i < 2 ? p : q, i % 2);
}

// the same eight rows for two columns
static inline sixteen3 twice(const float *at) {
  return (sixteen3){_mm512_broadcast_f32x8(_mm256_loadu_ps(at)),
                    _mm512_broadcast_f32x8(_mm256_loadu_ps(at + 8)),
                    _mm512_broadcast_f32x8(_mm256_loadu_ps(at + 16))};
}

// sums of eight columns from entry `at` on
MI_INLINE void transposed_eight(const mi_panel *s, size_t at, const float *gathered, bool half,
                                mi_wide3 out[8]) {
  size_t step = 8 * (size_t)s->stride;
  sixteen3 sum[4] = {zero_sixteen(), zero_sixteen(), zero_sixteen(), zero_sixteen()};
  for (int k = 0; k < s->nblock; k++, at += step) {
    sixteen3 y = twice(gathered + 24 * k);
    for (size_t i = 0; i < 4; i++) {
      __m512 l = entries_at(s, at + 16 * i, at + 16 * i + 8, half);
      sum[i] = (sixteen3){_mm512_fmadd_ps(l, y.x, sum[i].x), _mm512_fmadd_ps(l, y.y, sum[i].y),
                          _mm512_fmadd_ps(l, y.z, sum[i].z)};
    }
  }
  for (int i = 0; i < 8; i++) out[i] = half_of(sum[i / 2], i % 2);
}

#endif
