// The barrier between two surfaces that come close: Li et al. 2020, Incremental Potential Contact,
// with the clamped logarithm (eq. 6) in terms of the distance itself, and an offset as in Li et al.
// 2021, Codimensional IPC.
//
//   E = kappa A m(c) b(d - xi),   b(g) = -(g - d_hat)^2 ln(g / d_hat) for g < d_hat, else 0
//
// A: area of the pair, xi: its offset (least separation), m: mollifier of nearly parallel edges
// (eq. 24), c = |u x v|^2 of the two edges.
#ifndef MI_BARRIER_H
#define MI_BARRIER_H

#include "base/base.h"

typedef struct mi_barrier {
  double d_hat; // m, > 0: from this gap on nothing is felt
  double kappa; // N / m^3
} mi_barrier;

// Holds b and its derivatives for kappa = 1. A gap of 0 or less has an infinite value and no slope:
// never NaN.
typedef struct mi_barrier_value {
  double value, first, second;
} mi_barrier_value;
mi_barrier_value mi_barrier_at(double gap, double d_hat);

// A pair that is close, with its closest points at the positions it was found at.
typedef struct mi_contact {
  int32_t vert[4];
  unsigned char is_edges; // edge-edge 0, 1 against 2, 3; else vertex 0 against triangle 1, 2, 3
  unsigned char support;  // as mi_closest
  bool is_kept;           // of the caller's
  float area;             // m^2
  float offset;           // xi, m
  float parallel;         // edges are nearly parallel below this |u x v|^2, m^4; 0 = never
  double distance;        // m
  double mollifier;       // m(c), 1 unless edges are nearly parallel
  double coef[4];
  double normal[3]; // unit, r / d; zero when d = 0
} mi_contact;

// Fills everything but area, offset and parallel from the positions of its four vertices.
void mi_contact_measure(mi_contact *contact, const float *position);

double mi_contact_energy(const mi_contact *contact, const mi_barrier *barrier);
// (4 x 3), exact, mollifier included. `position` as in mi_contact_measure.
void mi_contact_gradient(const mi_contact *contact, const mi_barrier *barrier,
                         const float *position, double gradient[12]);

// sum weight_k v_k v_k': at most three terms, unit vectors, positive weights, largest first.
typedef struct mi_contact_hessian {
  int count;
  double weight[3];     // N / m
  double vector[3][12]; // (4 x 3)
} mi_contact_hessian;
// The Hessians of `count` contacts, without their negative eigenvalues. The mollifier counts as a
// constant factor.
void mi_contact_hessians_psd(const mi_contact *contact, int count, const mi_barrier *barrier,
                             const float *position, mi_contact_hessian *hessian);

// -- Stiffness: Li et al. 2020, supplement section 3 ----------------------------------------------

// The kappa whose barrier on area `area` is as stiff as `stiffness` (N / m) when the gap is `share`
// of d_hat.
double mi_kappa_for_stiffness(double stiffness, double area, double d_hat, double share);
// Doubles kappa, up to `most`, when the smallest gap was below `threshold`, is so again and shrank.
double mi_kappa_adapt(double kappa, double most, double gap_before, double gap_now,
                      double threshold);

#endif
