// Three doubles and what a modeller does with them.
#ifndef CREATURE_VEC3_H
#define CREATURE_VEC3_H

#include <math.h>

typedef struct vec3 {
  double x, y, z;
} vec3;

static inline vec3 vec(double x, double y, double z) {
  return (vec3){x, y, z};
}
static inline vec3 add(vec3 a, vec3 b) {
  return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline vec3 sub(vec3 a, vec3 b) {
  return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline vec3 scale(vec3 a, double s) {
  return vec(a.x * s, a.y * s, a.z * s);
}
static inline vec3 along(vec3 a, vec3 direction, double distance) {
  return add(a, scale(direction, distance));
}
static inline vec3 mix(vec3 a, vec3 b, double t) {
  return along(scale(a, 1.0 - t), b, t);
}
static inline double dot(vec3 a, vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline vec3 cross(vec3 a, vec3 b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double length(vec3 a) {
  return sqrt(dot(a, a));
}
static inline vec3 unit(vec3 a) {
  return scale(a, 1.0 / length(a));
}

// Rodrigues: a turned by `angle` around the unit vector `axis`.
static inline vec3 turn(vec3 a, vec3 axis, double angle) {
  double c = cos(angle);
  vec3 turned = add(scale(a, c), scale(cross(axis, a), sin(angle)));
  return along(turned, axis, dot(axis, a) * (1.0 - c));
}

// 0 below `from`, 1 above `to`, with two continuous derivatives (from > to runs downwards).
static inline double ease(double from, double to, double x) {
  double t = fmin(fmax((x - from) / (to - from), 0.0), 1.0);
  return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

#endif
