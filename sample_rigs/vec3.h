// Three doubles with the handful of operations modelling needs.
#ifndef SAMPLE_RIGS_VEC3_H
#define SAMPLE_RIGS_VEC3_H

#include <math.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

static inline vec3 v3(double x, double y, double z) {
  return (vec3){x, y, z};
}
static inline vec3 v3_add(vec3 a, vec3 b) {
  return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline vec3 v3_sub(vec3 a, vec3 b) {
  return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline vec3 v3_scale(vec3 a, double s) {
  return v3(a.x * s, a.y * s, a.z * s);
}
static inline vec3 v3_madd(vec3 a, double s, vec3 b) {
  return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
static inline double v3_dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec3 v3_cross(vec3 a, vec3 b) {
  return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double v3_length(vec3 a) {
  return sqrt(v3_dot(a, a));
}
static inline vec3 v3_unit(vec3 a) {
  double l = v3_length(a);
  return l > 0.0 ? v3_scale(a, 1.0 / l) : a;
}
static inline vec3 v3_mix(vec3 a, vec3 b, double t) {
  return v3(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z));
}
static inline double mix(double a, double b, double t) {
  return a + t * (b - a);
}
static inline double clamp01(double t) {
  return fmin(fmax(t, 0.0), 1.0); // 0 for a NaN, too: a ramp of no width
}
// 0 below a, 1 above b, smooth between; a > b falls instead of rising.
static inline double ramp(double a, double b, double t) {
  double s = clamp01((t - a) / (b - a));
  return s * s * s * (s * (6.0 * s - 15.0) + 10.0);
}
// Rotation by `angle` about an axis parallel to X through (., centre.y, centre.z); a positive angle
// turns +Z towards -Y.
static inline vec3 v3_pitch(vec3 p, vec3 centre, double angle) {
  double c = cos(angle);
  double s = sin(angle);
  double y = p.y - centre.y;
  double z = p.z - centre.z;
  return v3(p.x, centre.y + c * y - s * z, centre.z + s * y + c * z);
}
// Rotation about an axis parallel to Y; a positive angle turns +Z towards +X.
static inline vec3 v3_yaw(vec3 p, vec3 centre, double angle) {
  double c = cos(angle);
  double s = sin(angle);
  double x = p.x - centre.x;
  double z = p.z - centre.z;
  return v3(centre.x + c * x + s * z, p.y, centre.z - s * x + c * z);
}

// Rodrigues: a turned by `angle` about the unit vector `axis`.
static inline vec3 v3_turn(vec3 a, vec3 axis, double angle) {
  double c = cos(angle);
  vec3 turned = v3_add(v3_scale(a, c), v3_scale(v3_cross(axis, a), sin(angle)));
  return v3_madd(turned, v3_dot(axis, a) * (1.0 - c), axis);
}

#endif
