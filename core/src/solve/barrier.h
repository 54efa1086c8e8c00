// Contact by a barrier: Li et al. 2020 (IPC) on the skin, with the global step of Li et al. 2023.
#ifndef MI_BARRIER_DESCENT_H
#define MI_BARRIER_DESCENT_H

#include "solve/descend.h"

// The barrier's own part of a state. The first step that wants it makes it.
struct mi_barrier_side {
  double *gradient;            // work space: of the barrier                             (nvert x 3)
  mi_contact_hessian *hessian; //                                                        (active)
  mi_rank1 *rank1;             // of all contacts, the stiffest first                    (3 active)
  int nrank1;
  double *stretch; // of rank-1 rows by steps of the history          (3 active x MI_LBFGS_MOST)
  mi_pcg_work pcg; // NULL pointers = not wanted yet
};

// barrier.c: room, made by the first step that wants it; distances and stiffness of a descent.
mien_result mi_barrier_reserve(mien_state *state, mien_barrier_step kind, mien_error *err);
void mi_barrier_begin(mi_descent *descent);
// barrier_global.c: the Hessians of the active set as rank-1 rows of the factor and the history.
void mi_barrier_find_rank1(mi_descent *descent);

#endif
