// Blendforces: the artist's shapes as forces (Barrielle & Stoiber, 3.2). Flesh has the neutral's
// shape and hangs on its bones by springs; forces B u, B made of what holds the shapes, bring the
// skin to virtual markers: places of the skin in the pose that the weights ask for (eq. 10).
//
//   u* = argmin |t - T' x(u)|^2                                                      (eq. 11)
//
// For fixed projections x is linear in u: x(u) = x0 + A^-1 B u, so u* is a small least squares
// whose left side never changes; where markers say little it stays near what the weights say.
// Projections and u are refined in turn, from the pose the artist asks for, which is near the
// fixed point, without contact and without inertia: head motion and contact act on flesh that is
// driven, and are not fought by the control. (Going on from the flesh as it is, frame by frame,
// lagged behind fast poses with two rounds, and swung when the head did.)
//
// Two things make constant forces hold a pose (both measured by claim B2). Tetrahedra keep the
// volume they have in the artist's pose, not the neutral's: an artist's shape does not keep
// volumes, and flesh pressed against them is not stable but buckles. And all flesh but the passive
// hangs on springs, as in the paper; lips and lids, held by no bone, fold over without.
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

// Finds u* in `iterations` rounds from the artist's pose of the flesh, with bone where `bones` has
// it (both set in the drive), and leaves B u* there.
mi_control mi_blendforce_control(mi_blendforce *drive, mi_solver *solver, const float *weights,
                                 int iterations);
// The stage of a step. Prepare makes what the drive needs, or puts it out of use; drive turns
// the artist's pose in the state into bones and forces; set_rest gives elements their targets.
mien_result mi_blendforce_prepare(mi_step_run *run);
void mi_blendforce_drive(mi_step_run *run);
void mi_blendforce_set_rest(mi_blendforce *drive, mi_solver *solver);

// tone.c: the springs of flesh in this drive, N / m (nvert, flesh order), whose
// tetrahedra have the weights `strain` (N m). False when memory ends.
bool mi_tone_find(const mien_face *face, const float *strain, int threads, mi_arena *scratch,
                  float *tone);

#endif
