// Tetrahedra that a frame has turned inside out, turned back.
#ifndef MI_UNINVERT_H
#define MI_UNINVERT_H

#include "mesh/untangle_patch.h"
#include "solve/state.h"

#define MI_UNINVERT_VOLUME 0.005f // of a tetrahedron's volume at rest: less counts as inverted

// The pose that was uninverted last, and how.
typedef struct mi_uninverted_pose {
  bool is_any;
  bool is_cut;     // there was no time for all of it
  bool is_resumed; // it began where one that was cut had ended
  int nresumed;    // times that this went on with one and the same pose
  float *from;     // m, before                                                        (nvert x 3)
  int nbad, ninverted, nfree;
  int32_t *vert; // that were free                                                  (most_free)
  float *to;     // m, where they went                                              (most_free x 3)
} mi_uninverted_pose;

typedef struct mi_mender {
  mi_patch patch;
  int most_tet;
  int32_t *bad, *next; // tetrahedra whose motion is shared, and those after them       (most_tet)
  uint8_t *is_seen;    //                                                               (ntet)
  mi_uninverted_pose pose;
} mi_mender;

// Room for a patch of bounded size, made with the state.
struct mi_mender *mi_mender_create(const mien_face *face, mi_arena *arena);

// drive/uninvert_pose.c. Shapes are sound one by one (face/blendvolumes.h), but their sum need not
// be. Moves the inside of the posed flesh, at most some hundred vertices and a fixed number of
// steps, and never the skin; depends on the pose alone. `deadline` (mi_clock; 0 = none): what takes
// longer is cut off, and the next step with a deadline goes on from there. Fills nposed_mended and
// nposed_inverted of the info.
void mi_uninvert_pose(mien_state *state, float *posed, double deadline);

// Turns tetrahedra back that motion has inverted. First the inside gives way, as above, but within
// a limit when more than a few are inverted. Then the corners of the others are brought towards the
// motion they have in common, which takes a tetrahedron to its pose and keeps momentum. `skin_too`
// is false when contact decides where skin may be: no second part then. `is_sound`: the minimiser
// has seen that no tetrahedron is even nearly inverted.
void mi_uninvert_motion(mien_state *state, bool skin_too, bool is_sound);

// The open patch of flesh as a problem, with the limits that all uses share.
mi_untangle mi_uninvert_load(const mien_state *state, const float *flesh);
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
