// Tetrahedra that a frame has turned inside out, turned back.
#ifndef MI_UNINVERT_H
#define MI_UNINVERT_H

#include "solve/state.h"

// Room for a patch of bounded size, made with the state.
struct mi_mender;
struct mi_mender *mi_mender_create(const mien_face *face, mi_arena *arena);

// Shapes are sound one by one (face/blendvolumes.h), but their sum need not be. Moves the inside of
// the posed flesh, at most some hundred vertices and a fixed number of steps, and never the skin;
// depends on the pose alone. `deadline` (mi_clock; 0 = none): what takes longer is cut off, and the
// next step with a deadline goes on from there. Fills nposed_mended and nposed_inverted of the
// info.
void mi_uninvert_pose(mien_state *state, float *posed, double deadline);

// Turns tetrahedra back that motion has inverted. First the inside gives way, as above, but within
// a limit when more than a few are inverted. Then the corners of the others are brought towards the
// motion they have in common, which takes a tetrahedron to its pose and keeps momentum. `skin_too`
// is false when contact decides where skin may be: no second part then. `is_sound`: the minimiser
// has seen that no tetrahedron is even nearly inverted.
void mi_uninvert_motion(mien_state *state, bool skin_too, bool is_sound);

// Turns the inside of flesh back where state->volume says that it is inverted, with about `effort`
// evaluations of single tetrahedra (0 = no limit); state->volume is that after it.
void mi_uninvert_inside(mien_state *state, float *flesh, int effort);

// Tetrahedra, in one of the mender's two lists.
typedef struct mi_uninvert_list {
  int32_t *tet;
  int count;
} mi_uninvert_list;
// Those that state->volume says are inverted.
mi_uninvert_list mi_uninvert_list_inverted(mien_state *state);
// Those at the vertices of a list with no more than `share` of their volume at rest, each once; in
// the other list.
mi_uninvert_list mi_uninvert_list_around(mien_state *state, const float *flesh, float share,
                                         mi_uninvert_list list);

// The corners of a tetrahedron, but those that are held (NULL = none), come nearer to the weighted
// mean of their values: of `at` minus `from` (NULL = 0), three a vertex.
void mi_uninvert_share(const int32_t tet[4], const float weight[4], const bool *is_held,
                       float share, const float *from, float *at);

// uninvert_pressed.c: turns back what is inverted at the solver's x, after a descent with contact.
void mi_uninvert_pressed(mien_state *state);

#endif
