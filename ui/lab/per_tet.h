// The baseline of D8 and D9 (Ichim et al. 2017, "Phace"): every tetrahedron has a symmetric target
// of its own, six unknowns each, and the jaw has its five; found by Gauss-Newton with conjugate
// gradients over the same balance. It explains nearly any surface.
#ifndef MIEN_LAB_PER_TET_H
#define MIEN_LAB_PER_TET_H

#include "fit/muscle_balance.h"

typedef struct per_tet_stop {
  int rounds;   // at most
  double error; // m: as soon as the skin is as close as that to the target; 0 = never
  double won;   // a round that wins less of the cost is the last
} per_tet_stop;

// Finds the shapes (ntet x 6) for the expression's target, from rest. Leaves e->shape pointing at
// `shape`. Returns the rounds made, -1 when memory ends.
int per_tet_solve(mi_balance *b, mi_expression *e, const per_tet_stop *stop, float *shape);

#endif
