// Compiled once per SIMD body: see math/wide.h and the core's CMakeLists.txt. Bodies may differ in
// the last bits; the answers are safe by more than that, and what is decided with them is not.
#include "contact/pair_kernels.h"

#include "math/jacobi_wide.h"
#include "math/wide.h"

#include <float.h>

#if defined(MI_BODY_AVX2)
#define BODY_TABLE mi_pair_body_avx2
#elif defined(MI_BODY_NEON)
#define BODY_TABLE mi_pair_body_neon
#else
#define BODY_TABLE mi_pair_body_scalar
#endif

_Static_assert((int)MI_JACOBI_LANES == (int)MI_PAIRS, "a matrix a pair");

// Margin of a bound, as a share of the sizes in it: ten times the error that rounding can cause.
#define MARGIN 4e-6f

typedef struct vec {
  mi_wide x, y, z;
} vec;

MI_INLINE vec load(const float *at, int i) {
  return (vec){mi_wload(at + 24 * i), mi_wload(at + 24 * i + 8), mi_wload(at + 24 * i + 16)};
}
MI_INLINE vec sub(vec a, vec b) {
  return (vec){mi_wsub(a.x, b.x), mi_wsub(a.y, b.y), mi_wsub(a.z, b.z)};
}
MI_INLINE vec madd(mi_wide s, vec a, vec b) { // s a + b
  return (vec){mi_wmadd(s, a.x, b.x), mi_wmadd(s, a.y, b.y), mi_wmadd(s, a.z, b.z)};
}
MI_INLINE vec nmadd(mi_wide s, vec a, vec b) { // b - s a
  return (vec){mi_wnmadd(s, a.x, b.x), mi_wnmadd(s, a.y, b.y), mi_wnmadd(s, a.z, b.z)};
}
MI_INLINE mi_wide dot(vec a, vec b) {
  return mi_wmadd(a.x, b.x, mi_wmadd(a.y, b.y, mi_wmul(a.z, b.z)));
}
MI_INLINE vec cross(vec a, vec b) {
  return (vec){mi_wnmadd(a.z, b.y, mi_wmul(a.y, b.z)), mi_wnmadd(a.x, b.z, mi_wmul(a.z, b.x)),
               mi_wnmadd(a.y, b.x, mi_wmul(a.x, b.y))};
}
MI_INLINE vec choose(mi_wmask yes, vec a, vec b) {
  return (vec){mi_wselect(yes, a.x, b.x), mi_wselect(yes, a.y, b.y), mi_wselect(yes, a.z, b.z)};
}
MI_INLINE mi_wide clamp(mi_wide a) {
  return mi_wmin(mi_wmax(a, mi_wset(0)), mi_wset(1));
}
// what is divided by is never 0
MI_INLINE mi_wide positive(mi_wide a) {
  return mi_wmax(a, mi_wset(FLT_MIN));
}

// Points relative to point 3: three vectors.
typedef struct triple {
  vec a, b, c;
} triple;

MI_INLINE triple relative(const float *at) {
  vec o = load(at, 3);
  return (triple){sub(load(at, 0), o), sub(load(at, 1), o), sub(load(at, 2), o)};
}

// The vector between nearly closest points of the edges 0 = (a, b) and (c, origin).
MI_INLINE vec between_edges(triple x) {
  vec u = sub(x.b, x.a), v = sub((vec){mi_wset(0), mi_wset(0), mi_wset(0)}, x.c), w = sub(x.a, x.c);
  mi_wide a = dot(u, u), e = dot(v, v), b = dot(u, v), c = dot(u, w), f = dot(v, w);
  mi_wide det = positive(mi_wnmadd(b, b, mi_wmul(a, e)));
  mi_wide s = clamp(mi_wdiv(mi_wnmadd(c, e, mi_wmul(b, f)), det));
  mi_wide t = clamp(mi_wdiv(mi_wmadd(b, s, f), positive(e)));
  s = clamp(mi_wdiv(mi_wnmadd(mi_wset(1), c, mi_wmul(b, t)), positive(a)));
  return nmadd(t, v, madd(s, u, w));
}

// From the closest point of the edge p, p + e to the origin of p: -(p + t e)
MI_INLINE vec from_edge(vec p, vec e) {
  mi_wide t = clamp(mi_wdiv(dot(p, e), positive(dot(e, e))));
  return nmadd(t, e, p);
}

// The vector from the nearly closest point of the triangle (b, c, origin) to a.
MI_INLINE vec from_triangle(triple x) {
  vec best = from_edge(x.a, x.b); // origin to b
  vec r = from_edge(x.a, x.c);    // origin to c
  best = choose(mi_wless(dot(r, r), dot(best, best)), r, best);
  r = from_edge(sub(x.a, x.b), sub(x.c, x.b)); // b to c
  best = choose(mi_wless(dot(r, r), dot(best, best)), r, best);
  vec n = cross(x.b, x.c);
  mi_wide n2 = positive(dot(n, n)), zero = mi_wset(0);
  mi_wide v = dot(n, cross(x.a, x.c)), w = dot(n, cross(x.b, x.a));
  mi_wmask inside = mi_wmask_and(mi_wless(zero, v), mi_wless(zero, w));
  inside = mi_wmask_and(inside, mi_wless(mi_wadd(v, w), n2));
  mi_wide h = mi_wdiv(dot(n, x.a), n2);
  return choose(inside, (vec){mi_wmul(h, n.x), mi_wmul(h, n.y), mi_wmul(h, n.z)}, best);
}

MI_INLINE mi_wide size_of(triple x) {
  return mi_wsqrt(mi_wmax(dot(x.a, x.a), mi_wmax(dot(x.b, x.b), dot(x.c, x.c))));
}

// n . (x_i - x_j), three or four of them
MI_INLINE int project(triple x, vec n, bool is_edges, mi_wide h[4]) {
  mi_wide a = dot(n, x.a), b = dot(n, x.b), c = dot(n, x.c);
  if (is_edges) {
    h[0] = a, h[1] = b, h[2] = mi_wsub(a, c), h[3] = mi_wsub(b, c);
    return 4;
  }
  h[0] = a, h[1] = mi_wsub(a, b), h[2] = mi_wsub(a, c);
  return 3;
}

MI_INLINE vec direction(triple x, bool is_edges, mi_wide *length) {
  vec r = is_edges ? between_edges(x) : from_triangle(x);
  *length = mi_wsqrt(dot(r, r));
  mi_wide scale = mi_wdiv(mi_wset(1), positive(*length));
  return (vec){mi_wmul(scale, r.x), mi_wmul(scale, r.y), mi_wmul(scale, r.z)};
}

MI_INLINE void least_of(const mi_pair_batch *batch, bool is_edges, float *least) {
  triple x = relative(batch->from);
  mi_wide length, h[4];
  vec n = direction(x, is_edges, &length);
  int count = project(x, n, is_edges, h);
  mi_wide low = h[0];
  for (int k = 1; k < count; k++) low = mi_wmin(low, h[k]);
  mi_wstore(least, mi_wnmadd(mi_wset(MARGIN), size_of(x), low));
}

// Along one direction distances are linear in time: the least is at one of the ends.
MI_INLINE void way_of(const mi_pair_batch *batch, bool is_edges, float *least) {
  triple x = relative(batch->from), y = relative(batch->to);
  mi_wide length, h[4], k[4];
  vec n = direction(x, is_edges, &length);
  int count = project(x, n, is_edges, h);
  project(y, n, is_edges, k);
  mi_wide low = mi_wmin(h[0], k[0]);
  for (int i = 1; i < count; i++) low = mi_wmin(low, mi_wmin(h[i], k[i]));
  mi_wstore(least, mi_wnmadd(mi_wset(MARGIN), mi_wadd(size_of(x), size_of(y)), low));
}

static void least_distance(const mi_pair_batch *batch, float *least) {
  if (batch->is_edges)
    least_of(batch, true, least);
  else
    least_of(batch, false, least);
}

static void least_on_way(const mi_pair_batch *batch, float *least) {
  if (batch->is_edges)
    way_of(batch, true, least);
  else
    way_of(batch, false, least);
}

const mi_pair_kernels BODY_TABLE = {least_distance, least_on_way, diagonalise};
