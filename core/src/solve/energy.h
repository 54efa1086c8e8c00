// Keeping the energy of a substep: the stage after velocities.
#ifndef MI_ENERGY_KEPT_H
#define MI_ENERGY_KEPT_H

#include "solve/contacts.h"
#include "solve/motion.h"
#include "solve/step.h"

typedef struct mi_energy {
  mi_motion motion;
  mi_drift frame_velocity; // when the substep began
  mi_energy_budget budget;
} mi_energy;

bool mi_energy_is_kept(const mien_step_opts *opts);
bool mi_energy_reserve(mien_state *state); // false when memory ends
// Before the head moves; then, with carried offsets in state->carried, mi_energy_lag; at the end of
// the substep mi_energy_keep. That takes and gives whether no tetrahedron is known to be inverted.
void mi_energy_begin(const mi_step_run *run);
void mi_energy_lag(const mi_step_run *run);
bool mi_energy_keep(const mi_step_run *run, bool is_sound);

#endif
