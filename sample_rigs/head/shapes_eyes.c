// Lid shapes: lids travel along the ball, never through it.
#include "shapes.h"

#include <stddef.h>
#include <string.h>

// How a lid shape turns the two margins and shifts them sideways, radians; `close` moves both to
// the closing line.
typedef struct lid_motion {
  double close;
  double upper;
  double lower;
  double sideways;
} lid_motion;

// 1 at the margin and on the inside of the lid, falling to 0 past the crease.
static double margin_share(double above, double eye_ring) {
  double outside = eye_ring < LID_OUTER + 0.5;
  double reach = outside ? 0.62 : 1.25;
  return ramp(reach, 0.06, above) * ramp(0.4, 2.0, eye_ring) *
         ramp(EYE_NRING - 0.5, LID_FORNIX, eye_ring);
}

static vec3 move_lids(const shape_point *s, const lid_motion *m) {
  vec3 zero = {0, 0, 0};
  if (s->eye_ring <= 0.0 || s->p.x <= 0.0) return zero;
  vec3 c = eye_centre();
  vec3 d = v3_sub(s->p, c);
  double radius = v3_length(d);
  double elevation = asin(d.y / radius);
  double azimuth = atan2(d.x, d.z);
  int upper = s->lid_side > 0.0;
  double open = lid_margin_elevation(azimuth, upper);
  double other = lid_margin_elevation(azimuth, !upper);
  double gap = upper ? 0.014 : -0.014;
  double line = (upper ? mix(other, open, 0.16) : mix(open, other, 0.16)) + gap;
  double above = upper ? elevation - open : open - elevation;
  double share = margin_share(above, s->eye_ring);
  double own = fabs(open - other) > 0.05 ? ramp(0.0, 0.7, fabs(s->lid_side)) : fabs(s->lid_side);
  double turn =
      m->close * (line - open) + (upper ? m->upper : m->lower) * ramp(0.0, 0.6, fabs(open - other));
  elevation += turn * share * own;
  // Closed, neither lid crosses the line where they meet.
  if (m->close > 0.0 && share > 0.5)
    elevation = upper ? fmax(elevation, line) : fmin(elevation, line);
  azimuth += m->sideways * share;
  vec3 to = v3(sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation));
  // Between its ends a shape moves in a straight line, which cuts under the arc; closed lids stand
  // off far enough to make up for it.
  double least = eye_ball_radius(to) + 0.35 + 1.2 * m->close * share;
  double thick =
      0.8 * m->close * ramp(0.3, 0.8, share) * ramp(LID_OUTER + 0.9, LID_OUTER, s->eye_ring);
  return v3_sub(v3_madd(c, fmax(radius, least + thick), to), s->p);
}

static vec3 blink(const shape_point *s) {
  return move_lids(s, &(lid_motion){.close = 1.0});
}

static vec3 look_down(const shape_point *s) {
  return move_lids(s, &(lid_motion){.upper = -0.30, .lower = -0.10});
}

static vec3 look_up(const shape_point *s) {
  return move_lids(s, &(lid_motion){.upper = 0.17, .lower = 0.05});
}

static vec3 look_in(const shape_point *s) {
  return move_lids(s, &(lid_motion){.sideways = -0.05});
}

static vec3 look_out(const shape_point *s) {
  return move_lids(s, &(lid_motion){.sideways = 0.05});
}

static vec3 squint(const shape_point *s) {
  vec3 d = move_lids(s, &(lid_motion){.upper = -0.07, .lower = 0.17});
  double below =
      ramp(20.0, 4.0, v3_length(v3_sub(s->p, v3(34, 0, 84)))) * ramp(2.5, 0.5, s->eye_ring);
  return v3_madd(d, below, v3(0, 1.8, 0.8));
}

static vec3 wide(const shape_point *s) {
  return move_lids(s, &(lid_motion){.upper = 0.20, .lower = -0.04});
}

int eye_shape_turn(const char *name, int left, double *yaw, double *pitch) {
  const double degree = acos(-1.0) / 180.0;
  const char *end = left ? "Left" : "Right";
  size_t n = strlen(name);
  *yaw = *pitch = 0.0;
  if (strncmp(name, "eyeLook", 7) || n < strlen(end) || strcmp(name + n - strlen(end), end))
    return 0;
  double out = left ? 1.0 : -1.0;
  if (!strncmp(name + 7, "Up", 2))
    *pitch = -24.0 * degree;
  else if (!strncmp(name + 7, "Down", 4))
    *pitch = 28.0 * degree;
  else if (!strncmp(name + 7, "In", 2))
    *yaw = -out * 32.0 * degree;
  else
    *yaw = out * 32.0 * degree;
  return 1;
}

const shape_entry *eye_shapes(void) {
  static const shape_entry table[] = {{"eyeBlinkLeft", blink, SHAPE_AS_WRITTEN},
                                      {"eyeLookDownLeft", look_down, SHAPE_AS_WRITTEN},
                                      {"eyeLookInLeft", look_in, SHAPE_AS_WRITTEN},
                                      {"eyeLookOutLeft", look_out, SHAPE_AS_WRITTEN},
                                      {"eyeLookUpLeft", look_up, SHAPE_AS_WRITTEN},
                                      {"eyeSquintLeft", squint, SHAPE_AS_WRITTEN},
                                      {"eyeWideLeft", wide, SHAPE_AS_WRITTEN},
                                      {"eyeBlinkRight", blink, SHAPE_MIRRORED},
                                      {"eyeLookDownRight", look_down, SHAPE_MIRRORED},
                                      {"eyeLookInRight", look_in, SHAPE_MIRRORED},
                                      {"eyeLookOutRight", look_out, SHAPE_MIRRORED},
                                      {"eyeLookUpRight", look_up, SHAPE_MIRRORED},
                                      {"eyeSquintRight", squint, SHAPE_MIRRORED},
                                      {"eyeWideRight", wide, SHAPE_MIRRORED},
                                      {NULL, NULL, SHAPE_AS_WRITTEN}};
  return table;
}
