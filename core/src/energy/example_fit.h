// The nearest shape that examples allow: rotation and example weights together.
#ifndef MI_EXAMPLE_FIT_H
#define MI_EXAMPLE_FIT_H

#include "energy/simplex.h"

// p = B(v) Q with B(v) = [I | 0] + sum v_i N_i, the directions N_i orthonormal       (n x 3)
typedef struct mi_example_set {
  int n, ndirection;
  const double *direction; // (ndirection x 9), n x 3 numbers used of each nine
} mi_example_set;

typedef struct mi_example_fit {
  double q[9], v[4];
  double p[9];
  double distance; // |D - p|^2
} mi_example_fit;

// The member of the set that is closest to D (given with its singular values).
void mi_example_fit_closest(const mi_example_set *set, const mi_stretch *stretch,
                            mi_example_fit *fit);
// dp/dD at a closest member                                                          (3n x 3n)
void mi_example_fit_derive(const mi_example_set *set, const double *d, const mi_example_fit *fit,
                           double *derivative);

#endif
