// Activations frame after frame. The Jacobian is that of the muscles at rest, found once, with the
// matrix of its normal equations; each round is one step with it (a chord of Gauss-Newton), so that
// a frame costs a product with the Jacobian, one with the response of all flesh, which says where a
// step takes it, and a few iterations of the real-time solver from there. What the chord leaves out
// is second order in the distance that is left over.
#ifndef MI_ACTIVATIONS_SOLVER_H
#define MI_ACTIVATIONS_SOLVER_H

#include "fit/activations.h"

struct mien_activations {
  mien_activations_info info;
  mi_arena own; // it lies there
  mi_balance balance;
  mi_expression now;
  mi_muscle_weights weights;
  double *jacobian; // (3 nseen x nunknown), for a skin that is seen whole
  double *matrix;   // J'J                                             (nunknown x nunknown)
  double *left;     // with what pulls, then its factor                (nunknown x nunknown)
  float *response;  // dx of all flesh, at rest                        (nunknown x 4 nvert)
  float *moved;     // dx of the round's step                          (4 nvert)
  double *step, *residual;
  float *activations, *contraction, *positions, *motion, *before_x, *before;
};

mien_result mi_activations_create(const mien_face *face, const mien_host *host,
                                  mien_activations **out, mien_error *err);
mien_result mi_activations_solve(mien_activations *solver, const mien_f32s *target, int rounds,
                                 mien_error *err);
void mi_activations_free(mien_activations *solver);

#endif
