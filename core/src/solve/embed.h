// A face that simulates a coarser rig than the one it shows: in and out.
#ifndef MI_EMBED_H
#define MI_EMBED_H

#include "solve/state.h"

bool mi_embed_reserve(mien_state *state); // false when memory ends
// The input for the coarser rig: a host's pose at the vertices that it has. `own` is for the
// answer.
const mien_input *mi_embed_input(mien_state *state, const mien_input *given, mien_input *own);
// Fills the render skin: the artist's pose plus the offset of the coarse rig. Without an offset it
// is the pose to the bit.
void mi_embed_show(mien_state *state, const mien_input *given);

#endif
