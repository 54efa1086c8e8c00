// Everything that changes while a face is simulated.
#ifndef MI_STATE_H
#define MI_STATE_H

#include "face/face.h"

// What a snapshot keeps, in this order; a snapshot is the header below followed by these arrays.
typedef struct mi_moving {
  double time;
  int64_t nstep;
  mien_rigid head; // head to world, at `time`
  float *flesh;    // m, in the head's space                                         (nvert x 3)
  float *velocity; // m / s, in the head's space                                     (nvert x 3)
  float *rig;      // m, every rig vertex in the head's space                        (rig nvert x 3)
} mi_moving;

struct mien_state {
  mien_state_info info;
  mien_host host;
  mi_arena arena;
  const mien_face *face; // shared
  mi_moving moving;
  float *weights; // scratch: weights as given, or zeros                        (nshape)
  float *volume;  // scratch                                                    (ntet)
};

// state.c
mien_result mi_state_create(const mien_face *face, const mien_host *host, mien_state **out,
                            mien_error *err);
void mi_state_reset(mien_state *state);
void mi_state_publish(mien_state *state); // fills info from moving
void mi_state_free(mien_state *state);

// snapshot.c
size_t mi_state_size(const mien_state *state);
void mi_state_save(const mien_state *state, unsigned char *bytes);
mien_result mi_state_restore(mien_state *state, const unsigned char *bytes, size_t size,
                             mien_error *err);
uint64_t mi_state_hash(const mien_state *state);
void mi_state_assign(mien_state *to, const mien_state *from); // of the same face

// step.c
mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err);

#endif
