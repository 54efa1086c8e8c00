// Keeping the energy of a substep: the stage after velocities.
#ifndef MI_ENERGY_KEPT_H
#define MI_ENERGY_KEPT_H

#include "solve/contacts.h"
#include "solve/motion.h"
#include "solve/step.h"

typedef struct mi_energy {
  mi_motion motion;
  float *lag;   // m, the offset at the start, where bones and pose have carried it    (nvert x 3)
  float *speed; // m / s, against the head: at the start, then at the end              (nvert x 3)
} mi_energy;

bool mi_energy_is_kept(const mien_step_opts *opts);
bool mi_energy_reserve(mien_state *state); // false when memory ends
// Before the head moves; then, with carried offsets in state->carried, mi_energy_lag; at the end of
// the substep mi_energy_keep.
void mi_energy_begin(const mi_step_run *run);
void mi_energy_lag(const mi_step_run *run);
void mi_energy_keep(const mi_step_run *run);

#endif
