// Clamped singular values: what the strain limits of tetrahedra and of triangles share.
#ifndef MIEN_LAB_LAW_LIMIT_H
#define MIEN_LAB_LAW_LIMIT_H

#include "energy/simplex.h"

// Bounds in parameters 0 and 1 (mi_simplex_set_up_bounds).
void lab_limit_reduce(const mi_stencil *stencil, const double *x, double *gx, double *p);
void lab_limit_hessian(const mi_stencil *stencil, const double *x, bool project, double *hessian);

#endif
