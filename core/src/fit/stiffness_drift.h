// How far the expressions drift from their place when the forces of their shapes act on flesh whose
// stiffnesses do not balance them: to the first order, A^-1 r, with A the matrix of the potentials.
#ifndef MI_FIT_STIFFNESS_DRIFT_H
#define MI_FIT_STIFFNESS_DRIFT_H

#include "face/face.h"

typedef struct mi_drift {
  const mien_face *face;
  int nskin, nshape;
  const double *w; // strain, volume, springs of skin vertices                  (3 x nskin)
  const float *attach_stiffness; // N / m (nvert)
  const float *ease;     // what r was multiplied by, m / N                            (nvert)
  const float *left;     // r                                                     (rows x 3)
  const int32_t *row_of; // -1 = none                                       (nshape x nvert)
} mi_drift;

// m, rms over the skin, of every shape (nshape)
mien_result mi_drift_find(const mi_drift *drift, mi_arena *scratch, float *out, mien_error *err);

#endif
