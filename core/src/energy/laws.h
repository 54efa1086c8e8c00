// Set-up of a stencil for each law. Each returns false, with the stencil untouched, when the rest
// state or a constant makes no sense (a flat or inverted element, a negative weight, bounds the
// wrong way round, anything not finite).
//
// Weights are already multiplied by the element's measure: stiffness (Pa) x rest volume (m^3) = J
// for a tetrahedron, stiffness (N / m) x rest area for a triangle; springs have N / m. With that a
// law means the same on a finer mesh (Bouaziz, 7.4).
#ifndef MI_LAWS_H
#define MI_LAWS_H

#include "energy/energy.h"

// -- Tetrahedra: rest (4 x 3), det(b - a, c - a, d - a) > 0 ------------------------------------

double mi_tet_volume(const double *rest);
// As rigid as possible, |F - R T|^2 (Barrielle & Stoiber, eq. 14). T = the shape aimed for as a
// deformation gradient (3 x 3, row-major), NULL = identity; R = the rotation that brings T closest.
bool mi_strain_set_up(mi_stencil *stencil, const double *rest, double weight, const double *target);
// Keeps det F in [least, most], 0 < least <= most (B&S eq. 15; Bouaziz, 7.4.2, D.3). Equal bounds
// (1, or det T) are plain conservation.
bool mi_volume_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                      double most);
// Keeps the singular values of F in [least, most], 0 <= least <= most; no force inside (7.4.1,
// D.2).
bool mi_strain_limit_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                            double most);
// mu tr(E^2) + lambda/2 (det F - 1)^2, times the rest volume (Kozlov et al., eq. 5, which prints
// tr(E)^2); mu and lambda in Pa.
bool mi_stvk_set_up(mi_stencil *stencil, const double *rest, double mu, double lambda);

// -- Triangles: rest (3 x 3) ---------------------------------------------------------------------

double mi_triangle_rest_area(const double *rest);
// Singular values of the 3x2 gradient in [least, most]; 1, 1 = as rigid as possible (eq. 7.16).
bool mi_triangle_strain_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                               double most);
// The ratio of area in [least, most], 0 < least <= most (7.4.2).
bool mi_triangle_area_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                             double most);

// -- Both ----------------------------------------------------------------------------------------

enum { MI_EXAMPLES_MOST = 4 };
typedef struct mi_examples {
  int nvert;              // 4 = tetrahedra, 3 = triangles
  const double *rest;     //                                                        (nvert x 3)
  int count;              // at most MI_EXAMPLES_MOST; 0 = as rigid as possible
  const double *position; // of the examples                                (count x nvert x 3)
} mi_examples;
// Shapes between and beyond the examples are free (Bouaziz, 7.4.3, D.6): |F - R H(v)|^2, the
// smallest over rotations R and example weights v. The weights are local and without bounds, as
// printed, so that only the space the examples span counts; copies of the rest state are harmless.
bool mi_example_set_up(mi_stencil *stencil, const mi_examples *examples, double weight);

// -- Curves and points ---------------------------------------------------------------------------

// w/2 (|b - a| - length)^2; length >= 0 in m, weight in N / m.
bool mi_edge_set_up(mi_stencil *stencil, double weight, double length);
// Mean curvature of a vertex and its one-ring, against that of the rest state (7.4.4, D.7):
// w/2 | sum c_i x_i - R v |^2. Positions: the vertex first, then its neighbours. c_i = cotangent
// weight (half the two cotangents) / Voronoi area, in 1 / m^2, one per neighbour. weight =
// stiffness (J) x that area.
bool mi_bending_set_up(mi_stencil *stencil, int nvert, const double *rest, const double *cotangent,
                       double weight);
// Half the sum of two cotangents per neighbour over the mixed Voronoi area, for a closed fan:
// neighbours in order around vertex 0. Returns that area (m^2), 0 when it is not finite.
double mi_bending_cotangents(int nvert, const double *rest, double *cotangent);
// A spring of length zero to a point that may move.
bool mi_attachment_set_up(mi_stencil *stencil, double weight, const double *target);
void mi_attachment_set_target(mi_stencil *stencil, const double *target);
// The half space normal . (x - point) >= 0, unit normal; no force inside (7.5).
bool mi_plane_set_up(mi_stencil *stencil, double weight, const double *point, const double *normal);

// -- Outer forces --------------------------------------------------------------------------------

// -m g . x; mass in kg, g in m / s^2.
bool mi_gravity_set_up(mi_stencil *stencil, double mass, const double *g);

typedef struct mi_wind {
  double velocity[3]; // of the air, m / s
  double density;     // of the air, kg / m^3 (1.2)
  double drag, lift;  // coefficients along the wind and across it, about 1
  int is_one_sided;   // the skin of a solid: triangles that look away from the wind are sheltered
} mi_wind;
// The force (N) on a triangle at x (3 x 3) whose middle moves with `velocity`.
void mi_wind_force(const mi_wind *wind, const double *x, const double *velocity, double *force);
// Wind has no potential. Its force is taken at the start of the step and kept: -f . middle, the
// external force of Bouaziz, algorithm 2, line 1.
bool mi_wind_set_up(mi_stencil *stencil, const mi_wind *wind, const double *x,
                    const double *velocity);

#endif
