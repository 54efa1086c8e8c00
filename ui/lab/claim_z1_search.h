// Brute force against the projections: members of each law's set, made without projecting, and a
// search among them.
#ifndef MIEN_LAB_CLAIM_Z1_SEARCH_H
#define MIEN_LAB_CLAIM_Z1_SEARCH_H

#include "lab_laws.h"

typedef struct search_effort {
  int nsample; // members drawn at random
  int nstart;  // the best of them that are refined
  int nstep;   // tries to refine each
} search_effort;

// The distance from `point` (nrow x 3) to the closest member of the stencil's set that was found.
// Negative when the law's set is not known here.
double search_closest(const mi_law *law, const mi_stencil *stencil, const double *point,
                      const search_effort *effort, uint32_t number);

#endif
