// The one descent of every solver with a constant matrix: direction, bound, line search, accept.
#ifndef MI_DESCEND_H
#define MI_DESCEND_H

#include "solve/contacts.h"

typedef struct mi_descent mi_descent;

// How what touches pushes: planes (contact_rows.c) or the barrier (barrier.c). Both keep to the
// same bound.
typedef struct mi_contact_law {
  // Before a direction: rows and rank-1 rows of x_free, where the flesh is at the solver's x. False
  // when the energy is what it was.
  bool (*prepare)(mi_descent *d);
  // Energy with the flesh at x and the surface at `position`; its gradient is added to `total`.
  double (*push)(mi_descent *d, const float *x, const float *position, float *total);
  // s = (matrix + rows)^-1 q, or NULL: the factor does it.
  void (*apply_inverse)(mi_descent *d, const float *q, float *s);
} mi_contact_law;

struct mi_descent {
  mi_solver *solver;
  mien_state *state; // of contact, or NULL
  const mi_contact_law *law;
  const mien_input *input;
  const mien_step_opts *opts;
  mien_state_info *info;
  double deadline; // s, mi_clock; 0 = none
  // at solver->x
  mi_energies energies; // without contact
  double energy;        // with it
  float *total;         // gradient with it; the solver's is without
  float *trial_total;
  int sweeps;            // of a direction, where there is no factor
  int iteration;         // of this descent
  double farthest;       // m, the longest way of the direction along an axis
  int nprepared;         // times that rows were found
  int nmoved;            // soft vertices that the bound changed last
  const mi_rank1 *rank1; // rows in the matrix, as the history has to know them
  int nrank1;
  double *stretch;
  // of the barrier
  mi_barrier barrier;
  double most_kappa, least_gap, stiffness;
};

// Minimises from solver->x in place; fills iterations, energies and times of the info.
void mi_descend(mi_descent *d);

extern const mi_contact_law mi_contact_planes, mi_contact_barrier;

#endif
