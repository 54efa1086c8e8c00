// A spring of length zero from a combination of vertices to a point: w/2 |G x - p|^2 with one row G
// and p in parameters 0 to 2. Inertia, attachments and sticking lips are such springs.
#ifndef MI_SPRING_H
#define MI_SPRING_H

#include "energy/reduce.h"

double mi_spring_value(const mi_stencil *stencil, const double *x);
void mi_spring_gradient(const mi_stencil *stencil, const double *x, double *gradient);
void mi_spring_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian);
void mi_spring_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p);

#endif
