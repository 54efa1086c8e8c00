// The creature's skin without mouth, eyes and tentacles: the zero set of a smooth blend of
// ellipsoids, star-shaped around the origin.
#ifndef CREATURE_SURFACE_H
#define CREATURE_SURFACE_H

#include "vec3.h"

enum { SURFACE_ROOTS = 8 };

typedef struct creature_surface {
  int is_plain; // 1: only the large forms, for the bone under them
  int nroot;    // little hills the tentacles grow out of
  vec3 root[SURFACE_ROOTS];
  vec3 root_direction[SURFACE_ROOTS];
  double root_radius[SURFACE_ROOTS];
} creature_surface;

// Negative inside; about the distance in metres near the surface.
double creature_surface_distance(const creature_surface *surface, vec3 p);
vec3 creature_surface_normal(const creature_surface *surface, vec3 p);

// Where a ray from the origin leaves the surface.
vec3 creature_surface_at(const creature_surface *surface, vec3 direction);

// The same for any field that is negative at `centre` and positive 0.4 m away.
typedef double creature_field(const void *context, vec3 p);
vec3 creature_field_exit(creature_field *field, const void *context, vec3 centre, vec3 direction);

#endif
