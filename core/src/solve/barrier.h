// Contact by a barrier: Li et al. 2020 (IPC) on the skin, with the global step of Li et al. 2023.
#ifndef MI_BARRIER_DESCENT_H
#define MI_BARRIER_DESCENT_H

#include "solve/descend.h"

// What the barrier needs of a state beyond mi_contacts; made by the first step that wants it.
struct mi_barrier_side {
  double *gradient;            // work space: of the barrier                             (nvert x 3)
  mi_contact_hessian *hessian; //                                                        (active)
  mi_rank1 *rank1;             // of all contacts, the stiffest first                    (3 active)
  int nrank1;
  double *stretch; // of rank-1 rows by steps of the history          (3 active x MI_LBFGS_MOST)
  // conjugate gradients, rows of four                                               (flesh x 4)
  float *residual, *search, *product, *preconditioned;
  double *row; // (flesh x 3, twice)
};

// barrier_memory.c
mien_result mi_barrier_reserve(mien_state *state, mien_barrier_step kind, mien_error *err);
// barrier.c: distances and stiffness of a descent with the barrier.
void mi_barrier_begin(mi_descent *descent);
// barrier_global.c: the Hessians of the active set as rank-1 rows of the factor and the history.
void mi_barrier_find_rank1(mi_descent *descent);
// barrier_pcg.c: s = (matrix + spring rows + rank-1 rows)^-1 q by conjugate gradients with the
// constant factor as preconditioner (eq. 5). Returns the iterations.
int mi_barrier_pcg(mien_state *state, const float *q, float *s);

#endif
