// Lips that stick and peel (Barrielle & Stoiber 4.3).
#ifndef MI_STICKY_H
#define MI_STICKY_H

#include "base/base.h"

// A vertex of the contact surface sticks to a triangle. A state keeps one for each soft vertex.
typedef struct mi_stick {
  int32_t corner[3];      // soft vertices of the triangle; corner[0] = -1: nothing
  float coef[3];          // of its corners, sum 1
  float strain;           // sum of -log(1 - p) since it formed
  float limit;            // it breaks when the strain gets here
  float time_since_break; // s since it broke; large = never stuck
} mi_stick;

static inline mi_stick mi_stick_none(void) {
  return (mi_stick){.corner = {-1, -1, -1}, .time_since_break = 1e6f};
}

// Eq. 16: how likely a spring of length l is to break in one frame of the paper (1 / 25 s), with r
// such that it is 0.1 at l0. Humidity divides r: 2 = holds at twice the length.
double mi_stick_break_probability(double length, double l0, double humidity);

// The paper draws a number every frame. Drawing the whole sum of -log(1 - p) that a spring will
// bear once, when it forms, has the same distribution, does not depend on the frame rate, and lets
// a spring break at the same moment at 25 and at 120 frames a second.
float mi_stick_draw_limit(uint64_t seed, uint32_t frame, uint32_t vert);
// Takes a spring `dt` further at this length. True when it broke.
bool mi_stick_age(mi_stick *stick, double length, double l0, double humidity, double dt);

#endif
