// Mouth shapes.
#include "shapes.h"

#include <stddef.h>

#include "parts.h"

enum { CORNER_X = 25 };

// Only the front of the head.
static double front_only(const shape_point *s) {
  return s->mouth_ring > 2.0 ? 1.0 : ramp(18.0, 52.0, s->p.z);
}

// 1 on the lips, falling to 0 `reach` millimetres away over the skin and into the depth of the
// mouth.
static double near_mouth(const shape_point *s, double reach) {
  double dx = fmax(0.0, fabs(s->p.x) - 20.0);
  double dy = s->p.y - mouth_line_height();
  double beyond = s->mouth_ring > RING_BORDER ? 0.0 : fmax(0.0, hypot(dx, dy) - 7.0);
  return ramp(reach, 0.0, beyond) * s->deep * front_only(s);
}

// 0 on the right, 1 on the left; lips share the turn in the middle.
static double left_half(const shape_point *s, double width) {
  return ramp(-width, width, s->p.x);
}

// Grows from the middle of the mouth towards its left corner.
static double towards_corner(const shape_point *s) {
  return ramp(-8.0, CORNER_X + 3.0, s->p.x);
}

// 1 on the red and inner lip, 0 on the skin a few millimetres outside.
static double on_lip(const shape_point *s) {
  return ramp(0.6, RING_BORDER, s->mouth_ring) * ramp(12.0, RING_INNER, s->mouth_ring);
}

static double above_line(const shape_point *s) {
  return s->p.y - mouth_line_height();
}

static vec3 corner_pull(const shape_point *s, vec3 pull, double reach, double thin) {
  double w = near_mouth(s, reach) * towards_corner(s);
  double flatten = -thin * above_line(s) * on_lip(s) * left_half(s, 12.0) * near_mouth(s, 12.0);
  return v3(pull.x * w, pull.y * w + flatten, pull.z * w);
}

static vec3 smile(const shape_point *s) {
  vec3 d = corner_pull(s, v3(7.0, 8.5, -6.5), 38.0, 0.10);
  double cheek = ramp(30.0, 0.0, v3_length(v3_sub(s->p, v3(42, -24, 76)))) * front_only(s);
  cheek *= ramp(2.0, 0.0, s->mouth_ring);
  return v3_madd(d, cheek, v3(1.0, 3.0, 3.0));
}

static vec3 frown(const shape_point *s) {
  return corner_pull(s, v3(1.5, -6.5, -2.0), 32.0, 0.05);
}

static vec3 dimple(const shape_point *s) {
  return corner_pull(s, v3(3.0, 1.5, -5.5), 24.0, 0.08);
}

static vec3 stretch(const shape_point *s) {
  return corner_pull(s, v3(8.0, -3.0, -6.0), 36.0, 0.10);
}

// Both lips come together and thin; the overlap stays below a millimetre.
static vec3 press(const shape_point *s) {
  double w = near_mouth(s, 18.0) * left_half(s, 8.0);
  double lip = on_lip(s);
  double close = 0.75 * lip * (s->lower - s->upper) * ramp(0.0, 0.6, fabs(s->upper - 0.5));
  double thin = -0.16 * above_line(s) * ramp(RING_CONTACT, RING_BORDER, s->mouth_ring);
  return v3(0.6 * w, w * (close + thin + 1.2 * s->lower * (1.0 - lip)), -1.4 * w * lip);
}

static vec3 upper_up(const shape_point *s) {
  double w = near_mouth(s, 26.0) * left_half(s, 12.0) * s->upper * s->upper;
  double fade = ramp(CORNER_X + 18.0, 6.0, fabs(s->p.x));
  return v3_scale(v3(0.6, 6.0, -0.8), w * fade);
}

static vec3 lower_down(const shape_point *s) {
  double w = near_mouth(s, 22.0) * left_half(s, 12.0) * s->lower * s->lower;
  double fade = ramp(CORNER_X + 14.0, 6.0, fabs(s->p.x));
  return v3_scale(v3(0.6, -6.0, -0.8), w * fade);
}

static vec3 mouth_left(const shape_point *s) {
  double w = near_mouth(s, 40.0);
  double lead = 0.35 * towards_corner(s);
  // The lips slide along the arch of the teeth.
  double x = s->p.x;
  double round = mouth_arch(x) - mouth_arch(x + 9.0);
  return v3(9.0 * w, 2.0 * w * lead, w * fmax(-5.0, fmin(7.5, round)));
}

static vec3 pucker(const shape_point *s) {
  double w = near_mouth(s, 30.0);
  double lip = on_lip(s);
  // Towards the middle, lips fuller and turned out.
  double narrow = -0.36 * s->p.x * w;
  double forward = (3.0 + 5.0 * ramp(26.0, 0.0, fabs(s->p.x))) * w * (0.55 + 0.45 * lip) +
                   2.5 * w * ramp(8.0, 24.0, fabs(s->p.x));
  double full =
      0.20 * above_line(s) * lip * w * ramp(RING_INNER + 2.0, RING_CONTACT, s->mouth_ring);
  return v3(narrow, full * ramp(0.3, 2.0, fabs(above_line(s))), forward);
}

static vec3 funnel(const shape_point *s) {
  double w = near_mouth(s, 32.0);
  double lip = on_lip(s);
  double middle = ramp(CORNER_X + 2.0, 2.0, fabs(s->p.x));
  double open = w * (0.35 + 0.65 * lip) * middle;
  double part = 6.0 * open * s->upper * s->upper - 7.5 * open * s->lower * s->lower;
  // The edge of the lip turns out like a trumpet.
  double edge = ramp(RING_BORDER - 1.0, RING_CONTACT, s->mouth_ring) *
                ramp(RING_INNER + 2.0, RING_CONTACT, s->mouth_ring);
  double flare = 2.0 * edge * middle;
  double forward = w * (4.0 + 2.5 * lip) + flare;
  return v3(-0.22 * s->p.x * w, part, forward);
}

// The lip turns inwards about an axis inside it until its border lies on the line; the skin around
// is drawn after it.
static vec3 roll(const shape_point *s, double side, double share) {
  double lip = ramp(0.8, 3.6, s->mouth_ring) * ramp(RING_INNER + 0.3, RING_CONTACT, s->mouth_ring);
  double w = share * ramp(CORNER_X + 1.0, 8.0, fabs(s->p.x));
  vec3 axis = v3(0, mouth_line_height() + side * 4.4, mouth_base() - mouth_arch(s->p.x) - 4.0);
  vec3 turned = v3_pitch(s->p, axis, side * 1.15 * lip * w);
  vec3 d = v3_sub(turned, s->p);
  double around =
      near_mouth(s, 17.0) * w * (1.0 - lip) * ramp(RING_INNER, RING_CONTACT, s->mouth_ring);
  return v3_add(d, v3(0, side * (1.5 * lip * w - 3.0 * around), -0.6 * lip * w - 2.4 * around));
}

static vec3 roll_upper(const shape_point *s) {
  return roll(s, 1.0, ramp(0.5, 0.9, s->upper));
}

static vec3 roll_lower(const shape_point *s) {
  return roll(s, -1.0, ramp(0.5, 0.9, s->lower));
}

// The lower lip rises against the upper and takes it along.
static vec3 shrug_lower(const shape_point *s) {
  double middle = ramp(CORNER_X + 16.0, 4.0, fabs(s->p.x));
  double w = near_mouth(s, 34.0) * middle;
  double lift = mix(3.4, 4.6, s->lower);
  double above = s->upper * ramp(4.0, 16.0, above_line(s)) * (s->mouth_ring < 2.5);
  return v3(0, lift * w * (1.0 - above), w * 2.4 * (0.35 + 0.65 * s->lower));
}

static vec3 shrug_upper(const shape_point *s) {
  double middle = ramp(CORNER_X + 12.0, 4.0, fabs(s->p.x));
  double w = near_mouth(s, 20.0) * middle * s->upper * s->upper;
  return v3(0, 4.2 * w, 1.6 * w * on_lip(s));
}

// Undoes the opening of the jaw on the lips: both lips take one common place below the upper teeth,
// so that the gap between them is the gap at rest.
static vec3 mouth_close(const shape_point *s) {
  double lip = s->mouth_ring > RING_ROLL ? 1.0 : near_mouth(s, 34.0);
  lip *= ramp(RING_FOLD, RING_INNER - 0.5, s->mouth_ring);
  vec3 line = v3(s->p.x, mouth_line_height(), mouth_base() - mouth_arch(s->p.x));
  vec3 open = v3_sub(v3_pitch(line, jaw_hinge(), jaw_open_angle()), line);
  double share = 0.32 * ramp(60.0, 0.0, fabs(s->p.x));
  // Down, but hardly back: the upper teeth stand behind the lips.
  vec3 together = v3(0, open.y * share, 0.2 * open.z * share);
  return v3_scale(v3_sub(together, jaw_open_field(s)), lip);
}

const shape_entry *mouth_shapes(void) {
  static const shape_entry table[] = {{"mouthClose", mouth_close, SHAPE_AS_WRITTEN},
                                      {"mouthFunnel", funnel, SHAPE_AS_WRITTEN},
                                      {"mouthPucker", pucker, SHAPE_AS_WRITTEN},
                                      {"mouthLeft", mouth_left, SHAPE_AS_WRITTEN},
                                      {"mouthRight", mouth_left, SHAPE_MIRRORED},
                                      {"mouthSmileLeft", smile, SHAPE_AS_WRITTEN},
                                      {"mouthSmileRight", smile, SHAPE_MIRRORED},
                                      {"mouthFrownLeft", frown, SHAPE_AS_WRITTEN},
                                      {"mouthFrownRight", frown, SHAPE_MIRRORED},
                                      {"mouthDimpleLeft", dimple, SHAPE_AS_WRITTEN},
                                      {"mouthDimpleRight", dimple, SHAPE_MIRRORED},
                                      {"mouthStretchLeft", stretch, SHAPE_AS_WRITTEN},
                                      {"mouthStretchRight", stretch, SHAPE_MIRRORED},
                                      {"mouthRollLower", roll_lower, SHAPE_AS_WRITTEN},
                                      {"mouthRollUpper", roll_upper, SHAPE_AS_WRITTEN},
                                      {"mouthShrugLower", shrug_lower, SHAPE_AS_WRITTEN},
                                      {"mouthShrugUpper", shrug_upper, SHAPE_AS_WRITTEN},
                                      {"mouthPressLeft", press, SHAPE_AS_WRITTEN},
                                      {"mouthPressRight", press, SHAPE_MIRRORED},
                                      {"mouthLowerDownLeft", lower_down, SHAPE_AS_WRITTEN},
                                      {"mouthLowerDownRight", lower_down, SHAPE_MIRRORED},
                                      {"mouthUpperUpLeft", upper_up, SHAPE_AS_WRITTEN},
                                      {"mouthUpperUpRight", upper_up, SHAPE_MIRRORED},
                                      {NULL, NULL, SHAPE_AS_WRITTEN}};
  return table;
}
