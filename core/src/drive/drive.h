// A drive turns the animation into what the flesh follows. Each drive is one file and one row of
// the table in drives.c; nothing else asks which drive is in use.
//
//   prepare   allocates and builds, in the first step
//   pose      turns the artist's pose in state->moving.posed into the pose the bones hold flesh to
//   forces    finds the constant forces of a substep, into solver->force
//   rest      gives the elements their target shapes
//
// A drive by target shapes needs `rest` alone: rest_shape takes them from the pose; muscles take
// them from activations, a symmetric matrix per element.
#ifndef MI_DRIVE_H
#define MI_DRIVE_H

#include "solve/step.h"

typedef struct mi_drive {
  const char *name;   // as the parameter `drive` has it
  bool is_rest_posed; // target shapes are those of the pose: a change of it is rebalanced
  bool needs_direct;  // works only with the solver direct
  bool needs_muscles; // of the face
  bool holds_neutral; // bone holds the neutral, wherever the artist's pose is
  // Stiffness, N / m, that holds flesh to its pose at least (nvert, flesh order), from the weights
  // of strain (N m, ntet). False when memory ends. NULL = only the attachment holds flesh.
  bool (*stiffness)(const mien_face *face, const float *strain, int threads, mi_arena *scratch,
                    float *stiffness);
  mien_result (*prepare)(mi_step_run *run); // NULL = no set-up
  void (*pose)(mi_step_run *run);           // NULL = the artist's pose stays
  bool (*forces)(mi_step_run *run);         // true = some are not zero; NULL = there are none
  void (*rest)(const mi_step_run *run);     //
  void (*free)(void *driven);               // solver->driven, which prepare made
} mi_drive;

extern const mi_drive mi_drive_rest_shape, mi_drive_blendforce, mi_drive_muscle;
extern const mi_drive *const mi_drives[]; // by mien_drive
extern const int mi_ndrive;

const mi_drive *mi_drive_of(const mien_step_opts *opts);

// The stages of the drive in use.
mien_result mi_drive_prepare(mi_step_run *run);
void mi_drive_pose(mi_step_run *run); // and its forces, into run->is_forced
void mi_drive_rest(const mi_step_run *run);
void mi_drive_free(mi_solver *solver); // its data

#endif
