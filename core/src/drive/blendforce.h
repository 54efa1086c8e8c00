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

#include "drive/drive.h"
#include "sparse/factor.h"

enum { MI_PER_SHAPE = 2 }; // columns of a shape: forces that hold it at weight 1 and at 1/2

typedef struct mi_force {
  int count;
  int32_t *at; // places in the solver's order                                          (count)
  float *push; // N per unit of u                                                   (count x 3)
} mi_force;

typedef struct mi_blendforce {
  mi_arena arena;
  mien_host host;
  const mien_face *face; // the solver's
  int nvert, nforce, nmarker;
  int32_t *marker;         // places in the solver's order                              (nmarker)
  mi_force *force_of;      // B, column by column                                       (nforce)
  float *influence;        // T' A^-1 B                                  (nmarker x 3 x nforce)
  double *left;            // Cholesky factor of its normal equations      (nforce x nforce)
  double *u, *expected;    // solved forces; forces of the weights alone                   (nforce)
  mi_factor *factor;       // of hold + elastic, volume term and all
  float *force;            // B u*                                                    (nvert x 4)
  unsigned char *is_flesh; // in some tetrahedron                                       (nvert)
  bool is_neutral;         // the artist's pose is
  float *artist, *bones;   //                                                         (nvert x 3)
  float *goal;             // the artist's pose                                       (nvert x 4)
  float *x, *gradient, *step, *anchor; //                                             (nvert x 4)
} mi_blendforce;

// blendforce_build.c. Belongs to the solver's order of vertices; freed with it.
mien_result mi_blendforce_build(mi_blendforce *d, mi_solver *solver, mien_error *err);

// blendforce.c
// dE/dx of hold and elastic at x: projections are those of x.
void mi_blendforce_gradient(mi_blendforce *d, mi_solver *solver);
// A round of control: u* and B u* for the projections of x. Returns how far the markers are then
// expected to be, m, rms. And x to where u* brings it.
double mi_blendforce_round(mi_blendforce *d, mi_solver *solver);
void mi_blendforce_follow(mi_blendforce *d);
void mi_blendforce_gather(const mi_solver *solver, const float *flesh, float *vector);
void mi_blendforce_add(const mi_blendforce *d, int column, double u, float *force);

// stabiliser.c: the stiffness that the drive adds (mi_drive.stiffness)
bool mi_stabiliser_find(const mien_face *face, const float *strain, int threads, mi_arena *scratch,
                        float *stabiliser);

#endif
