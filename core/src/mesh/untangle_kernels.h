// The hot loops of untangling, one table per SIMD body (see math/wide.h). Lanes do what a loop over
// single tetrahedra would do, and their sums are added in its order: same bits in every body.
#ifndef MI_UNTANGLE_KERNELS_H
#define MI_UNTANGLE_KERNELS_H

#include "mesh/untangle.h"

typedef struct mi_untangle_kernels {
  // tetrahedra [begin, end): their energy at x; its gradient is added, unless that is NULL
  double (*energy)(const mi_untangle *u, const double *x, double e, int begin, int end,
                   double *gradient);
  // the least det J of all, and how many are not above 0
  void (*measure)(const mi_untangle *u, double *least, int *nbad);
} mi_untangle_kernels;

const mi_untangle_kernels *mi_untangle_kernels_best(void);

extern const mi_untangle_kernels mi_untangle_body_scalar, mi_untangle_body_avx2,
    mi_untangle_body_neon;

#endif
