// Activations frame after frame. How all flesh responds at rest is found once, with the matrix of
// the normal equations; each round is one step with them (a chord of Gauss-Newton): the response's
// transpose makes the gradient of the distance, the response says where the step takes the flesh,
// and a few iterations of the real-time solver go on from there. What the chord leaves out is
// second order in the distance that is left over; a round that goes much worse than foretold
// corrects the response. A round that foretells next to nothing is not made.
#ifndef MI_ACTIVATIONS_SOLVER_H
#define MI_ACTIVATIONS_SOLVER_H

#include "fit/activations.h"
#include "fit/response.h"
#include "fit/secants.h"

struct mien_activations {
  mien_activations_info info;
  mi_arena own; // it lies there
  mi_balance balance;
  mi_expression now;
  mi_muscle_weights weights;
  mi_response response; // dx of all flesh, at rest
  mi_secants secants;   // what frames have said against it
  double *matrix;       // J'J of a skin that is seen whole                  (nunknown x nunknown)
  double *left, *work;  // with what pulls, and its factor              (nunknown x nunknown)
  float *moved; // dx of the round's step                            (blocks of the response)
  float *off;   // what is left of the distance, on all flesh        (the same)
  double *step, *slope, *residual;
  float *activations, *contraction, *positions, *motion, *before_x, *before;
};

mien_result mi_activations_create(const mien_face *face, const mien_host *host,
                                  mien_activations **out, mien_error *err);
mien_result mi_activations_solve(mien_activations *solver, const mien_f32s *target, int rounds,
                                 mien_error *err);
void mi_activations_free(mien_activations *solver);

#endif
