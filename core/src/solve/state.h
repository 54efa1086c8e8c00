// Everything that changes while a face is simulated.
//
// All positions are in the head's space, so that a face far from the world's origin moves to the
// same bits as one at it. What physics adds is kept apart from what the artist made: flesh = posed
// + offset. With offset and velocity zero the flesh is the artist's pose, exactly.
#ifndef MI_STATE_H
#define MI_STATE_H

#include "contact/sticky.h"
#include "face/face.h"

typedef struct mi_solver mi_solver;
typedef struct mi_contacts mi_contacts;

// Energy projection remembers this of the substep before.
typedef struct mi_energy_budget {
  double budget_due; // J: energy that a stabilised substep could not restore
  int64_t is_known;  // the next two belong to a substep that kept its energy
  double elastic;    // J: E at its end
  double accel[12];  // m / s^2: gravity and the head's motion, 3 x 4, of the place
} mi_energy_budget;

// The serialised part: see state_fields.h.
typedef struct mi_dynamics {
#define VALUE(kind, type, name) type name;
#define ARRAY(kind, type, name, count, at_rest) type *name;
#include "solve/state_fields.h"
#undef VALUE
#undef ARRAY
} mi_dynamics;

struct mien_state {
  mien_state_info info;
  mien_host host;
  mi_arena arena;
  const mien_face *face; // shared
  mi_dynamics dynamics;
  float *transported;  // m, of this substep: the offset as the head carries it along   (nvert x 3)
  float *flesh;        // m, posed + offset                                             (nvert x 3)
  float *accel;        // m / s^2, of this substep, by gravity and wind                 (nvert x 3)
  float *weights;      // scratch: weights as given, or zeros                           (nshape)
  float *activations;  // scratch: as given, minus 1                            (nmuscle x 6)
  float *posed_before; // scratch: m, posed before the current moment          (nvert x 3)
  float *weights_before;      // scratch: weights then                                  (nshape)
  float *activations_before;  // scratch: and activations                          (nmuscle x 6)
  struct mi_energy *energy;   // keeping it, NULL = not wanted yet
  struct mi_substep *substep; // inputs between two steps; NULL = not needed yet
  float *work[2]; // scratch of one stage: nothing in it outlives the stage            (nvert x 3)
  float *volume;  // scratch                                                       (ntet)
  bool is_sound;  // no tetrahedron of `flesh` is inverted; false = not known
  struct mi_mender *mender;
  float *motion;         // scratch, embedded: x, y, z, 0 of skin vertices             (nskin x 4)
  float *coarse_pose;    // scratch, embedded: a host's pose                        (rig nvert x 3)
  mi_contacts *contacts; // NULL = contact was never on
  mi_solver *solver;     // made by the first step that needs one, NULL before
};

// state.c
mien_result mi_state_create(const mien_face *face, const mien_host *host, mien_state **out,
                            mien_error *err);
void mi_state_reset(mien_state *state);
void mi_state_unstick(mien_state *state);    // breaks all sticky springs
void mi_state_publish(mien_state *state);    // flesh, and info, from moving
void mi_state_write_skin(mien_state *state); // the simulated skin onto the rig
// Fills state->volume with that of every tetrahedron; returns how many are not above 0.
int mi_state_measure(const mien_state *state, const float *flesh);
void mi_state_count_inverted(mien_state *state);
void mi_state_free(mien_state *state);

// snapshot.c
size_t mi_state_size(const mien_state *state);
void mi_state_save(const mien_state *state, unsigned char *bytes);
mien_result mi_state_restore(mien_state *state, const unsigned char *bytes, size_t size,
                             mien_error *err);
uint64_t mi_state_hash(const mien_state *state);
void mi_state_assign(mien_state *to, const mien_state *from); // of the same face

// step.c. The input was checked: mi_input_check in api/.
mien_result mi_step(mien_state *state, const mien_input *input, const mien_step_opts *opts,
                    mien_error *err);

#endif
