// Textbook laws that the product does not simulate: what claim Z1 and the tests compare with. Each
// set-up returns false, with the stencil untouched, when the rest state or a constant makes no
// sense (energy/laws.h). Weights have the element's measure: stiffness (N / m) x rest area for a
// triangle.
#ifndef MIEN_LAB_LAWS_H
#define MIEN_LAB_LAWS_H

#include "energy/laws.h"

extern const mi_law lab_law_strain_limit, lab_law_triangle_strain, lab_law_triangle_area,
    lab_law_example, lab_law_bending, lab_law_edge, lab_law_plane, lab_law_stvk, lab_law_trace;
// All laws there are: those of mi_laws first, then these.
const mi_law *lab_law(int number);
int lab_nlaw(void);

// -- Tetrahedra: rest (4 x 3), det(b - a, c - a, d - a) > 0 ------------------------------------

// Keeps the singular values of F in [least, most], 0 <= least <= most; no force inside (7.4.1,
// D.2).
bool lab_strain_limit_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                             double most);
// mu tr(E^2) + lambda/2 (det F - 1)^2, times the rest volume (Kozlov et al., eq. 5, which prints
// tr(E)^2); mu and lambda in Pa.
bool lab_stvk_set_up(mi_stencil *stencil, const double *rest, double mu, double lambda);
// w/2 tr(S - 1)^2 (Dinev, eq. 4.1)
bool lab_trace_set_up(mi_stencil *stencil, const double *rest, double weight);

// -- Triangles: rest (3 x 3) ---------------------------------------------------------------------

// Singular values of the 3x2 gradient in [least, most]; 1, 1 = as rigid as possible (eq. 7.16).
bool lab_triangle_strain_set_up(mi_stencil *stencil, const double *rest, double weight,
                                double least, double most);
// The ratio of area in [least, most], 0 < least <= most (7.4.2).
bool lab_triangle_area_set_up(mi_stencil *stencil, const double *rest, double weight, double least,
                              double most);

// -- Both ----------------------------------------------------------------------------------------

enum { LAB_EXAMPLES_MOST = 4 };
typedef struct lab_examples {
  int nvert;              // 4 = tetrahedra, 3 = triangles
  const double *rest;     //                                                        (nvert x 3)
  int count;              // at most LAB_EXAMPLES_MOST; 0 = as rigid as possible
  const double *position; // of the examples                                (count x nvert x 3)
} lab_examples;
// Shapes between and beyond the examples are free (Bouaziz, 7.4.3, D.6): |F - R H(v)|^2, the
// smallest over rotations R and example weights v. The weights are local and without bounds, as
// printed, so that only the space the examples span counts; copies of the rest state are harmless.
bool lab_example_set_up(mi_stencil *stencil, const lab_examples *examples, double weight);

// -- Curves and points ---------------------------------------------------------------------------

// w/2 (|b - a| - length)^2; length >= 0 in m, weight in N / m.
bool lab_edge_set_up(mi_stencil *stencil, double weight, double length);
// Mean curvature of a vertex and its one-ring, against that of the rest state (7.4.4, D.7):
// w/2 | sum c_i x_i - R v |^2. Positions: the vertex first, then its neighbours. c_i = cotangent
// weight (half the two cotangents) / Voronoi area, in 1 / m^2, one per neighbour. weight =
// stiffness (J) x that area.
bool lab_bending_set_up(mi_stencil *stencil, int nvert, const double *rest, const double *cotangent,
                        double weight);
// Half the sum of two cotangents per neighbour over the mixed Voronoi area, for a closed fan:
// neighbours in order around vertex 0. Returns that area (m^2), 0 when it is not finite.
double lab_bending_cotangents(int nvert, const double *rest, double *cotangent);
// The half space normal . (x - point) >= 0, unit normal; no force inside (7.5).
bool lab_plane_set_up(mi_stencil *stencil, double weight, const double *point,
                      const double *normal);

#endif
