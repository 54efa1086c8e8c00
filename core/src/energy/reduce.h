// Projective laws share G, its transpose, and the value and gradient that follow from p.
#ifndef MI_REDUCE_H
#define MI_REDUCE_H

#include "energy/energy.h"

enum { MI_REDUCED_MOST = 9 }; // numbers in G x

typedef void mi_reduce_fn(const mi_stencil *stencil, const double *x, double *gx, double *p);

void mi_reduce_apply(const mi_stencil *stencil, const double *x, double *gx); // G x
// gradient = scale G'd
void mi_reduce_pull(const mi_stencil *stencil, const double *d, double scale, double *gradient);
// hessian = G'H G, H (3 nrow x 3 nrow)
void mi_reduce_pull_hessian(const mi_stencil *stencil, const double *h, double *hessian);

double mi_reduce_value(const mi_stencil *stencil, const double *x, mi_reduce_fn *reduce);
void mi_reduce_gradient(const mi_stencil *stencil, const double *x, mi_reduce_fn *reduce,
                        double *gradient);

bool mi_all_finite(const double *a, int count);

#endif
