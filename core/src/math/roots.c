#include "math/roots.h"

#include <math.h>
#include <stdbool.h>

double mi_root_between(const mi_curve_point *a, const mi_curve_point *b) {
  double width = b->at - a->at, low = 0, high = 1;
  for (int k = 0; k < 30; k++) {
    double s = 0.5 * (low + high), r = 1 - s;
    double value = r * r * (1 + 2 * s) * a->value + s * s * (1 + 2 * r) * b->value +
                   s * r * width * (r * a->slope - s * b->slope);
    if ((value > 0) == (a->value > 0))
      low = s;
    else
      high = s;
  }
  return a->at + 0.5 * (low + high) * width;
}

double mi_root_beyond(const mi_curve_point *last, double bend) {
  double room = last->slope * last->slope - 2 * bend * last->value;
  if (!(room > 0) || !(last->slope * last->value < 0)) return INFINITY;
  double root = last->slope < 0 ? -sqrt(room) : sqrt(room);
  return last->at - 2 * last->value / (last->slope + root);
}
