// Compiled once per SIMD body: see wide.h and the core's CMakeLists.txt.
#include "math/svd3.h"

#include "math/svd3_wide.h"
#include "math/taylor_wide.h"

#include <stddef.h>
#include <string.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_svd_kernels_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_svd_kernels_neon
#else
#define BODY_TABLE mi_svd_kernels_scalar
#endif

MI_INLINE void load(const float *from, mi_wide *to, int count) {
  for (int i = 0; i < count; i++) to[i] = mi_wload(from + MI_WIDE * i);
}

MI_INLINE void store(float *to, const mi_wide *from, int count) {
  for (int i = 0; i < count; i++) mi_wstore(to + MI_WIDE * i, from[i]);
}

MI_INLINE void store_svd(mi_svd3 *out, const mi_wide u[9], const mi_wide s[3], const mi_wide v[9]) {
  store(out->u, u, 9);
  store(out->s, s, 3);
  store(out->v, v, 9);
}

enum { TOGETHER = 2 };

// The next blocks side by side (mi_svd3_work says why); inlined with a constant.
MI_INLINE void full_group(const float *f, mi_svd3 *out, int count) {
  mi_svd3_work work[TOGETHER];
  for (int i = 0; i < count; i++) {
    mi_wide entries[9];
    load(f + 72 * (size_t)i, entries, 9);
    mi_svd3_begin(work + i, entries);
  }
  mi_svd3_group(work, count);
  for (int i = 0; i < count; i++) {
    mi_wide u[9], s[3], v[9];
    mi_svd3_finish(work + i, u, s, v);
    store_svd(out + i, u, s, v);
  }
}

static void full(const float *f, mi_svd3 *out, int nblock) {
  int b = 0;
  for (; b + TOGETHER <= nblock; b += TOGETHER) full_group(f + 72 * (size_t)b, out + b, TOGETHER);
  for (; b < nblock; b++) full_group(f + 72 * (size_t)b, out + b, 1);
}

static void taylor(const float *f, const mi_svd3 *from, mi_svd3 *out, int nblock) {
  for (int b = 0; b < nblock; b++) {
    mi_wide entries[9], u[9], s[3], v[9];
    load(f + 72 * (size_t)b, entries, 9);
    load(from[b].u, u, 9);
    load(from[b].v, v, 9);
    mi_taylor_wide(entries, u, s, v);
    store_svd(out + b, u, s, v);
  }
}

// later blocks are compared with the results of full()
static void memo_full(const float *f, mi_svd_memo *kept, mi_svd3 *out, int count) {
  full(f, out, count);
  for (int b = 0; b < count; b++) {
    mi_wide s[3];
    load(out[b].s, s, 3);
    memcpy(kept[b].f, f + 72 * (size_t)b, sizeof kept->f);
    kept[b].svd = out[b];
    mi_wstore(kept[b].reach, mi_taylor_reach(s));
  }
}

// the first `count` blocks by the ways chosen for them; neighbours in need are done together
static void memo_run(const float *f, mi_svd_memo *kept, const uint8_t *kind, mi_svd3 *out,
                     int count) {
  for (int b = 0, end; b < count; b = end) {
    for (end = b + 1; end < count && kind[end] == kind[b];) end++;
    if (kind[b] == MI_SVD_FULL) memo_full(f + 72 * (size_t)b, kept + b, out + b, end - b);
    for (int i = b; i < end && kind[b] == MI_SVD_TAYLOR; i++)
      taylor(f + 72 * (size_t)i, &kept[i].svd, out + i, 1);
    for (int i = b; i < end && kind[b] == MI_SVD_KEPT; i++) out[i] = kept[i].svd;
  }
}

static void memo(const float *f, mi_svd_memo *kept, mi_svd_limits limits, mi_svd3 *out, int nblock,
                 mi_svd_shares *shares) {
  enum { CHUNK = 32 };
  for (int begin = 0; begin < nblock; begin += CHUNK) {
    int count = nblock - begin < CHUNK ? nblock - begin : CHUNK;
    const float *at = f + 72 * (size_t)begin;
    uint8_t kind[CHUNK];
    for (int b = 0; b < count; b++) {
      mi_wide entries[9];
      load(at + 72 * b, entries, 9);
      kind[b] = (uint8_t)mi_svd_memo_choose(kept + begin + b, entries, limits, shares);
    }
    memo_run(at, kept + begin, kind, out + begin, count);
  }
}

static void jacobian(const mi_svd3 *at, mi_svd_jacobian *out, int nblock) {
  for (int b = 0; b < nblock; b++) {
    mi_wide s[3], j[6];
    load(at[b].s, s, 3);
    mi_taylor_jacobian(s, j);
    store(out[b].j, j, 6);
  }
}

// m Omega for an antisymmetric Omega given by its entries 12, 02, 01
MI_INLINE void times_omega(const mi_wide m[9], const mi_wide omega[3], mi_wide out[9]) {
  mi_wide a = omega[0], b = omega[1], c = omega[2];
  for (int i = 0; i < 9; i += 3) {
    out[i] = mi_wnmadd(m[i + 1], c, mi_wsub(mi_wset(0), mi_wmul(m[i + 2], b)));
    out[i + 1] = mi_wnmadd(m[i + 2], a, mi_wmul(m[i], c));
    out[i + 2] = mi_wmadd(m[i], b, mi_wmul(m[i + 1], a));
  }
}

// Eq. 25 to 27 as they stand: a 2 x 2 system per entry of F and pair of singular values.
static void jacobian_full(const mi_svd3 *at, mi_svd_jacobian_full *out, int nblock) {
  static const int pair[3][2] = {{1, 2}, {0, 2}, {0, 1}};
  for (int b = 0; b < nblock; b++) {
    mi_wide u[9], d[3], v[9], du[9], dd[3], dv[9], left[3], right[3];
    load(at[b].u, u, 9);
    load(at[b].s, d, 3);
    load(at[b].v, v, 9);
    for (int e = 0; e < 9; e++) {
      const mi_wide *ui = u + e / 3 * 3, *vj = v + e % 3 * 3;
      for (int k = 0; k < 3; k++) dd[k] = mi_wmul(ui[k], vj[k]);
      for (int p = 0; p < 3; p++) {
        int k = pair[p][0], l = pair[p][1];
        mi_wide above = mi_wmul(ui[k], vj[l]), below = mi_wmul(ui[l], vj[k]);
        mi_wide det = mi_wnmadd(d[k], d[k], mi_wmul(d[l], d[l]));
        mi_wide inverse = mi_taylor_invert(det, mi_wmul(d[0], d[0]));
        left[p] = mi_wmul(inverse, mi_wmadd(d[l], above, mi_wmul(d[k], below)));
        right[p] = mi_wmul(inverse, mi_wmadd(d[k], above, mi_wmul(d[l], below)));
      }
      times_omega(u, left, du);
      times_omega(v, right, dv);
      store_svd(out[b].by + e, du, dd, dv);
    }
  }
}

const mi_svd_kernels BODY_TABLE = {full, taylor, memo, jacobian, jacobian_full};
