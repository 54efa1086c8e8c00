// The head as a smooth solid: everything but lips, lids and ears, which are swept on top of it.
// Millimetres.
#ifndef SAMPLE_RIGS_HEAD_FORM_H
#define SAMPLE_RIGS_HEAD_FORM_H

#include "vec3.h"

// Signed distance, approximate: negative inside, slope close to 1 near the surface.
double head_form_distance(vec3 p);
// Nearest point of the surface for a point within a centimetre or so of it. Each round is a Newton
// step; PROJECT_FULLY is exact.
enum { PROJECT_NEARBY = 2, PROJECT_FULLY = 8 };
vec3 head_form_project(vec3 p, int rounds);
// Height of the front surface above (x, y).
double head_form_front(double x, double y);

double head_form_ellipsoid(vec3 p, vec3 centre, vec3 radius);
double head_form_capsule(vec3 p, vec3 a, vec3 b, double radius_a, double radius_b);
// Smooth union; `width` is the size of the fillet.
double head_form_join(double a, double b, double width);

#endif
