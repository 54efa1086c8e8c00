// The laws of tetrahedra share their elements, target shapes and fast body (elastic.h).
#ifndef MI_TETRAHEDRON_H
#define MI_TETRAHEDRON_H

#include "energy/energy.h"

int mi_tet_count(const mi_flesh *flesh);
// Rest positions of the corners (4 x 3) and their places in solver order (4).
void mi_tet_corners(const mi_flesh *flesh, int element, double *rest, int32_t *vert);
// The target shape as a deformation gradient (3 x 3, row-major) from that rest state.
void mi_tet_target(const mi_flesh *flesh, int element, const double *rest, const int32_t *vert,
                   double *target);
// The body of strain and volume.
void mi_tet_body(const mi_flesh *flesh, const float *x, float *gradient, mi_energies *energies);

#endif
