// How far skin may go towards bone, teeth and eyes.
//
// Lips and lids collide pair by pair (solve/contacts.h). All other skin lies on bone, and physics
// alone would throw it through: each of its triangles gets planes, once per face, so that every
// rigid triangle within reach lies behind one of them and the skin's before all. While its corners
// stay before the planes nothing crosses.
#ifndef MI_LIMITS_H
#define MI_LIMITS_H

#include "base/base.h"

typedef struct mi_limit {
  float normal[3]; // unit, away from the rigid part, in the neutral
  float height;    // m, along it: the neutral skin vertex stays above
  int32_t on;      // rig vertex of the jaw that the plane lies on; -1 = fixed to the head
  float keep;      // m, between that vertex and the plane
} mi_limit;

typedef struct mi_limits {
  int nskin;
  int32_t *first;  // of a skin vertex                                            (nskin + 1)
  mi_limit *limit; //                                                         (first[nskin])
  float *room; // m, of a skin vertex in the neutral: least before planes of the head; 0 = one of
               // its planes lies on the jaw, INFINITY = it has none                     (nskin)
  int32_t frame[3]; // rig vertices of the jaw that give its rotation; -1 = none
} mi_limits;

typedef struct mi_posed_limit {
  float normal[3]; // unit
  float room;      // m, how far against it a vertex may go from its pose, >= 0
} mi_posed_limit;

// limits_pose.c: the rotation of the jaw from the neutral to rig positions of a pose (row-major; 0
// without a jaw), and a limit of a vertex there.
void mi_limits_find_turn(const mi_limits *limits, const float *rest, const float *rig,
                         float turn[9]);
mi_posed_limit mi_limit_in_pose(const mi_limit *limit, const float turn[9], const float *rig,
                                const float *pose);
// Puts an offset from the pose back that went beyond limits.
void mi_limits_put_back(const mi_posed_limit *limit, int count, float off[3]);

#endif
