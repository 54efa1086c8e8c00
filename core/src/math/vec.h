// Small vectors and matrices: double for what is computed once, float arrays for what is stored.
#ifndef MI_VEC_H
#define MI_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct mi_vec3 {
  double x, y, z;
} mi_vec3;

static inline mi_vec3 mi_vec3_load(const float *at) {
  return (mi_vec3){at[0], at[1], at[2]};
}
static inline void mi_vec3_store(float *at, mi_vec3 a) {
  at[0] = (float)a.x;
  at[1] = (float)a.y;
  at[2] = (float)a.z;
}
static inline mi_vec3 mi_add(mi_vec3 a, mi_vec3 b) {
  return (mi_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline mi_vec3 mi_sub(mi_vec3 a, mi_vec3 b) {
  return (mi_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline mi_vec3 mi_scale(double s, mi_vec3 a) {
  return (mi_vec3){s * a.x, s * a.y, s * a.z};
}
static inline mi_vec3 mi_add_scaled(mi_vec3 a, double s, mi_vec3 b) {
  return (mi_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double mi_dot(mi_vec3 a, mi_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline mi_vec3 mi_cross(mi_vec3 a, mi_vec3 b) {
  return (mi_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double mi_length(mi_vec3 a) {
  return sqrt(mi_dot(a, a));
}
static inline double mi_distance(mi_vec3 a, mi_vec3 b) {
  return mi_length(mi_sub(a, b));
}
static inline bool mi_is_zero(const float *values, int count) {
  for (int i = 0; i < count; i++)
    if (values[i] != 0) return false;
  return true;
}
static inline bool mi_are_finite(const float *values, int count) {
  float sum = 0; // only a finite number minus itself is zero
  for (int i = 0; i < count; i++) sum += values[i] - values[i];
  return sum == 0;
}
static inline float mi_largest_size(const float *values, int count) {
  float most = 0;
  for (int i = 0; i < count; i++) {
    float size = fabsf(values[i]);
    most = size > most ? size : most;
  }
  return most;
}
// Zero stays zero.
static inline mi_vec3 mi_unit(mi_vec3 a) {
  double length = mi_length(a);
  return length > 0 ? mi_scale(1 / length, a) : a;
}
// Rodrigues: a turned by `angle` about the unit vector `axis`.
static inline mi_vec3 mi_rotate(mi_vec3 a, mi_vec3 axis, double angle) {
  double c = cos(angle), s = sin(angle);
  mi_vec3 turned = mi_add_scaled(mi_scale(c, a), s, mi_cross(axis, a));
  return mi_add_scaled(turned, (1 - c) * mi_dot(axis, a), axis);
}
// Six times the signed volume of a tetrahedron; positive when d lies on the side from which a, b, c
// run clockwise ... that is (b - a) x (c - a) . (d - a).
static inline double mi_det(mi_vec3 a, mi_vec3 b, mi_vec3 c, mi_vec3 d) {
  return mi_dot(mi_cross(mi_sub(b, a), mi_sub(c, a)), mi_sub(d, a));
}

#endif
