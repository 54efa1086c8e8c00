// Muscles as target shapes (Li et al. 2023, eq. 1; Dinev, eq. 4.6): the law strain, w/2 |F - R
// T|^2, with a symmetric target per tetrahedron,
//
//   T = H (1 + sum over muscles s_j Q_j D_j Q_j') H,      f = 1 + (fat - 1) s_0
//
// H = f^(1/2) where flesh has no layers, as the thesis has it. Fat under skin is a layer: H there
// is 1 along the skin and f^(3/2) through it, the same volume.
//
// s = the tetrahedron's row of S (s_0 = what is passive), D_j = the muscle's activation minus 1 in
// the frame Q_j of its fibre. w is stiffness x rest volume: the thesis prints mu / v, but work is
// force times way, and a sum over elements that is to mean the same on a finer mesh weighs each by
// its volume. Fat grows what is passive: the printed f (1 - s_0) + f s_0 is f everywhere, and what
// is meant is 1 (1 - s_0) + f s_0.
//
// Volume is kept by the law volume, whose determinant is f^3, not det T: flesh stays as large as it
// was whatever a muscle wants, as the thesis's term lambda tr(S - 1)^2 has it to the first order
// (ui/lab/law_trace.c).
//
// Symmetric matrices are xx, xy, xz, yy, yz, zz.
#ifndef MI_MUSCLE_H
#define MI_MUSCLE_H

#include "energy/elastic.h"
#include "face/face.h"

// Target shapes and volumes of the tetrahedra.
typedef struct mi_actuation {
  float *shape;  // T                                                                 (ntet x 6)
  float *volume; // f^3                                                               (ntet)
} mi_actuation;

// From activations minus 1, in the muscles' frames (count x 6).
void mi_muscle_actuate(const mien_face *face, const float *activation, double fat,
                       mi_actuation *out);

// The activation minus 1 of a contraction along the fibre that keeps the volume.
void mi_muscle_contract(double contraction, float activation[MI_ACTIVATION]);

// Q D Q' of a symmetric D.
void mi_muscle_turn(const float *frame, const double d[6], double out[6]);

void mi_symmetric_unpack(const double a[6], double matrix[9]);
double mi_symmetric_det(const double a[6]);
void mi_symmetric_cofactor(const double a[6], double out[6]); // d det / da, by matrix entries
// Stretches, the smallest and the largest eigenvalue.
void mi_symmetric_range(const double a[6], double *least, double *most);

// How the stress P = w (F - R T) of an element changes with its target: dP = -w (dR T + R dT). F
// and T are 3 x 3, row-major.
typedef struct mi_shape_slope {
  double r[9], t[9];       // R and T
  double u[9], s[3], v[9]; // F T = U diag(s) V'
  double f[9];
} mi_shape_slope;
void mi_shape_slope_at(const double f[9], const double t[9], mi_shape_slope *slope);
void mi_shape_slope_apply(const mi_shape_slope *slope, const double dt[9], double dp[9]); // w = 1
// The transpose: d/dT of (dP : y).
void mi_shape_slope_apply_transposed(const mi_shape_slope *slope, const double y[9], double out[9]);

#endif
