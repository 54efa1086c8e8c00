// Inputs between two steps, interpolated.
#ifndef MI_SUBSTEP_H
#define MI_SUBSTEP_H

#include "solve/state.h"

typedef struct mi_substep {
  mien_input input;              // at the moment asked for
  mien_rigid head;               // at the start
  float *weights, *weights_from; // (nshape)
  float *pose, *pose_from;       // NULL = no host gave a pose yet                (rig nvert x 3)
  mien_rigid *collider;          // (nuser)
  float *activations;            // (nmuscle x 6)
} mi_substep;

// Makes room; false when memory ends.
bool mi_substep_reserve(mien_state *state, const mien_input *input);
// Remembers where the state is: the start of a step.
void mi_substep_begin(mien_state *state);
// The input at `share` of the way to `to`; `to` itself at 1. Weights and posed vertices on straight
// lines (so a jaw that follows a weight turns about its hinge), transforms by mi_frame_between.
const mien_input *mi_substep_input(mien_state *state, const mien_input *to, double share);
// Keeps the input that the next step starts from.
void mi_substep_end(mien_state *state, const mien_input *to);

#endif
