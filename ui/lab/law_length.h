// One vector G x and the length it should have: what edges and bending share. The length is
// parameter 0.
#ifndef MIEN_LAB_LAW_LENGTH_H
#define MIEN_LAB_LAW_LENGTH_H

#include "energy/reduce.h"

void lab_length_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p);
void lab_length_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian);

#endif
