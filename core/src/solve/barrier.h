// Contact by a barrier: Li et al. 2020 (IPC) on the skin, with the global step of Li et al. 2023.
#ifndef MI_BARRIER_DESCENT_H
#define MI_BARRIER_DESCENT_H

#include "solve/contacts.h"

// What the barrier needs of a state beyond mi_contacts; made by the first step that wants it.
struct mi_barrier_side {
  double *gradient;    // work space: of the barrier                                     (nvert x 3)
  mi_pair *pair;       // room for `close`                                   (candidates)
  mi_candidates close; // of near: what comes close on the way looked at
  float *trial;        // m, positions of the line search                    (nvert x 3)
  float *unheld;       // m, where a direction led before skin was held back      (nsoft x 3)
  mi_contact_hessian *hessian; //                                                    (active)
  mi_bar *bar;                 // of all contacts, the stiffest first                (3 active)
  int nbar;
  double
      *stretch; // of bars by the steps in the history                  (3 active x MI_LBFGS_MOST)
  float *aim;   // m, where colliders are to go in this step         (nvert - nsoft x 3)
  float *total; // the gradient with the barrier; the solver's is without      (flesh x 4)
  float *push, *trial_push; // of the barrier, at x and at the trial               (nsoft x 3)
  // conjugate gradients, rows of four                                               (flesh x 4)
  float *residual, *search, *product, *preconditioned;
  double *row; // (flesh x 3, twice)
};

// One descent on its way.
typedef struct mi_barrier_descent {
  mien_state *state;
  mi_solver *solver;
  mi_contacts *contacts;
  struct mi_barrier_side *side;
  const mien_step_opts *opts;
  mien_state_info *info;
  mi_barrier barrier;
  double energy;    // with the barrier, at solver->x
  double least;     // m, smallest gap there
  double stiffness; // N / m, of the lips, mean
  float step;       // of the trial
  double unheld;    // how far the direction is free as it was; 0 = it is as it was
} mi_barrier_descent;

// barrier_memory.c
mien_result mi_barrier_reserve(mien_state *state, mien_barrier_step kind, mien_error *err);
// barrier.c
// Minimises from the safe start in place, like mi_solver_descend, with a barrier between what is
// close. Everything accepted is free of crossings. False, and nothing has moved, when a gap is
// closed at the start, or a fold of the neutral that the pose presses.
bool mi_barrier_descend(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                        double deadline);

// barrier_global.c: the solver's direction = -(matrix + pulls + bars)^-1 total, the bars being the
// barrier's Hessians where it is. Returns its slope, below 0, or 0 when it leads nowhere.
double mi_barrier_find_direction(mi_barrier_descent *descent);

// barrier_pcg.c: s = (matrix + pulls + bars)^-1 q by conjugate gradients with the constant factor
// as preconditioner (eq. 5). Returns the iterations.
int mi_barrier_pcg(mien_state *state, const float *q, float *s);

#endif
