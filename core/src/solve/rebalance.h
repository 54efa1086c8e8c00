// The stage after the artist's pose or material has changed.
#ifndef MI_REBALANCE_H
#define MI_REBALANCE_H

#include "solve/step.h"

// Offsets (moving, carried) from those of state->posed_before and weights_before to those of the
// moment looked at, by opts.rebalance.
void mi_rebalance(mi_step_run *run);

#endif
