// Contact on the skin the camera sees, where a coarser one is simulated: flesh is kept apart by the
// coarser skin; what still crosses on the finer one, by less than the two differ, is put apart
// here. Nothing that is not in the way is touched, to the bit.
#ifndef MI_SHOWN_H
#define MI_SHOWN_H

#include "solve/state.h"

// What that needs, made by the first step with contact; nothing where no coarser skin is simulated.
mien_result mi_shown_prepare(mien_state *state, mien_error *err);
// Before a step: where the shown skin and the colliders are.
void mi_shown_remember(mien_state *state);
// After it: what crosses is put apart; nothing does when this is done, if nothing did before the
// step.
void mi_shown_part(mien_state *state, const mien_step_opts *opts);
void mi_shown_forget(mien_state *state); // nothing was put apart

#endif
