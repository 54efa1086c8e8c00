// Tetrahedra and triangles: the map to the deformation gradient, and laws that depend on its
// singular values alone (isotropic laws).
//
// D = G x is the deformation gradient transposed, n x 3 with n = nvert - 1, D = U diag(s) V'. A
// triangle's D is 2 x 3: its rest state is laid into a plane first.
#ifndef MI_SIMPLEX_H
#define MI_SIMPLEX_H

#include "energy/reduce.h"

// Fills nvert, nrow and G. False when the element is flat or inverted at rest.
bool mi_simplex_set_up(mi_stencil *stencil, int nvert, const double *rest);
// The same with a weight and two bounds as parameters 0 and 1; 0 <= least <= most.
bool mi_simplex_set_up_bounds(mi_stencil *stencil, int nvert, const double *rest, double weight,
                              const double bounds[2]);

typedef struct mi_stretch {
  int n;             // singular values
  double u[9], s[3]; // U (n x n)
  double v[9];       // (3 x 3), a rotation
  double d[9];       // G x                                                       (n x 3)
} mi_stretch;
void mi_stretch_of(const mi_stencil *stencil, const double *x, mi_stretch *stretch);
void mi_stretch_compose(const mi_stretch *stretch, const double *s, double *out); // U diag(s) V'

// First and second derivatives of a law W(s) by singular values, and what they become for changes
// that turn the singular vectors. Pair k is (k + 1, k + 2) mod 3; a triangle has pair 2 = (0, 1).
typedef struct mi_curvature {
  double first[3];
  double second[9]; // (n x n)
  double twist[3];  // (first_i + first_j) / (s_i + s_j)
  double flip[3];   // (first_i - first_j) / (s_i - s_j)
  double lift[2];   // triangles: first_i / s_i, out of the plane
} mi_curvature;
// Fills twist, flip and lift from first and second where they have no better formula.
void mi_curvature_complete(const mi_stretch *stretch, mi_curvature *curvature);
// The Hessian by x; `project` clamps each of its known eigenvalues.
void mi_simplex_hessian(const mi_stencil *stencil, const mi_stretch *stretch,
                        const mi_curvature *curvature, bool project, double *hessian);
// The unit change of D that twists a pair: U (e_i e_j' - e_j e_i') V' / sqrt(2).        (n x 3)
void mi_twist_mode(const mi_stretch *stretch, int pair, double *q);

#endif
