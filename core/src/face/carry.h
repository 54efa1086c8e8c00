// The flesh of a pose: the skin is the artist's, the vertices under it follow skin and bone.
#ifndef MI_CARRY_H
#define MI_CARRY_H

#include "math/vec.h"

#include <mien/mien.h>

#include <stdbool.h>

// How a bone moves points of the head's space away from the neutral.
typedef struct mi_bone_motion {
  double turn[9]; // rotation - 1, row-major
  mi_vec3 shift;
  bool is_none;
} mi_bone_motion;

static inline mi_vec3 mi_bone_move(const mi_bone_motion *m, mi_vec3 p) {
  const double *t = m->turn;
  return (mi_vec3){t[0] * p.x + t[1] * p.y + t[2] * p.z + m->shift.x,
                   t[3] * p.x + t[4] * p.y + t[5] * p.z + m->shift.y,
                   t[6] * p.x + t[7] * p.y + t[8] * p.z + m->shift.z};
}
mi_bone_motion mi_bone_motion_of(const mien_rigid *at);
// Rotation about the jaw's hinge by the jaw-open weight.
mi_bone_motion mi_bone_hinge(const mien_face *face, const float *weights);

// All flesh vertices, from every vertex of the posed rig.
void mi_carry(const mien_face *face, const float *rig, const mi_bone_motion *jaw, int threads,
              float *posed);

#endif
