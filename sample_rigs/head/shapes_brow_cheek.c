// Brow, cheek and nose shapes.
#include "shapes.h"

#include <stddef.h>

#include "parts.h"

// A soft ellipsoid of influence, 1 in the middle, 0 at its surface. The inside of mouth and eyes
// does not follow.
static double blob(const shape_point *s, vec3 centre, vec3 radius) {
  vec3 q = v3_sub(s->p, centre);
  double r = v3_length(v3(q.x / radius.x, q.y / radius.y, q.z / radius.z));
  return ramp(1.0, 0.0, r) * ramp(5.0, 3.5, s->eye_ring) * ramp(4.0, 2.0, s->mouth_ring) *
         (s->ear_ring < 0.5);
}

// The crease of the lid follows the brow a little, the margin not at all.
static double off_lid(const shape_point *s) {
  return ramp(3.6, 0.8, s->eye_ring);
}

static vec3 brow_down(const shape_point *s) {
  double inner = blob(s, v3(13, 36, 92), v3(22, 20, 30));
  double outer = blob(s, v3(36, 38, 82), v3(32, 20, 34));
  double w = fmin(1.0, 0.9 * inner + 0.8 * outer) * off_lid(s) * ramp(-4.0, 5.0, s->p.x);
  return v3_add(v3_scale(v3(-0.8, -4.6, 0.8), w),
                v3(-1.6 * inner * off_lid(s) * ramp(0.0, 6.0, s->p.x), 0, 0));
}

static vec3 brow_inner_up(const shape_point *s) {
  vec3 p = s->p;
  shape_point half = *s;
  half.p.x = fabs(p.x);
  double w = blob(&half, v3(10, 40, 92), v3(30, 34, 40)) * off_lid(s);
  return v3_scale(v3(0, 7.5, -0.8), w);
}

static vec3 brow_outer_up(const shape_point *s) {
  double w = blob(s, v3(40, 41, 80), v3(28, 32, 40)) * off_lid(s);
  return v3_scale(v3(0.6, 7.0, -1.6), w);
}

// Air in both cheeks: the wall of the mouth bag goes out with the skin.
static vec3 cheek_puff(const shape_point *s) {
  shape_point half = *s;
  half.p.x = fabs(s->p.x);
  double side = copysign(1.0, s->p.x);
  half.mouth_ring = fmin(s->mouth_ring, 1.0);
  double w = blob(&half, v3(40, -47, 72), v3(38, 36, 46));
  double lips = ramp(1.0, 5.0, s->mouth_ring) * ramp(9.0, 7.0, s->mouth_ring);
  double x = 8.0 * w * ramp(6.0, 30.0, half.p.x);
  return v3(side * x * (1.0 - 0.75 * lips), 0.0,
            5.5 * w * ramp(2.0, 26.0, half.p.x) * (1.0 - 0.4 * lips) + 1.2 * lips);
}

static vec3 cheek_squint(const shape_point *s) {
  double cheek = blob(s, v3(40, -10, 78), v3(28, 26, 34));
  return v3_scale(v3(0.0, 4.6, 1.6), cheek * off_lid(s));
}

static vec3 nose_sneer(const shape_point *s) {
  double left = ramp(-5.0, 7.0, s->p.x);
  double wing = blob(s, v3(13, -20, 98), v3(18, 20, 26));
  double side = blob(s, v3(12, 4, 92), v3(16, 22, 24));
  double fold = blob(s, v3(24, -26, 90), v3(22, 22, 26));
  double lip = ramp(30.0, 8.0, hypot(s->p.x - 12.0, s->p.y + 46.0)) * s->upper * s->upper *
               s->deep * ramp(60.0, 80.0, s->p.z);
  vec3 d = v3_scale(v3(0.9, 4.2, -0.8), wing);
  d = v3_madd(d, side * off_lid(s), v3(-0.6, 1.8, 0.9));
  d = v3_madd(d, 0.7 * fold, v3(0.4, 3.4, 1.4));
  d = v3_madd(d, 0.6 * lip * ramp(-20.0, -34.0, s->p.y), v3(0.0, 3.2, 0.0));
  double brow = blob(s, v3(10, 34, 92), v3(18, 16, 24)) * off_lid(s);
  d = v3_madd(d, brow, v3(-0.8, -2.4, 0.4));
  return v3_scale(d, left);
}

const shape_entry *upper_face_shapes(void) {
  static const shape_entry table[] = {{"browDownLeft", brow_down, SHAPE_AS_WRITTEN},
                                      {"browDownRight", brow_down, SHAPE_MIRRORED},
                                      {"browInnerUp", brow_inner_up, SHAPE_AS_WRITTEN},
                                      {"browOuterUpLeft", brow_outer_up, SHAPE_AS_WRITTEN},
                                      {"browOuterUpRight", brow_outer_up, SHAPE_MIRRORED},
                                      {"cheekPuff", cheek_puff, SHAPE_AS_WRITTEN},
                                      {"cheekSquintLeft", cheek_squint, SHAPE_AS_WRITTEN},
                                      {"cheekSquintRight", cheek_squint, SHAPE_MIRRORED},
                                      {"noseSneerLeft", nose_sneer, SHAPE_AS_WRITTEN},
                                      {"noseSneerRight", nose_sneer, SHAPE_MIRRORED},
                                      {NULL, NULL, SHAPE_AS_WRITTEN}};
  return table;
}
