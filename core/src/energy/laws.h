// Set-up of a stencil for each law. Each returns false, with the stencil untouched, when the rest
// state or a constant makes no sense (a flat or inverted element, a negative weight, bounds the
// wrong way round, anything not finite).
//
// Weights are already multiplied by the element's measure: stiffness (Pa) x rest volume (m^3) = J
// for a tetrahedron; springs have N / m. With that a law means the same on a finer mesh (Bouaziz,
// 7.4).
#ifndef MI_LAWS_H
#define MI_LAWS_H

#include "energy/energy.h"

// -- Tetrahedra: rest (4 x 3), det(b - a, c - a, d - a) > 0 ------------------------------------

double mi_tet_volume(const double *rest);
// As rigid as possible, |F - R T|^2 (Barrielle & Stoiber, eq. 14). T = the target shape as a
// deformation gradient (3 x 3, row-major), NULL = identity; R = the rotation that brings T closest.
bool mi_strain_set_up(mi_stencil *stencil, const double *rest, double weight, const double *target);
// Keeps det F in [least, most], 0 < least <= most (B&S eq. 15; Bouaziz, 7.4.2, D.3). Equal bounds
// (1, or det T) are plain conservation.
bool mi_volume_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                      double most);

// -- Points --------------------------------------------------------------------------------------

// A spring of length zero from sum coef_i x_i to a point; weight in N / m.
bool mi_spring_set_up(mi_stencil *stencil, int nvert, const double *coef, double weight,
                      const double *target);

// -- Outer forces --------------------------------------------------------------------------------

// -m g . x; mass in kg, g in m / s^2.
bool mi_gravity_set_up(mi_stencil *stencil, double mass, const double *g);

typedef struct mi_wind {
  double velocity[3]; // of the air, m / s
  double density;     // of the air, kg / m^3 (1.2)
  double drag, lift;  // coefficients along the wind and across it, about 1
  int is_one_sided;   // skin of a solid: triangles that face away from the wind are sheltered
} mi_wind;
// The force (N) on a triangle at x (3 x 3) whose middle moves with `velocity`.
void mi_wind_force(const mi_wind *wind, const double *x, const double *velocity, double *force);
// Wind has no potential. Its force is taken at the start of the step and kept: -f . middle, the
// external force of Bouaziz, algorithm 2, line 1.
bool mi_wind_set_up(mi_stencil *stencil, const mi_wind *wind, const double *x,
                    const double *velocity);

#endif
