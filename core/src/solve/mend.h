// Tetrahedra that a frame has turned inside out, turned back.
#ifndef MI_MEND_H
#define MI_MEND_H

#include "solve/state.h"

// Of a state, made with it: room for a patch of bounded size. NULL in the state when memory ends.
struct mi_mender;
struct mi_mender *mi_mender_create(const mien_face *face, mi_arena *arena);

// Shapes are sound one by one (face/blendvolumes.h), but their sum need not be. Moves the inside of
// the posed flesh, at most some hundred vertices and a fixed number of steps, and never the skin;
// depends on the pose alone. Fills nposed_mended and nposed_inverted of the info.
void mi_mend_pose(mien_state *state, float *posed);

// What motion has inverted: first the inside gives way, as above, but within a limit when more than
// a few are. Then the corners of what is left
// are brought towards the motion they have in common, which takes a tetrahedron to its pose; that
// keeps momentum. `skin_too` is false when contact decides where skin may be: no second part then.
// `is_sound`: the minimiser has seen that no tetrahedron is even nearly inverted.
void mi_mend_motion(mien_state *state, double dt, bool skin_too, bool is_sound);

#endif
