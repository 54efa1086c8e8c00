// Contact on the skin the camera sees, where a coarser one is simulated: flesh is kept apart by the
// coarser skin; what still crosses on the finer one, by less than the two differ, is put apart
// here. Nothing that is not in the way is touched, to the bit.
#ifndef MI_SHOWN_H
#define MI_SHOWN_H

#include "solve/state.h"

// What that needs, made by the first step with contact; nothing where no coarser skin is simulated.
mien_result mi_shown_prepare(mien_state *state, mien_error *err);
// Where the shown skin that can touch and the colliders are: `to` as state->shown has them.
void mi_shown_read(const mien_state *state, float *to);
// Before a step: where they are.
void mi_shown_remember(mien_state *state);
// After it: what crosses is put apart; nothing does when this is done, if nothing did before the
// step.
void mi_shown_part(mien_state *state, const mien_step_opts *opts);
void mi_shown_forget(mien_state *state); // nothing was put apart

// left_out.c
bool mi_left_out_prepare(mien_state *state); // false when memory ends
// Before a step's contacts are looked for: which pieces of the simulated skin take no part, as they
// cross only because they are coarser than what is shown. `given`: the artist's, as it is shown.
void mi_left_out_find(mien_state *state, const mien_input *given, const mien_step_opts *opts);

#endif
