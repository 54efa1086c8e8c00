// What pulls on the flesh from outside.
#ifndef MI_FORCES_H
#define MI_FORCES_H

#include "face/face.h"

typedef struct mi_forces {
  double gravity[3];     // m / s^2, in the head's axes
  double wind[3];        // m / s, in the head's axes
  double gust;           // 0-1
  double time;           // s
  const float *flesh;    // m                                                          (nvert x 3)
  const float *velocity; // m / s, of the flesh before the forces                      (nvert x 3)
} mi_forces;

// velocity += dt * force / mass
void mi_forces_add(const mien_face *face, const mi_forces *forces, double dt, float *velocity);

#endif
