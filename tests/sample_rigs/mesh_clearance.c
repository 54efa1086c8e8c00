#include "mesh_clearance.h"

#include "vec3.h"

#include <stdlib.h>

typedef struct triangle {
  vec3 p[3], centre;
  double radius;
} triangle;

static triangle triangle_at(const triangle_list *list, int t) {
  triangle out;
  for (int k = 0; k < 3; k++) {
    const float *f = list->position + 3 * (size_t)list->corner[t][k];
    out.p[k] = v3(f[0], f[1], f[2]);
  }
  out.centre = v3_scale(v3_add(out.p[0], v3_add(out.p[1], out.p[2])), 1.0 / 3.0);
  out.radius = 0;
  for (int k = 0; k < 3; k++)
    out.radius = fmax(out.radius, v3_length(v3_sub(out.p[k], out.centre)));
  return out;
}

static double segments(vec3 a, vec3 b, vec3 c, vec3 d) {
  vec3 u = v3_sub(b, a), v = v3_sub(d, c), w = v3_sub(a, c);
  double uu = v3_dot(u, u), uv = v3_dot(u, v), vv = v3_dot(v, v), uw = v3_dot(u, w),
         vw = v3_dot(v, w), det = uu * vv - uv * uv;
  double s = clamp01(det > 1e-12 * uu * vv ? (uv * vw - vv * uw) / det : 0.0);
  double t = clamp01((uv * s + vw) / vv);
  s = clamp01((uv * t - uw) / uu);
  return v3_length(v3_add(w, v3_sub(v3_scale(u, s), v3_scale(v, t))));
}

// To the inside of a face only; its edges are the business of `segments`.
static double above(vec3 p, const triangle *t) {
  vec3 n = v3_cross(v3_sub(t->p[1], t->p[0]), v3_sub(t->p[2], t->p[0]));
  for (int k = 0; k < 3; k++) {
    vec3 edge = v3_sub(t->p[(k + 1) % 3], t->p[k]);
    if (v3_dot(v3_cross(n, edge), v3_sub(p, t->p[k])) < 0) return INFINITY;
  }
  return fabs(v3_dot(v3_unit(n), v3_sub(p, t->p[0])));
}

static double between(const triangle *a, const triangle *b) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    least = fmin(least, fmin(above(a->p[i], b), above(b->p[i], a)));
    for (int j = 0; j < 3; j++)
      least = fmin(least, segments(a->p[i], a->p[(i + 1) % 3], b->p[j], b->p[(j + 1) % 3]));
  }
  return least;
}

static triangle *load(const triangle_list *list) {
  triangle *out = malloc(((size_t)list->count + 1) * sizeof *out);
  for (int t = 0; out && t < list->count; t++) out[t] = triangle_at(list, t);
  return out;
}

mesh_nearness mesh_clearance(const triangle_list *a, const triangle_list *b, double reach) {
  mesh_nearness out = {INFINITY, {0, 0, 0}};
  triangle *one = load(a), *other = load(b);
  double best = reach;
  if (!one || !other) out.distance = -1;
  for (int k = 0; one && other && k < a->count; k++)
    for (int j = 0; j < b->count; j++) {
      vec3 way = v3_sub(one[k].centre, other[j].centre);
      double near = best + one[k].radius + other[j].radius;
      if (v3_dot(way, way) > near * near) continue;
      double d = between(one + k, other + j);
      if (!(d < best)) continue;
      vec3 at = v3_mix(one[k].centre, other[j].centre, 0.5);
      best = d;
      out = (mesh_nearness){d, {at.x, at.y, at.z}};
    }
  free(one);
  free(other);
  return out;
}
