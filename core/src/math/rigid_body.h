// The rigid motion in moving masses: what of their velocities is that of one rigid body.
#ifndef MI_RIGID_BODY_H
#define MI_RIGID_BODY_H

#include "math/vec.h"

#include <stdbool.h>

// v(x) = velocity + spin x (x - centre)
typedef struct mi_rigid_motion {
  mi_vec3 centre, velocity, spin;
} mi_rigid_motion;
// The motion with the linear and angular momentum of masses at x. Masses on one line get no spin.
mi_rigid_motion mi_rigid_fit(int nvert, const float *mass, const float *x, const float *v);
mi_vec3 mi_rigid_at(const mi_rigid_motion *rigid, const float *x);

// The same from sums over the masses; r = x - a reference point.
typedef struct mi_mass_sums {
  double mass, centre[3], second[6]; // sum m, m r, m (xx, yy, zz, xy, yz, zx)
} mi_mass_sums;
typedef struct mi_rigid_momenta {
  double velocity[3], spin[3]; // v(r) = velocity + spin x r
  double kinetic;              // J
} mi_rigid_momenta;
// Both momenta of a rigid motion by its velocity and spin, 6 x 6, as a block of a matrix whose rows
// are `stride` apart.
void mi_momentum_matrix(const mi_mass_sums *sums, int stride, double *a);
// False when the masses lie on one line.
bool mi_rigid_from_momenta(const mi_mass_sums *sums, const double momentum[3],
                           const double turning[3], mi_rigid_momenta *out);

// How a body has moved and turned between two placements of its masses (four floats a vertex).
typedef struct mi_body_turn {
  double mass, from[3], to[3], velocity[3]; // centres at both ends; the start's velocity
  double
      turn[9]; // about the axis of its angular momentum: it leaves energy and momenta as they are
} mi_body_turn;
mi_body_turn mi_body_turn_find(int nvert, const float *mass, const float *start, const float *first,
                               const float *end);

#endif
