// Singular values with a bounded product: what volume and area share.
#ifndef MI_PRODUCT_H
#define MI_PRODUCT_H

#include "energy/simplex.h"

// The point closest to s whose n values have the product `product` > 0. s0 >= s1 (>= |s2|), as
// singular values are; n = 2 or 3. Exact: all local minima are compared.
void mi_product_closest(int n, const double *s, double product, double *closest);

// Bounds in parameters 0 and 1 (mi_simplex_set_up_bounds), 0 < least.
void mi_product_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p);
void mi_product_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian);

#endif
