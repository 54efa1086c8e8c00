// The head's space, and what changes in it when the head moves.
#ifndef MI_FRAME_H
#define MI_FRAME_H

#include "base/base.h"
#include "math/vec.h"

bool mi_frame_is_same(const mien_rigid *a, const mien_rigid *b); // to the last bit
// Offsets from the pose and velocities (against the world, in the head's axes) of flesh that keeps
// its place in the world while the head goes `from` one place `to` another. Does nothing when the
// two are the same.
void mi_frame_change(const mien_rigid *from, const mien_rigid *to, int nvert, int threads,
                     const float *posed, float *offset, float *velocity);
// Points of one space in another, both given by their way to the world. (count x 3)
void mi_frame_points(const mien_rigid *from, const mien_rigid *to, int count, const float *at,
                     float *out);
// Between two places: a point on the straight line, the shorter turn at even speed. share 0 and 1
// are `from` and `to` to the last bit.
void mi_frame_between(const mien_rigid *from, const mien_rigid *to, double share, mien_rigid *out);
// Where the head would have come from if flesh felt only these shares of its way `to` there, along
// and about the axes of `to`. Shares of 1 give `from` to the last bit.
void mi_frame_attenuate(const mien_rigid *from, const mien_rigid *to, const double along[3],
                        const double about[3], mien_rigid *out);
// How fast points at rest in the world seem to move, seen from a head: m x + m[3] (rows of four).
typedef struct mi_drift {
  double m[12];
} mi_drift;
static inline mi_vec3 mi_drift_at(const mi_drift *frame_velocity, mi_vec3 x) {
  const double *m = frame_velocity->m;
  return (mi_vec3){m[0] * x.x + m[1] * x.y + m[2] * x.z + m[3],
                   m[4] * x.x + m[5] * x.y + m[6] * x.z + m[7],
                   m[8] * x.x + m[9] * x.y + m[10] * x.z + m[11]};
}
// Adds the velocity of a head that came `from` there in dt and is at `to`; adds nothing when the
// two are the same.
void mi_frame_add_velocity(const mien_rigid *from, const mien_rigid *to, double dt,
                           mi_drift *frame_velocity);
// `thing`, which moves with `head`, when that is put to `place`. The same bits when it stays.
void mi_frame_follow(const mien_rigid *head, const mien_rigid *thing, const mien_rigid *place,
                     mien_rigid *out);
// A direction of the world in the head's axes.
void mi_frame_from_world(const mien_rigid *head, const double world[3], double local[3]);

#endif
