// The projections of elastic.h without a singular value decomposition, eight matrices at a time.
//
// F = R S, S symmetric with eigenvalues sigma (only the smallest may be negative). Everything that
// is wanted has the form R p(S) with a polynomial p, and its coefficients depend on the elementary
// symmetric functions of sigma alone:
//
//   e1 = tr S is the largest root of (e1^2 - i1)^2 / 4 - 2 j e1 - i2,   e2 = (e1^2 - i1) / 2,
//   i1 = |F|^2, i2 = |cof F|^2, j = det F
//   R = ((e2 - j) F + (e1 - 1) G + B) / k,  G = cof F, B = cof(F + G), k = e1 e2 - j
//
// (from Cayley-Hamilton for S; B stands for F F'F, at half its price). So equal singular values,
// the normal case near rest, need no care. k = product of (sigma_i + sigma_j) measures how well R
// is determined.
#ifndef MI_ELASTIC_PROJECT_H
#define MI_ELASTIC_PROJECT_H

#include "math/wide.h"

typedef struct mi_stretch {
  mi_wide j, i1, i2;
  mi_wide e1, e2;
  mi_wide k;
} mi_stretch;

static inline void mi_cofactor(const mi_wide f[9], mi_wide g[9]) {
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      g[3 * i + c] =
          mi_wnmadd(f[3 * i1 + c2], f[3 * i2 + c1], mi_wmul(f[3 * i1 + c1], f[3 * i2 + c2]));
    }
}

static inline mi_wide mi_dot9(const mi_wide a[9], const mi_wide b[9]) {
  mi_wide sum = mi_wmul(a[0], b[0]), more = mi_wmul(a[1], b[1]), rest = mi_wmul(a[2], b[2]);
  for (int i = 3; i < 9; i += 3) {
    sum = mi_wmadd(a[i], b[i], sum);
    more = mi_wmadd(a[i + 1], b[i + 1], more);
    rest = mi_wmadd(a[i + 2], b[i + 2], rest);
  }
  return mi_wadd(mi_wadd(sum, more), rest);
}

static inline void mi_stretch_begin(mi_stretch *s, const mi_wide f[9], const mi_wide g[9]) {
  s->j = mi_wmadd(f[0], g[0], mi_wmadd(f[1], g[1], mi_wmul(f[2], g[2])));
  s->i1 = mi_dot9(f, f);
  s->i2 = mi_dot9(g, g);
  s->e1 = mi_wsqrt(mi_wmul(mi_wset(3), s->i1)); // never below the root
}

// Halley from above: the roots are all real, so every step comes closer and none overshoots.
// Returns the step.
static inline mi_wide mi_stretch_step(mi_stretch *s) {
  mi_wide y = mi_wsub(mi_wmul(s->e1, s->e1), s->i1);
  mi_wide j2 = mi_wadd(s->j, s->j);
  mi_wide value =
      mi_wnmadd(j2, s->e1, mi_wmadd(mi_wmul(y, mi_wset(0.25f)), y, mi_wsub(mi_wset(0), s->i2)));
  mi_wide slope = mi_wsub(mi_wmul(s->e1, y), j2);
  // half of the curvature, 3 e1^2 - i1 = y + 2 e1^2
  mi_wide bend = mi_wmul(mi_wset(0.5f), mi_wmadd(mi_wadd(s->e1, s->e1), s->e1, y));
  mi_wide step = mi_wdiv(mi_wmul(value, slope), mi_wnmadd(value, bend, mi_wmul(slope, slope)));
  s->e1 = mi_wsub(s->e1, step);
  return step;
}

// Lanes where R is good to about 1e-7 / least; `step` is the last one.
static inline mi_wmask mi_stretch_end(mi_stretch *s, mi_wide step, float least) {
  s->e2 = mi_wmul(mi_wset(0.5f), mi_wsub(mi_wmul(s->e1, s->e1), s->i1));
  s->k = mi_wsub(mi_wmul(s->e1, s->e2), s->j);
  mi_wide cube = mi_wmul(s->e1, mi_wmul(s->e1, s->e1));
  mi_wmask good = mi_wless(mi_wmul(mi_wset(least), cube), s->k);
  good = mi_wmask_and(good, mi_wless(mi_wabs(step), mi_wmul(mi_wset(1e-3f), s->e1)));
  good = mi_wmask_and(good, mi_wless(mi_wset(0.1f), s->e1));
  return mi_wmask_and(good, mi_wless(s->e1, mi_wset(30)));
}

// out = a x + b y + c z
static inline void mi_combine(mi_wide a, const mi_wide x[9], mi_wide b, const mi_wide y[9],
                              mi_wide c, const mi_wide z[9], mi_wide out[9]) {
  for (int i = 0; i < 9; i++) out[i] = mi_wmadd(a, x[i], mi_wmadd(b, y[i], mi_wmul(c, z[i])));
}

// B = cof(F + G)
static inline void mi_third(const mi_wide f[9], const mi_wide g[9], mi_wide b[9]) {
  mi_wide sum[9];
  for (int i = 0; i < 9; i++) sum[i] = mi_wadd(f[i], g[i]);
  mi_cofactor(sum, b);
}

static inline void mi_rotation(const mi_stretch *s, const mi_wide f[9], const mi_wide g[9],
                               mi_wide r[9]) {
  mi_wide b[9], per = mi_wdiv(mi_wset(1), s->k);
  mi_third(f, g, b);
  mi_combine(mi_wmul(per, mi_wsub(s->e2, s->j)), f, mi_wmul(per, mi_wsub(s->e1, mi_wset(1))), g,
             per, b, r);
}

// The closest matrix P to F with det P = d > 0 is P = R S* with S* - S = m d / S*: eigenvalues
// s_i^2 - sigma_i s_i = m d with one m for all, so F - P = -m cof P. With a, b the first two
// symmetric functions of s (the third is d), those of sigma = s - m d / s are
//
//   e1 = a - m b,  e2 = b - m (a b - 3 d) + m^2 d a,
//   j  = d - m (b^2 - 2 a d) + m^2 d (a^2 - 2 b) - m^3 d^2,
//
// which Newton solves for m and b (a is eliminated): two or three steps near rest. |F - P|^2 is
// m^2 (b^2 - 2 a d), without any cancellation. Barrielle & Stoiber, eq. 15.
typedef struct mi_volume {
  mi_wide d, span; // in: det, and |cof P|^2 where F is the target: Newton starts from there
  mi_wide m, b, a;
} mi_volume;

static inline void mi_volume_begin(mi_volume *v, const mi_stretch *s) {
  mi_wide two = mi_wset(2);
  v->m = mi_wdiv(mi_wmul(two, mi_wsub(v->d, s->j)), mi_wadd(s->i2, v->span));
  v->a = mi_wmadd(v->m, s->e2, s->e1);
  mi_wide more = mi_wmax(mi_wset(0), mi_wsub(s->i2, v->span));
  mi_wide square = mi_wmadd(mi_wmul(two, v->a), v->d, mi_wmadd(mi_wset(0.3f), more, v->span));
  v->b = mi_wsqrt(mi_wmax(square, mi_wset(0)));
  v->a = mi_wmadd(v->m, v->b, s->e1);
}

// Returns the larger of the two steps.
static inline mi_wide mi_volume_step(mi_volume *v, const mi_stretch *s) {
  mi_wide m = v->m, a = v->a, b = v->b, d = v->d, two = mi_wset(2);
  mi_wide m2 = mi_wmul(m, m), ad = mi_wmul(a, d), md = mi_wmul(m, d), m2d = mi_wmul(m, md);
  mi_wide p = mi_wnmadd(two, ad, mi_wmul(b, b)), q = mi_wnmadd(mi_wset(3), d, mi_wmul(a, b));
  mi_wide r = mi_wnmadd(two, b, mi_wmul(a, a));
  mi_wide f = mi_wnmadd(m, q, mi_wmadd(m2, ad, mi_wsub(b, s->e2)));
  mi_wide g = mi_wnmadd(m, p, mi_wmadd(m2d, mi_wsub(r, md), mi_wsub(d, s->j)));
  mi_wide fb = mi_wnmadd(m, a, mi_wnmadd(m2, b, mi_wmadd(m, m2d, mi_wset(1))));
  mi_wide fm = mi_wnmadd(m, p, mi_wsub(mi_wmul(m2d, b), q));
  mi_wide gb = mi_wmul(mi_wmul(two, m), mi_wsub(mi_wmul(m2, ad), b));
  mi_wide gm = mi_wmadd(mi_wmul(two, md), mi_wmadd(m, mi_wmul(a, b), mi_wadd(b, r)),
                        mi_wnmadd(mi_wmul(mi_wset(3), md), md, mi_wsub(mi_wset(0), p)));
  mi_wide per = mi_wdiv(mi_wset(1), mi_wnmadd(fm, gb, mi_wmul(fb, gm)));
  mi_wide db = mi_wmul(per, mi_wnmadd(fm, g, mi_wmul(gm, f)));
  mi_wide dm = mi_wmul(per, mi_wnmadd(gb, f, mi_wmul(fb, g)));
  v->b = mi_wsub(b, db);
  v->m = mi_wsub(m, dm);
  v->a = mi_wmadd(v->m, v->b, s->e1);
  return mi_wmax(mi_wabs(db), mi_wabs(dm));
}

// |F - P|^2
static inline mi_wide mi_volume_distance(const mi_volume *v) {
  mi_wide p = mi_wnmadd(mi_wmul(mi_wset(2), v->a), v->d, mi_wmul(v->b, v->b));
  return mi_wmul(mi_wmul(v->m, v->m), p);
}

// Never more than the square of the smallest singular value: Newton from the left for the smallest
// root of the characteristic polynomial of F'F; the product of the others is at most (i1 / 2)^2.
static inline mi_wide mi_least_square(const mi_stretch *s, int steps) {
  mi_wide jj = mi_wmul(s->j, s->j);
  mi_wide x = mi_wdiv(mi_wmul(mi_wset(4), jj), mi_wmul(s->i1, s->i1));
  for (int n = 0; n < steps; n++) {
    mi_wide y = mi_wsub(x, s->i1), z = mi_wmadd(x, y, s->i2);
    mi_wide slope = mi_wmadd(x, mi_wadd(x, y), z);
    x = mi_wsub(x, mi_wdiv(mi_wsub(mi_wmul(x, z), jj), mi_wmax(slope, mi_wset(1e-6f))));
  }
  return steps ? mi_wmul(x, mi_wset(0.999f)) : x;
}

// Lanes where this is the closest matrix of all: `step` small, s positive, and m > 0 (then the
// problem is convex) or P nearer than half the smallest singular value, as a minimum with the other
// root for s2 never is; `least` is below the square of that value.
static inline mi_wmask mi_volume_end(const mi_volume *v, const mi_stretch *s, mi_wide step,
                                     mi_wide least) {
  mi_wide zero = mi_wset(0);
  mi_wmask near = mi_wless(mi_wmul(mi_wset(4), mi_volume_distance(v)), least);
  near = mi_wmask_and(near, mi_wless(zero, s->j));
  mi_wmask good = mi_wmask_or(near, mi_wless(zero, v->m));
  good = mi_wmask_and(good, mi_wmask_and(mi_wless(zero, v->a), mi_wless(zero, v->b)));
  good = mi_wmask_and(good, mi_wless(mi_wset(0.01f), v->d));
  return mi_wmask_and(good, mi_wless(step, mi_wset(3e-4f)));
}

// cof P = R (c0 + c1 S + c2 S^2): with X = S - e1 / 3 the equation (c - m X) Z = N of Z = cof S*
// is solved modulo the characteristic polynomial of X.
static inline void mi_volume_cofactor(const mi_volume *v, const mi_stretch *s, mi_wide c[3]) {
  mi_wide one = mi_wset(1), h = mi_wmul(mi_wset(1.0f / 3), s->e1), m = v->m;
  mi_wide hh = mi_wmul(h, h), two_h = mi_wadd(h, h);
  mi_wide p = mi_wnmadd(mi_wset(3), hh, s->e2);
  mi_wide r = mi_wnmadd(h, s->e2, mi_wmadd(two_h, hh, s->j));
  mi_wide per = mi_wdiv(one, mi_wmadd(m, mi_wsub(v->a, h), one)), w = mi_wmul(m, per);
  mi_wide n0 = mi_wmul(per, mi_wmadd(m, v->d, mi_wmadd(h, mi_wsub(h, v->a), v->b)));
  mi_wide n1 = mi_wmul(per, mi_wsub(two_h, v->a));
  mi_wide a1 = mi_wmadd(w, n0, n1), b1 = mi_wmul(w, mi_wsub(mi_wmul(w, r), p));
  mi_wide q2 = mi_wdiv(mi_wmadd(w, a1, per), mi_wnmadd(w, b1, one));
  mi_wide q1 = mi_wmadd(b1, q2, a1), q0 = mi_wmadd(mi_wmul(w, r), q2, n0);
  c[0] = mi_wmadd(hh, q2, mi_wnmadd(h, q1, q0));
  c[1] = mi_wnmadd(two_h, q2, q1);
  c[2] = q2;
}

#endif
