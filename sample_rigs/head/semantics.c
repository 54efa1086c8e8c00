// Where a skin vertex belongs.
#include "shapes.h"

#include "parts.h"

vec3 jaw_hinge(void) {
  return v3(0.0, -25.0, 11.0);
}

double jaw_open_angle(void) {
  return 23.0 * acos(-1.0) / 180.0;
}

// Outside the mouth the jaw's share fades with the angle about the hinge: nothing above the line
// from the joint to the upper lip, all of it from the chin down, and less again towards the neck.
static double jaw_by_place(vec3 p) {
  vec3 h = jaw_hinge();
  double angle = atan2(h.y - p.y, p.z - h.z);
  double front = ramp(0.08, 0.50, angle);
  // Close to the joint nothing moves: the ear stays.
  double away = ramp(14.0, 38.0, hypot(p.y - h.y, p.z - h.z));
  // Under the chin the skin gives way towards the throat, or it would be driven into the neck.
  double give = mix(1.0, ramp(10.0, 84.0, p.z), ramp(-86.0, -108.0, p.y));
  double neck = ramp(-145.0, -92.0, p.y) * ramp(-32.0, 24.0, p.z) * give;
  return front * neck * away;
}

shape_point shape_point_at(const skin_vertex *v) {
  shape_point s = {.p = v->p};
  s.mouth_ring = fmax(0.0, v->channel[CH_MOUTH_RING]);
  s.eye_ring = fmax(0.0, v->channel[CH_EYE_RING]);
  s.lid_side = v->channel[CH_LID_SIDE];
  s.ear_ring = fmax(0.0, v->channel[CH_EAR_RING]);
  double by_place = fmax(-1.0, fmin(1.0, (v->p.y - mouth_line_height()) / 14.0));
  double inside = ramp(0.0, RING_ROLL, s.mouth_ring);
  double side = mix(by_place, v->channel[CH_LIP_SIDE], inside);
  s.upper = ramp(-1.0, 1.0, side);
  s.lower = 1.0 - s.upper;
  s.deep = ramp(13.5, RING_INNER, s.mouth_ring);
  // On the lips the side decides alone; a lip has no half of it.
  double by_lip = 0.5 - 0.5 * fmax(-1.0, fmin(1.0, v->channel[CH_LIP_SIDE]));
  s.jaw = mix(jaw_by_place(v->p), by_lip, ramp(0.0, RING_BORDER, s.mouth_ring));
  s.jaw *= ramp(1.0, 0.0, s.ear_ring);
  return s;
}
