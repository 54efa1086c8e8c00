// The nearest shape that examples allow: rotation and example weights together.
#ifndef MIEN_LAB_LAW_EXAMPLE_FIT_H
#define MIEN_LAB_LAW_EXAMPLE_FIT_H

#include "energy/simplex.h"

// p = B(v) Q with B(v) = [I | 0] + sum v_i N_i, the directions N_i orthonormal       (n x 3)
typedef struct lab_example_set {
  int n, ndirection;
  const double *direction; // (ndirection x 9), n x 3 numbers used of each nine
} lab_example_set;

typedef struct lab_example_fit {
  double q[9], v[4];
  double p[9];
  double distance; // |D - p|^2
} lab_example_fit;

// The member of the set that is closest to D (given with its singular values).
void lab_example_fit_closest(const lab_example_set *set, const mi_stretch *stretch,
                             lab_example_fit *fit);
// dp/dD at a closest member                                                          (3n x 3n)
void lab_example_fit_derive(const lab_example_set *set, const double *d, const lab_example_fit *fit,
                            double *derivative);

#endif
