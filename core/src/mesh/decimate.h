// A coarser mesh of the same surface whose vertices are some of the old ones, so that all that is
// known at vertices (shapes, maps, landmarks) is known on it, exactly. Edges are collapsed in the
// order of the quadric error of Garland & Heckbert, onto one of their two ends.
#ifndef MI_DECIMATE_H
#define MI_DECIMATE_H

#include "mesh/mesh.h"

typedef struct mi_decimate_def {
  int nvert, ntri;
  const float *position;   // m                                                      (nvert x 3)
  const int32_t *tri;      //                                                        (ntri x 3)
  const float *importance; // multiplies the error; INFINITY = this vertex stays     (nvert)
  int target;              // vertices wanted
} mi_decimate_def;

typedef struct mi_decimated {
  int nvert, ntri;
  int32_t *vert;   // old vertices that stay, ascending                                (nvert)
  int32_t *tri;    // of the old vertices' numbers                                     (ntri x 3)
  int32_t *origin; // which old triangle it was                                      (ntri)
} mi_decimated;

// Stops short of the target when no further edge can be collapsed: a manifold stays one, borders
// stay, and no triangle turns over. False when memory ends.
bool mi_decimate(const mi_decimate_def *def, mi_arena *arena, mi_decimated *out);

#endif
