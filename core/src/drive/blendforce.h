// Blendforces: the artist's shapes as forces (Barrielle & Stoiber, 3.2). Flesh rests in its
// neutral, bones carry what hangs on them, and forces B u, B made of the shapes' deltas, bring the
// skin to virtual markers: places of the skin in the pose that the weights ask for (eq. 10).
//
//   u* = argmin |t - T' x(u)|^2                                                      (eq. 11)
//
// For fixed projections x is linear in u: x(u) = x0 + A^-1 B u, so u* is a small least squares
// whose left side never changes. Projections and u are refined in turn, from the pose the artist
// asks for, without contact and without inertia: head motion and contact act on flesh that is
// driven, and are not fought by the control. (Going on from the flesh as it is, frame by frame,
// lagged behind fast poses with two rounds, and swung when the head did.)
#ifndef MI_BLENDFORCE_H
#define MI_BLENDFORCE_H

#include "solve/step.h"

typedef struct mi_blendforce mi_blendforce;

// Belongs to the solver's order of vertices. Caller frees with mi_blendforce_free.
mien_result mi_blendforce_create(mi_solver *solver, const mien_face *face, mi_blendforce **out,
                                 mien_error *err);
void mi_blendforce_free(mi_blendforce *drive);

typedef struct mi_control {
  double residual; // m, rms over markers, after the last iteration
  int nmarker;
  bool is_forced; // some u is not zero
} mi_control;

// Finds u* in `iterations` rounds from the artist's pose of the flesh (nvert x 3), with bone where
// `bones` (nvert x 3) has it, and leaves B u* in `force` (nvert x 4, the solver's order).
mi_control mi_blendforce_control(mi_blendforce *drive, mi_solver *solver, const float *artist,
                                 const float *bones, int iterations, float *force);
// The stage of a step. Prepare makes what the drive needs, or puts it out of use; drive turns
// the artist's pose in the state into bones and forces.
mien_result mi_blendforce_prepare(mi_step_run *run);
void mi_blendforce_drive(mi_step_run *run);

#endif
