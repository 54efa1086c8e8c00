// Random stencils of every law, for the claim and for the tests of the laws.
#ifndef MIEN_LAB_CLAIM_Z1_TRIALS_H
#define MIEN_LAB_CLAIM_Z1_TRIALS_H

#include "lab_laws.h"

typedef enum trial_kind {
  TRIAL_MODERATE, // somewhat deformed and turned
  TRIAL_WILD,     // any affine map, half of them inverted
  TRIAL_PRESSED,  // a fraction of the volume is left
  TRIAL_FLAT,     // all in a plane, a line or a point
  TRIAL_NKIND
} trial_kind;

typedef struct trial {
  mi_stencil stencil;
  mi_stencil asked; // the same with the bounds that were asked for, whatever set-up made of them
  double rest[3 * MI_STENCIL_MOST]; // where the law has no force
  double x[3 * MI_STENCIL_MOST];
  bool has_rest;    // there is such a place
  bool is_anchored; // in space: rigid motion changes the energy
} trial;

// The same number gives the same trial. False when the law is not known here.
bool trial_make(const mi_law *law, trial_kind kind, uint32_t number, trial *out);
// In [-1, 1)
double trial_random(uint32_t number, uint32_t at);

#endif
