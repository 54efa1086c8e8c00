// Jaw and tongue shapes.
#include "shapes.h"

#include <stddef.h>
#include <string.h>

#include "parts.h"

static vec3 open_by(const shape_point *s, double share) {
  vec3 turned = v3_pitch(s->p, jaw_hinge(), share * jaw_open_angle());
  vec3 d = v3_scale(v3_sub(turned, s->p), s->jaw);
  // The corners are drawn in and the upper lip gives a little.
  double corner = ramp(26.0, 4.0, hypot(fabs(s->p.x) - 26.0, s->p.y - mouth_line_height()));
  corner *= s->deep * ramp(40.0, 70.0, s->p.z);
  d.x -= share * copysign(2.6, s->p.x) * corner * ramp(0.0, 12.0, fabs(s->p.x));
  double above = hypot(fmax(0.0, fabs(s->p.x) - 10.0), fmax(0.0, s->p.y - mouth_line_height()));
  double lip = s->upper * s->upper * ramp(24.0, 4.0, above) * s->deep * ramp(40.0, 70.0, s->p.z);
  d.y += 1.8 * share * lip;
  return d;
}

vec3 jaw_open_field(const shape_point *s) {
  return open_by(s, 1.0);
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

// A tongue cannot come out of a closed mouth: the shape opens it as far as the tongue is thick.
static const double TONGUE_OPENS = 0.42; // of jawOpen

static vec3 tongue_out(const shape_point *s) {
  return open_by(s, TONGUE_OPENS);
}

vec3 jaw_shape_rigid(const char *name, vec3 p) {
  double share = !strcmp(name, "jawOpen") ? 1.0 : !strcmp(name, "tongueOut") ? TONGUE_OPENS : 0.0;
  if (share > 0.0) return v3_sub(v3_pitch(p, jaw_hinge(), share * jaw_open_angle()), p);
  if (!strcmp(name, "jawForward")) return v3(0, -0.6, 6.5);
  if (!strcmp(name, "jawLeft")) return swing(p, 1.0);
  if (!strcmp(name, "jawRight")) return swing(p, -1.0);
  return v3(0, 0, 0);
}

// The tongue stretches and flattens, climbs over the lower teeth and lip and hangs over them; the
// root stays. All of it rides on the jaw.
vec3 tongue_shape(const char *name, vec3 p) {
  if (strcmp(name, "tongueOut")) return jaw_shape_rigid(name, p);
  double base = mouth_base(), rest = mouth_line_height() - 5.2;
  double t = ramp(base - 52.0, base - 18.0, p.z), z = p.z + 34.0 * t;
  double hang = fmax(0.0, z - base - 1.0);
  double middle = rest + 8.0 * ramp(base - 38.0, base - 12.0, z) - 0.05 * hang * hang;
  vec3 out = v3(p.x * (1.0 - 0.15 * t), middle + (p.y - rest) * (1.0 - 0.35 * t), z);
  return v3_sub(v3_add(out, jaw_shape_rigid(name, out)), p);
}

const shape_entry *jaw_shapes(void) {
  static const shape_entry table[] = {
      {"jawForward", jaw_forward, SHAPE_AS_WRITTEN}, {"jawLeft", jaw_left, SHAPE_AS_WRITTEN},
      {"jawRight", jaw_left, SHAPE_MIRRORED},        {"jawOpen", jaw_open_field, SHAPE_AS_WRITTEN},
      {"tongueOut", tongue_out, SHAPE_AS_WRITTEN},   {NULL, NULL, SHAPE_AS_WRITTEN}};
  return table;
}
