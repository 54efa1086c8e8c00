// The stage after the artist's pose or material has changed.
#ifndef MI_REBALANCE_H
#define MI_REBALANCE_H

#include "solve/step.h"

// Moves the offsets (dynamics, transported) from the pose and material of posed_before and
// weights_before to those of the current moment, by opts.rebalance.
void mi_rebalance(mi_step_run *run);

#endif
