// Closest points by regions (Ericson 2005, Real-Time Collision Detection, 5.1.5 and 5.1.9). Where
// regions are badly conditioned, all of them are tried and the nearest wins: each is a distance
// between points that exist, so none can be too small.
#include "mesh/distance.h"

#include "math/vec.h"

#include <stdbool.h>
#include <stddef.h>

// Squared sines below which triangles are too flat, edges too parallel for regions alone.
#define FLAT 1e-12
#define PARALLEL 1e-6

static inline mi_vec3 point(const double *x, int i) {
  return (mi_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

static inline double clamp(double a) {
  return a < 0 ? 0 : a > 1 ? 1 : a;
}

// r and d2 of coefficients that are set; they sum to 0, so point 3 may be the origin, which keeps
// the digits of small distances far from the world's origin.
static inline void measure(mi_closest *c, const double *x) {
  mi_vec3 o = point(x, 3), r = mi_scale(c->coef[0], mi_sub(point(x, 0), o));
  r = mi_add_scaled(r, c->coef[1], mi_sub(point(x, 1), o));
  r = mi_add_scaled(r, c->coef[2], mi_sub(point(x, 2), o));
  c->r[0] = r.x, c->r[1] = r.y, c->r[2] = r.z;
  c->d2 = mi_dot(r, r);
}

static void keep_nearer(mi_closest *best, mi_closest *c, const double *x) {
  measure(c, x);
  if (c->d2 < best->d2) *best = *c;
}

// Point i against the edge j, k: the parameter from j to k.
static double along(const double *x, int i, int j, int k) {
  mi_vec3 e = mi_sub(point(x, k), point(x, j));
  double e2 = mi_dot(e, e);
  return e2 > 0 ? clamp(mi_dot(e, mi_sub(point(x, i), point(x, j))) / e2) : 0;
}

static inline unsigned ends(double t, int j, int k) {
  return t <= 0 ? 1u << j : t >= 1 ? 1u << k : 1u << j | 1u << k;
}

// -- Vertex and triangle --------------------------------------------------------------------------

static inline mi_closest on_triangle(double b0, double b1, double b2, unsigned support) {
  return (mi_closest){.coef = {1, -b0, -b1, -b2}, .support = support | 1u};
}

// all of a flat triangle; `inside` holds barycentric coordinates if there are any
static mi_closest nearest_of_triangle(const double *x, const double *inside) {
  mi_closest best = {.d2 = INFINITY};
  for (int e = 0; e < 3; e++) {
    int j = 1 + e, k = 1 + (e + 1) % 3;
    double t = along(x, 0, j, k);
    mi_closest c = {.coef = {1, 0, 0, 0}, .support = 1u | ends(t, j, k)};
    c.coef[j] = -(1 - t);
    c.coef[k] = -t;
    keep_nearer(&best, &c, x);
  }
  if (inside && inside[0] > 0 && inside[1] > 0 && inside[2] > 0) {
    mi_closest c = on_triangle(inside[0], inside[1], inside[2], 15);
    keep_nearer(&best, &c, x);
  }
  return best;
}

static mi_closest triangle_region(const double d[6]) {
  // d: of ab and ac with ap, bp, cp
  if (d[0] <= 0 && d[1] <= 0) return on_triangle(1, 0, 0, 2);
  if (d[2] >= 0 && d[3] <= d[2]) return on_triangle(0, 1, 0, 4);
  double vc = d[0] * d[3] - d[2] * d[1];
  if (vc <= 0 && d[0] >= 0 && d[2] <= 0) {
    double t = d[0] / (d[0] - d[2]);
    return on_triangle(1 - t, t, 0, ends(t, 1, 2));
  }
  if (d[5] >= 0 && d[4] <= d[5]) return on_triangle(0, 0, 1, 8);
  double vb = d[4] * d[1] - d[0] * d[5];
  if (vb <= 0 && d[1] >= 0 && d[5] <= 0) {
    double t = d[1] / (d[1] - d[5]);
    return on_triangle(1 - t, 0, t, ends(t, 1, 3));
  }
  double va = d[2] * d[5] - d[4] * d[3];
  if (va <= 0 && d[3] - d[2] >= 0 && d[4] - d[5] >= 0) {
    double t = (d[3] - d[2]) / ((d[3] - d[2]) + (d[4] - d[5]));
    return on_triangle(0, 1 - t, t, ends(t, 2, 3));
  }
  double scale = 1 / (va + vb + vc);
  return on_triangle(1 - (vb + vc) * scale, vb * scale, vc * scale, 15);
}

mi_closest mi_closest_vertex_triangle(const double x[12]) {
  mi_vec3 p = point(x, 0), a = point(x, 1), b = point(x, 2), c = point(x, 3);
  mi_vec3 ab = mi_sub(b, a), ac = mi_sub(c, a), n = mi_cross(ab, ac);
  mi_vec3 ap = mi_sub(p, a), bp = mi_sub(p, b), cp = mi_sub(p, c);
  double ab2 = mi_dot(ab, ab), ac2 = mi_dot(ac, ac), n2 = mi_dot(n, n);
  double longest = ab2 > ac2 ? ab2 : ac2;
  if (!(n2 > FLAT * longest * longest)) {
    if (!(n2 > 0)) return nearest_of_triangle(x, NULL);
    double b1 = mi_dot(n, mi_cross(ap, ac)) / n2, b2 = mi_dot(n, mi_cross(ab, ap)) / n2;
    return nearest_of_triangle(x, (double[3]){1 - b1 - b2, b1, b2});
  }
  mi_closest best = triangle_region((double[6]){mi_dot(ab, ap), mi_dot(ac, ap), mi_dot(ab, bp),
                                                mi_dot(ac, bp), mi_dot(ab, cp), mi_dot(ac, cp)});
  measure(&best, x);
  return best;
}

// -- Two edges ------------------------------------------------------------------------------------

static inline mi_closest on_edges(double s, double t) {
  return (mi_closest){.coef = {1 - s, s, -(1 - t), -t}, .support = ends(s, 0, 1) | ends(t, 2, 3)};
}

static mi_closest nearest_of_edges(const double *x, double s, double t) {
  mi_closest best = on_edges(clamp(s), clamp(t));
  measure(&best, x);
  for (int i = 0; i < 2; i++) {
    mi_closest c = on_edges(i, along(x, i, 2, 3));
    keep_nearer(&best, &c, x);
    c = on_edges(along(x, 2 + i, 0, 1), i);
    keep_nearer(&best, &c, x);
  }
  return best;
}

mi_closest mi_closest_edge_edge(const double x[12]) {
  mi_vec3 u = mi_sub(point(x, 1), point(x, 0)), v = mi_sub(point(x, 3), point(x, 2));
  mi_vec3 w = mi_sub(point(x, 0), point(x, 2));
  double a = mi_dot(u, u), e = mi_dot(v, v), b = mi_dot(u, v);
  double c = mi_dot(u, w), f = mi_dot(v, w), det = a * e - b * b;
  if (!(det > PARALLEL * a * e)) {
    bool is_line = det > 0;
    return nearest_of_edges(x, is_line ? (b * f - c * e) / det : 0,
                            is_line ? (a * f - b * c) / det : 0);
  }
  // the lines' s, clamped; its t, clamped; then the s of that t
  double s = clamp((b * f - c * e) / det), t = (b * s + f) / e;
  if (t < 0 || t > 1) {
    t = clamp(t);
    s = clamp((b * t - c) / a);
  }
  mi_closest best = on_edges(s, t);
  measure(&best, x);
  return best;
}

// -- Regions --------------------------------------------------------------------------------------

int mi_closest_nfree(unsigned support) {
  int count = 0;
  for (unsigned i = 0; i < 4; i++) count += (int)(support >> i & 1);
  return count - 2;
}

// One parameter for each point beyond the first on either side: from that first point to it.
int mi_closest_slopes(unsigned support, int is_edges, double slope[2][4]) {
  int nfree = 0, split = is_edges ? 2 : 1, first[2] = {-1, -1};
  for (int i = 0; i < 4; i++) {
    int side = i >= split;
    if (!(support >> i & 1)) continue;
    if (first[side] < 0) {
      first[side] = i;
      continue;
    }
    double sign = side ? -1 : 1;
    for (int k = 0; k < 4; k++) slope[nfree][k] = 0;
    slope[nfree][i] = sign;
    slope[nfree++][first[side]] = -sign;
  }
  return nfree;
}
