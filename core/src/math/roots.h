// Roots of a function from points at which its value and slope are known.
#ifndef MI_ROOTS_H
#define MI_ROOTS_H

typedef struct mi_curve_point {
  double at, value, slope;
} mi_curve_point;

// The root of the cubic through two points whose values have different signs, by bisection.
double mi_root_between(const mi_curve_point *a, const mi_curve_point *b);
// The root of the parabola through a point with this second derivative, on the side where its size
// falls. INFINITY when there is none.
double mi_root_beyond(const mi_curve_point *last, double bend);

#endif
