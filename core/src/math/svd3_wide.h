// Singular values of eight 3x3 matrices in registers, for sources that are compiled per SIMD body.
//
// F is scaled by a power of two; Jacobi rotations turn F'F towards a diagonal matrix, their product
// V is kept as a quaternion; one more round of rotations is applied to the columns of F V itself,
// which is what makes small singular values and clusters accurate (F'F squares the condition); a
// Givens QR of those columns gives U, again as a quaternion, so that U and V are rotations to the
// last bit or two, whatever the rank of F. The plan (Jacobi by quaternions, then QR) is that of
// McAdams et al. 2011; the rotations here are exact instead of bounded approximations, put the
// larger column first (no sort at the end), and need fewer sweeps.
#ifndef MI_SVD3_WIDE_H
#define MI_SVD3_WIDE_H

#include "math/wide.h"

// The working set. Several are advanced in turn: rotations of one matrix depend on each other,
// those of another block fill the pipeline.
typedef struct mi_svd3_work {
  mi_wide power; // F = power * f
  mi_wide f[9];
  mi_wide s[6]; // F'F: 00, 01, 02, 11, 12, 22
  mi_wide v[4]; // quaternion w, x, y, z of any length
  mi_wide b[9]; // F V
  mi_wide u[4];
} mi_svd3_work;

// q <- q (ch + sh e_axis)
MI_INLINE void mi_svd3_turn(mi_wide q[4], int axis, mi_wide ch, mi_wide sh) {
  int i = axis, j = (axis + 1) % 3, k = (axis + 2) % 3;
  mi_wide w = q[0], x = q[1 + i], y = q[1 + j], z = q[1 + k];
  q[0] = mi_wnmadd(x, sh, mi_wmul(w, ch));
  q[1 + i] = mi_wmadd(w, sh, mi_wmul(x, ch));
  q[1 + j] = mi_wmadd(z, sh, mi_wmul(y, ch));
  q[1 + k] = mi_wnmadd(y, sh, mi_wmul(z, ch));
}

// The rotation matrix of a quaternion of any length.
MI_INLINE void mi_svd3_matrix(const mi_wide q[4], mi_wide m[9]) {
  mi_wide one = mi_wset(1);
  mi_wide w = q[0], x = q[1], y = q[2], z = q[3];
  mi_wide length = mi_wmadd(w, w, mi_wmadd(x, x, mi_wmadd(y, y, mi_wmul(z, z))));
  mi_wide twice = mi_wdiv(mi_wset(2), length);
  mi_wide xs = mi_wmul(x, twice), ys = mi_wmul(y, twice), zs = mi_wmul(z, twice);
  mi_wide wx = mi_wmul(w, xs), wy = mi_wmul(w, ys), wz = mi_wmul(w, zs);
  m[0] = mi_wnmadd(y, ys, mi_wnmadd(z, zs, one));
  m[1] = mi_wsub(mi_wmul(x, ys), wz);
  m[2] = mi_wmadd(x, zs, wy);
  m[3] = mi_wmadd(x, ys, wz);
  m[4] = mi_wnmadd(x, xs, mi_wnmadd(z, zs, one));
  m[5] = mi_wsub(mi_wmul(y, zs), wx);
  m[6] = mi_wsub(mi_wmul(x, zs), wy);
  m[7] = mi_wmadd(y, zs, wx);
  m[8] = mi_wnmadd(x, xs, mi_wnmadd(y, ys, one));
}

// Cosine and sine that diagonalise [p b/2; b/2 q], d = p - q, with the larger value first; *h is
// the distance of the two values. The cosine is never negative.
MI_INLINE void mi_svd3_angle(mi_wide d, mi_wide b, mi_wide *c, mi_wide *s, mi_wide *h) {
  mi_wide tiny = mi_wset(1e-36f); // entries are at most 4: smaller values do not matter
  *h = mi_wsqrt(mi_wmadd(d, d, mi_wmadd(b, b, tiny)));
  mi_wide k = mi_wadd(*h, mi_wabs(d)), size = mi_wabs(b);
  mi_wmask swapped = mi_wless(d, mi_wset(0));
  mi_wide r = mi_wdiv(mi_wset(1), mi_wsqrt(mi_wmadd(k, k, mi_wmul(b, b))));
  *c = mi_wmul(r, mi_wselect(swapped, size, k));
  *s = mi_wmul(r, mi_wflip(mi_wselect(swapped, k, size), b));
}

// One rotation of the columns p, q of F'F; `at` says where its entries pp, qq, pq, pr, qr are.
MI_INLINE void mi_svd3_rotate(mi_svd3_work *work, const int at[5], int axis) {
  mi_wide *s = work->s, c, n, h;
  mi_wide pp = s[at[0]], qq = s[at[1]], pr = s[at[3]], qr = s[at[4]];
  mi_svd3_angle(mi_wsub(pp, qq), mi_wadd(s[at[2]], s[at[2]]), &c, &n, &h);
  mi_wide half = mi_wset(0.5f), sum = mi_wadd(pp, qq);
  s[at[0]] = mi_wmul(half, mi_wadd(sum, h));
  s[at[1]] = mi_wmul(half, mi_wsub(sum, h));
  s[at[2]] = mi_wset(0);
  s[at[3]] = mi_wmadd(c, pr, mi_wmul(n, qr));
  s[at[4]] = mi_wnmadd(n, pr, mi_wmul(c, qr));
  // half of the angle, not normalised: (1 + cos, sin)
  mi_svd3_turn(work->v, axis, mi_wadd(c, mi_wset(1)), axis == 1 ? mi_wsub(mi_wset(0), n) : n);
}

// One rotation of the columns p, q of F V itself.
MI_INLINE void mi_svd3_polish(mi_svd3_work *work, int p, int q, int axis) {
  mi_wide *b = work->b, pp = mi_wset(0), qq = pp, pq = pp, c, n, h;
  for (int i = 0; i < 9; i += 3) {
    pp = mi_wmadd(b[i + p], b[i + p], pp);
    qq = mi_wmadd(b[i + q], b[i + q], qq);
    pq = mi_wmadd(b[i + p], b[i + q], pq);
  }
  mi_svd3_angle(mi_wsub(pp, qq), mi_wadd(pq, pq), &c, &n, &h);
  for (int i = 0; i < 9; i += 3) {
    mi_wide one = b[i + p], other = b[i + q];
    b[i + p] = mi_wmadd(c, one, mi_wmul(n, other));
    b[i + q] = mi_wnmadd(n, one, mi_wmul(c, other));
  }
  mi_svd3_turn(work->v, axis, mi_wadd(c, mi_wset(1)), axis == 1 ? mi_wsub(mi_wset(0), n) : n);
}

// One Givens rotation of the rows p, q that clears entry (q, p) of F V.
MI_INLINE void mi_svd3_clear(mi_svd3_work *work, int p, int q, int axis) {
  mi_wide *b = work->b, one = mi_wset(1);
  mi_wide x = b[3 * p + p], y = b[3 * q + p];
  // never 0 / 0: a missing column leaves the rotation as it is
  x = mi_wflip(mi_wadd(mi_wabs(x), mi_wset(1e-18f)), x);
  mi_wide r = mi_wdiv(one, mi_wsqrt(mi_wmadd(x, x, mi_wmul(y, y))));
  mi_wide c = mi_wmul(x, r), n = mi_wmul(y, r);
  for (int j = p; j < 3; j++) {
    mi_wide up = b[3 * p + j], down = b[3 * q + j];
    b[3 * p + j] = mi_wmadd(c, up, mi_wmul(n, down));
    b[3 * q + j] = mi_wnmadd(n, up, mi_wmul(c, down));
  }
  mi_wide big = mi_wadd(one, mi_wabs(c));
  mi_wmask obtuse = mi_wless(c, mi_wset(0));
  mi_wide ch = mi_wselect(obtuse, n, big), sh = mi_wselect(obtuse, big, n);
  mi_svd3_turn(work->u, axis, ch, axis == 1 ? mi_wsub(mi_wset(0), sh) : sh);
}

MI_INLINE void mi_svd3_begin(mi_svd3_work *work, const mi_wide f[9]) {
  mi_wide most = mi_wabs(f[0]);
  for (int i = 1; i < 9; i++) most = mi_wmax(most, mi_wabs(f[i]));
  // the power and its inverse are normal numbers: scaling is exact
  most = mi_wmin(mi_wmax(most, mi_wset(0x1p-126f)), mi_wset(0x1p126f));
  work->power = mi_wpower(most);
  mi_wide inverse = mi_wdiv(mi_wset(1), work->power);
  for (int i = 0; i < 9; i++) work->f[i] = mi_wmul(f[i], inverse);
  const mi_wide *a = work->f;
  for (int p = 0, at = 0; p < 3; p++)
    for (int q = p; q < 3; q++, at++)
      work->s[at] = mi_wmadd(a[p], a[q], mi_wmadd(a[3 + p], a[3 + q], mi_wmul(a[6 + p], a[6 + q])));
  for (int i = 0; i < 4; i++) work->u[i] = work->v[i] = mi_wset(i ? 0 : 1);
}

MI_INLINE void mi_svd3_columns(mi_svd3_work *work) {
  mi_wide v[9];
  const mi_wide *f = work->f;
  mi_svd3_matrix(work->v, v);
  for (int i = 0; i < 9; i += 3)
    for (int j = 0; j < 3; j++)
      work->b[i + j] =
          mi_wmadd(f[i], v[j], mi_wmadd(f[i + 1], v[3 + j], mi_wmul(f[i + 2], v[6 + j])));
}

// The matrices, and the singular values in order: equal ones may come out swapped by a last bit.
MI_INLINE void mi_svd3_finish(const mi_svd3_work *work, mi_wide u[9], mi_wide s[3], mi_wide v[9]) {
  mi_svd3_matrix(work->u, u);
  mi_svd3_matrix(work->v, v);
  mi_wide a = work->b[0], b = work->b[4], c = mi_wabs(work->b[8]);
  mi_wide upper = mi_wmax(a, b), lower = mi_wmin(a, b), middle = mi_wmax(lower, c);
  mi_wide most = mi_wset(0x1.fffffep127f);
  s[0] = mi_wmin(most, mi_wmul(work->power, mi_wmax(upper, middle)));
  s[1] = mi_wmin(most, mi_wmul(work->power, mi_wmin(upper, middle)));
  s[2] = mi_wmin(most, mi_wmul(work->power, mi_wmin(lower, c)));
  s[2] = mi_wflip(s[2], work->b[8]);
}

// Advances `count` blocks together; call it with a constant.
MI_INLINE void mi_svd3_group(mi_svd3_work *work, int count) {
  enum { SWEEPS = 3 };
  static const int at01[5] = {0, 3, 1, 2, 4}, at02[5] = {0, 5, 2, 1, 4}, at12[5] = {3, 5, 4, 1, 2};
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    for (int i = 0; i < count; i++) mi_svd3_rotate(work + i, at01, 2);
    for (int i = 0; i < count; i++) mi_svd3_rotate(work + i, at02, 1);
    for (int i = 0; i < count; i++) mi_svd3_rotate(work + i, at12, 0);
  }
  for (int i = 0; i < count; i++) mi_svd3_columns(work + i);
  for (int i = 0; i < count; i++) mi_svd3_polish(work + i, 0, 1, 2);
  for (int i = 0; i < count; i++) mi_svd3_polish(work + i, 0, 2, 1);
  for (int i = 0; i < count; i++) mi_svd3_polish(work + i, 1, 2, 0);
  for (int i = 0; i < count; i++) mi_svd3_clear(work + i, 0, 1, 2);
  for (int i = 0; i < count; i++) mi_svd3_clear(work + i, 0, 2, 1);
  for (int i = 0; i < count; i++) mi_svd3_clear(work + i, 1, 2, 0);
}

// F = U diag(s) V' as svd3.h describes it; u, s, v may not overlap f.
MI_INLINE void mi_svd3_wide(const mi_wide f[9], mi_wide u[9], mi_wide s[3], mi_wide v[9]) {
  mi_svd3_work work;
  mi_svd3_begin(&work, f);
  mi_svd3_group(&work, 1);
  mi_svd3_finish(&work, u, s, v);
}

#endif
