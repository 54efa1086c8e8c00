// Jaw and tongue shapes.
#include "shapes.h"

#include <stddef.h>
#include <string.h>

#include "parts.h"

vec3 jaw_open_field(const shape_point *s) {
  vec3 turned = v3_pitch(s->p, jaw_hinge(), jaw_open_angle());
  vec3 d = v3_scale(v3_sub(turned, s->p), s->jaw);
  // The corners are drawn in and the upper lip gives a little.
  double corner = ramp(26.0, 4.0, hypot(fabs(s->p.x) - 26.0, s->p.y - mouth_line_height()));
  corner *= s->deep * ramp(40.0, 70.0, s->p.z);
  d.x -= copysign(2.6, s->p.x) * corner * ramp(0.0, 12.0, fabs(s->p.x));
  return d;
}

// Sideways the jaw swings about the joints: the chin goes seven millimetres, the angle hardly
// moves.
static vec3 swing(vec3 p, double side) {
  return v3_sub(v3_yaw(p, jaw_hinge(), side * 0.078), p);
}

static vec3 jaw_forward(const shape_point *s) {
  return v3_scale(v3(0, -0.6, 6.5), s->jaw);
}

static vec3 jaw_left(const shape_point *s) {
  return v3_scale(swing(s->p, 1.0), s->jaw);
}

static vec3 no_skin(const shape_point *s) {
  (void)s;
  return v3(0, 0, 0);
}

vec3 jaw_shape_rigid(const char *name, vec3 p) {
  if (!strcmp(name, "jawOpen")) return v3_sub(v3_pitch(p, jaw_hinge(), jaw_open_angle()), p);
  if (!strcmp(name, "jawForward")) return v3(0, -0.6, 6.5);
  if (!strcmp(name, "jawLeft")) return swing(p, 1.0);
  if (!strcmp(name, "jawRight")) return swing(p, -1.0);
  return v3(0, 0, 0);
}

// The tongue stretches out over the lower lip; the root stays.
vec3 tongue_shape(const char *name, vec3 p) {
  if (strcmp(name, "tongueOut")) return jaw_shape_rigid(name, p);
  double t = ramp(mouth_base() - 52.0, mouth_base() - 18.0, p.z);
  return v3(-0.15 * p.x * t, 5.0 * t - 3.0 * t * t, 34.0 * t);
}

const shape_entry *jaw_shapes(void) {
  static const shape_entry table[] = {
      {"jawForward", jaw_forward, SHAPE_AS_WRITTEN}, {"jawLeft", jaw_left, SHAPE_AS_WRITTEN},
      {"jawRight", jaw_left, SHAPE_MIRRORED},        {"jawOpen", jaw_open_field, SHAPE_AS_WRITTEN},
      {"tongueOut", no_skin, SHAPE_AS_WRITTEN},      {NULL, NULL, SHAPE_AS_WRITTEN}};
  return table;
}
