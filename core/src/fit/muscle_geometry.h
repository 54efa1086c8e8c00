// The shares S of all expressions together, activations held (Dinev, eq. 4.8): projected
// Gauss-Newton. The direction is that of a few steps of conjugate gradients on
//
//   sum over expressions J'J + w_s
//
// J v and J'u being one solve with K each; the step ends in the simplex of each row, exactly.
#ifndef MI_MUSCLE_GEOMETRY_H
#define MI_MUSCLE_GEOMETRY_H

#include "fit/activations.h"

// 0 <= share, their sum <= 1: the closest such row (count).
void mi_share_project(int count, double *share);
// One step. `first` are the shares that w_s pulls to (nentry); *cost is the sum over all
// expressions, and updated. The face's shares change. MIEN_REMARK when no lower cost was found.
mien_result mi_geometry_improve(mi_balance *b, mi_expression *expressions, int count,
                                const float *first, const mi_muscle_weights *weights, double *cost,
                                mien_error *err);
double mi_geometry_cost(const mi_balance *b, const mi_expression *expressions, int count,
                        const float *first, const mi_muscle_weights *weights, double *residual);

#endif
