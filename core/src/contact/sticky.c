#include "contact/sticky.h"

#include <math.h>

static const double PAPER_RATE = 25; // frames a second of Barrielle & Stoiber

double mi_stick_break_probability(double length, double l0, double humidity) {
  // (1 - tanh(2 - r l0)) / 2 = 0.1
  double r = (2 - atanh(0.8)) / (l0 * humidity);
  return (1 - tanh(2 - r * length)) / 2;
}

float mi_stick_draw_limit(uint64_t seed, uint32_t frame, uint32_t vert) {
  return (float)-log1p(-mi_random_unit(seed, frame, vert));
}

bool mi_stick_age(mi_stick *stick, double length, double l0, double humidity, double dt) {
  // far beyond l0 p rounds to 1; 40 is more than any limit
  double p = mi_stick_break_probability(length, l0, humidity), loss = p < 1 ? -log1p(-p) : 40;
  stick->strain += (float)(dt * PAPER_RATE * loss);
  if (stick->strain < stick->limit) return false;
  *stick = (mi_stick){.corner = {-1, -1, -1}};
  return true;
}
