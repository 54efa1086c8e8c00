// The baseline of D8 and D9 (Ichim et al. 2017, "Phace"): every tetrahedron has a symmetric target
// of its own, six unknowns each, found by Gauss-Newton with conjugate gradients over the same
// balance. It explains nearly any surface.
#ifndef MIEN_LAB_PER_TET_H
#define MIEN_LAB_PER_TET_H

#include "fit/muscle_balance.h"

// Finds the shapes (ntet x 6) for the expression's target, from rest; `rounds` at most. Leaves
// e->shape pointing at `shape`. Returns the rounds made, -1 when memory ends.
int per_tet_solve(mi_balance *b, mi_expression *e, int rounds, float *shape);

#endif
