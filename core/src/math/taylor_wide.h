// First-order singular value decomposition around a known one, and the choice between keeping it,
// correcting it and doing it again: Barrielle & Stoiber, sections 6.1 to 6.3 and appendix A.
//
// With F = U S V' known, C = U' F' V is nearly diagonal. Its decomposition is the diagonal of C and
// two small rotations with Euler angles that are linear in the off-diagonal entries, six numbers in
// all. Eq. 22's subscripts are garbled in print: R = Rx(a0) Ry(a1) Rz(a2).
//
// One thing is done better than printed: those six numbers are taken at the new singular values,
// the diagonal of C, and not at the old ones. It costs nothing, and only then does a change of the
// singular values leave the error alone, as 6.4 says it should (mien reproduce B4 shows both).
#ifndef MI_TAYLOR_WIDE_H
#define MI_TAYLOR_WIDE_H

#include "math/svd3.h"
#include "math/svd3_wide.h"

// 1 / x, or 0 where x is as good as 0 beside `size`: the least-squares answer for singular values
// of equal size (eq. 31).
MI_INLINE mi_wide mi_taylor_invert(mi_wide x, mi_wide size) {
  mi_wide least = mi_wmadd(size, mi_wset(1e-6f), mi_wset(1e-30f));
  mi_wmask equal = mi_wless(mi_wabs(x), least);
  return mi_wselect(equal, mi_wset(0), mi_wdiv(mi_wset(1), x));
}

// Eq. 32.
MI_INLINE void mi_taylor_jacobian(const mi_wide s[3], mi_wide j[6]) {
  mi_wide half = mi_wset(0.5f);
  mi_wide size = mi_wmax(mi_wabs(s[0]), mi_wmax(mi_wabs(s[1]), mi_wabs(s[2])));
  for (int i = 0; i < 3; i++) {
    // angle 0 is made by the entries 12 and 21, angle 1 by 02 and 20, angle 2 by 01 and 10
    mi_wide lower = s[i == 0], upper = s[i == 2 ? 1 : 2];
    mi_wide sum = mi_wmul(half, mi_taylor_invert(mi_wadd(upper, lower), size));
    mi_wide gap = mi_wmul(half, mi_taylor_invert(mi_wsub(upper, lower), size));
    mi_wide even = mi_wadd(sum, gap), odd = mi_wsub(gap, sum);
    j[2 * i] = i == 1 ? mi_wsub(mi_wset(0), even) : even;
    j[2 * i + 1] = i == 1 ? mi_wsub(mi_wset(0), odd) : odd;
  }
}

// |J|_F of eq. 24: each of the six values is used by U and by V.
MI_INLINE mi_wide mi_taylor_reach(const mi_wide s[3]) {
  mi_wide j[6], sum = mi_wset(0);
  mi_taylor_jacobian(s, j);
  for (int i = 0; i < 6; i++) sum = mi_wmadd(j[i], j[i], sum);
  return mi_wsqrt(mi_wadd(sum, sum));
}

// out = u * R(angles). The paper takes sin a = a and cos a = 1 - a^2 / 2; the half angle's tangent
// instead, a / 2, is as exact and makes a true rotation of any angle, for one division.
MI_INLINE void mi_taylor_apply(const mi_wide u[9], const mi_wide angle[3], mi_wide out[9]) {
  mi_wide q[4], r[9], half = mi_wset(0.5f);
  mi_wide a = mi_wmul(half, angle[0]), b = mi_wmul(half, angle[1]), c = mi_wmul(half, angle[2]);
  // (1 - a i) (1 - b j) (1 - c k)
  q[0] = mi_wmadd(mi_wmul(a, b), c, mi_wset(1));
  q[1] = mi_wsub(mi_wmul(b, c), a);
  q[2] = mi_wnmadd(a, c, mi_wsub(mi_wset(0), b));
  q[3] = mi_wsub(mi_wmul(a, b), c);
  mi_svd3_matrix(q, r);
  for (int i = 0; i < 9; i += 3)
    for (int k = 0; k < 3; k++)
      out[i + k] = mi_wmadd(u[i], r[k], mi_wmadd(u[i + 1], r[3 + k], mi_wmul(u[i + 2], r[6 + k])));
}

// Algorithm 3: u and v belong to a matrix nearby and become those of f; s is only written. The
// singular values are not put in order again: nearly equal ones may pass each other.
MI_INLINE void mi_taylor_wide(const mi_wide f[9], mi_wide u[9], mi_wide s[3], mi_wide v[9]) {
  mi_wide fv[9], c[9], j[6], left[3], right[3], turned[9];
  for (int i = 0; i < 9; i += 3)
    for (int k = 0; k < 3; k++)
      fv[i + k] = mi_wmadd(f[i], v[k], mi_wmadd(f[i + 1], v[3 + k], mi_wmul(f[i + 2], v[6 + k])));
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      c[3 * i + k] =
          mi_wmadd(u[i], fv[k], mi_wmadd(u[3 + i], fv[3 + k], mi_wmul(u[6 + i], fv[6 + k])));
  for (int i = 0; i < 3; i++) s[i] = c[4 * i];
  mi_taylor_jacobian(s, j);
  static const int pair[3][2] = {{5, 7}, {2, 6}, {1, 3}};
  for (int i = 0; i < 3; i++) {
    mi_wide upper = c[pair[i][0]], lower = c[pair[i][1]];
    left[i] = mi_wmadd(j[2 * i], upper, mi_wmul(j[2 * i + 1], lower));
    right[i] = mi_wmadd(j[2 * i + 1], upper, mi_wmul(j[2 * i], lower));
  }
  mi_taylor_apply(u, left, turned);
  for (int i = 0; i < 9; i++) u[i] = turned[i];
  mi_taylor_apply(v, right, turned);
  for (int i = 0; i < 9; i++) v[i] = turned[i];
}

// The path of the most demanding lane: MI_SVD_KEPT, MI_SVD_TAYLOR or MI_SVD_FULL (6.3).
MI_INLINE int mi_svd_memo_choose(const mi_svd_memo *memo, const mi_wide f[9], mi_svd_limits limits,
                                 mi_svd_shares *shares) {
  mi_wide sum = mi_wset(0);
  for (int i = 0; i < 9; i++) {
    mi_wide change = mi_wsub(f[i], mi_wload(memo->f + 8 * i));
    sum = mi_wmadd(change, change, sum);
  }
  mi_wide turn = mi_wmul(mi_wsqrt(sum), mi_wload(memo->reach));
  unsigned keep = mi_wmask_bits(mi_wless(turn, mi_wset(limits.keep)));
  unsigned near = mi_wmask_bits(mi_wless(turn, mi_wset(limits.taylor))) | keep;
  int kind = keep == 0xff ? MI_SVD_KEPT : near == 0xff ? MI_SVD_TAYLOR : MI_SVD_FULL;
  if (shares) {
    int nkeep = __builtin_popcount(keep), nnear = __builtin_popcount(near);
    shares->needed[MI_SVD_KEPT] += nkeep;
    shares->needed[MI_SVD_TAYLOR] += nnear - nkeep;
    shares->needed[MI_SVD_FULL] += MI_WIDE - nnear;
    shares->run[kind] += MI_WIDE;
  }
  return kind;
}

// A full decomposition becomes the one that later ones are compared with.
MI_INLINE void mi_svd_memo_keep(mi_svd_memo *memo, const mi_wide f[9], const mi_wide u[9],
                                const mi_wide s[3], const mi_wide v[9]) {
  for (int i = 0; i < 9; i++) {
    mi_wstore(memo->f + 8 * i, f[i]);
    mi_wstore(memo->svd.u + 8 * i, u[i]);
    mi_wstore(memo->svd.v + 8 * i, v[i]);
  }
  for (int i = 0; i < 3; i++) mi_wstore(memo->svd.s + 8 * i, s[i]);
  mi_wstore(memo->reach, mi_taylor_reach(s));
}

// The decomposition of f by the way that mi_svd_memo_choose chose.
MI_INLINE void mi_svd_memo_wide(mi_svd_memo *memo, int kind, const mi_wide f[9], mi_wide u[9],
                                mi_wide s[3], mi_wide v[9]) {
  if (kind == MI_SVD_FULL) {
    mi_svd3_wide(f, u, s, v);
    mi_svd_memo_keep(memo, f, u, s, v);
    return;
  }
  for (int i = 0; i < 9; i++) {
    u[i] = mi_wload(memo->svd.u + 8 * i);
    v[i] = mi_wload(memo->svd.v + 8 * i);
  }
  for (int i = 0; i < 3; i++) s[i] = mi_wload(memo->svd.s + 8 * i);
  if (kind == MI_SVD_TAYLOR) mi_taylor_wide(f, u, s, v);
}

#endif
