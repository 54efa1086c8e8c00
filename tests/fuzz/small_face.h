// A face small enough that its snapshot is a short input: a ball of flesh with one shape.
#ifndef MIEN_FUZZ_SMALL_FACE_H
#define MIEN_FUZZ_SMALL_FACE_H

#include <mien/mien.h>

// A state of a new face, on one thread; NULL when it cannot be made. The rig and the face stay
// alive with it: mien_state_free lets go of all three.
mien_state *small_face_state(void);
// One frame: the head has moved, the shape is on. False when the step is refused.
int small_face_step(mien_state *state, mien_solver solver, double head);

#endif
