// A constant force on every vertex of a stencil: W(x) = sum over vertices of q . (x - o), q in
// parameters 0 to 2, o in 3 to 5. Its Hessian is zero.
#ifndef MI_LINEAR_H
#define MI_LINEAR_H

#include "energy/energy.h"

// The force (N) on each of nvert vertices, whose work counts from `origin` (NULL = 0).
bool mi_linear_set_up(mi_stencil *stencil, int nvert, const double *force, const double *origin);
double mi_linear_value(const mi_stencil *stencil, const double *x);
void mi_linear_gradient(const mi_stencil *stencil, const double *x, double *gradient);

#endif
