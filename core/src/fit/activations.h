// Activations and jaw of an expression, the shares held: Gauss-Newton on
//
//   1/2 mean |x - t|^2 (mm^2) + w_a/2 |a - 1|^2 + w_v/2 sum (det a - 1)^2 + weak pulls on the jaw
//
// (Dinev, eq. 4.4, 4.9, 4.10), x being in balance with them.
#ifndef MI_ACTIVATIONS_H
#define MI_ACTIVATIONS_H

#include "fit/muscle_balance.h"

typedef struct mi_muscle_weights {
  double activation, volume, shares; // w_a, w_v, w_s
} mi_muscle_weights;

// d residual / d unknowns at an expression that was linearised (3 nseen x nunknown); and, unless
// NULL, dx / d unknowns of all flesh (nunknown x 4 nvert). False when memory ends.
bool mi_activations_jacobian(mi_balance *b, const mi_expression *e, double *jacobian,
                             float *response);
// The minimised cost, at the expression's x.
double mi_activations_cost(const mi_balance *b, const mi_expression *e,
                           const mi_muscle_weights *weights, double *residual);
// Adds the pulls to a gradient (nunknown) and, unless NULL, to a matrix (nunknown x nunknown).
void mi_activations_pull(const mi_balance *b, const mi_expression *e,
                         const mi_muscle_weights *weights, double *gradient, double *matrix);
// Solves matrix step = -gradient so that no muscle leaves the range of stretches: those that would
// stop there, and the others make up for it. `work` has the matrix's size; of both the lower
// triangle counts. False when there is no step.
bool mi_activations_step(const mi_balance *b, const mi_expression *e, const double *matrix,
                         double *work, const double *gradient, double *step);
// Moves the expression by `share` of a step and balances it. False, with nothing changed, when a
// muscle would leave the range of stretches.
bool mi_activations_move(mi_balance *b, mi_expression *e, const double *step, double share,
                         int iterations);
// Up to `steps` steps of Gauss-Newton with the current Jacobian, and line searches; updates *cost.
// MIEN_OK, or MIEN_REMARK when no lower cost was found.
mien_result mi_activations_improve(mi_balance *b, mi_expression *e,
                                   const mi_muscle_weights *weights, int steps, double *cost,
                                   mien_error *err);

#endif
