// What blendforce_build.c makes and blendforce.c uses.
#ifndef MI_BLENDFORCE_PARTS_H
#define MI_BLENDFORCE_PARTS_H

#include "drive/blendforce.h"
#include "sparse/factor.h"

enum { MI_PER_SHAPE = 2 }; // columns of a shape: what holds it at weight 1, and at a half

typedef struct mi_force {
  int count;
  int32_t *at; // places in the solver's order                                          (count)
  float *push; // N per unit of u                                                   (count x 3)
} mi_force;

struct mi_blendforce {
  mi_arena arena;
  mien_host host;
  const mien_face *face; // the solver's
  int nvert, nforce, nmarker;
  int32_t *marker;         // places in the solver's order                              (nmarker)
  mi_force *force_of;      // B, column by column                                       (nforce)
  float *influence;        // T' A^-1 B                                  (nmarker x 3 x nforce)
  double *left;            // Cholesky factor of its normal equations      (nforce x nforce)
  double *u, *expected;    // what was found, and what the weights alone say             (nforce)
  mi_factor *factor;       // of hold + elastic, volume term and all
  float *force;            // B u*                                                    (nvert x 4)
  unsigned char *is_flesh; // in some tetrahedron                                       (nvert)
  bool is_neutral;         // the artist's pose is
  float *artist, *bones;   //                                                         (nvert x 3)
  float *goal;             // the artist's pose                                       (nvert x 4)
  float *x, *gradient, *step, *anchor; //                                             (nvert x 4)
};

// blendforce_build.c
mien_result mi_blendforce_build(mi_blendforce *d, mi_solver *solver, mien_error *err);

// blendforce.c
// dE/dx of hold and elastic at x: projections are those of x.
void mi_blendforce_gradient(mi_blendforce *d, mi_solver *solver);
void mi_blendforce_gather(const mi_solver *solver, const float *flesh, float *vector);
void mi_blendforce_add(const mi_blendforce *d, int column, double u, float *force);

#endif
