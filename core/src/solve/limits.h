// Skin that does not collide is kept before bone, teeth and eyes: face/limits.h in a pose.
#ifndef MI_SOLVE_LIMITS_H
#define MI_SOLVE_LIMITS_H

#include "solve/state.h"

typedef struct mi_limits_side {
  const mi_limits *at_rest; // the face's
  float turn[9];            // of the jaw in this substep, since the neutral
  mi_posed_limit *limit;    // of this substep, of vertices that are placed   (first[nskin])
  bool *is_placed;          //                                                       (nskin)
  float *least; // m, a vertex of the solver's order can go so far; INFINITY = anywhere (nvert)
  float *push;  // work space: m, by which skin was put back                     (nskin x 3)
} mi_limits_side;

bool mi_limits_create(const mien_face *face, mi_arena *arena, mi_limits_side *out);
// Planes where skull and jaw are in the pose. A pose beyond one is its own limit, and so is where
// what can touch sets out from, the solver's x.
void mi_limits_place(mien_state *state);
// Puts skin of x (the solver's order, four floats a vertex) that went beyond its limits back, and
// the flesh that it carries half as far (as far as it: inverted tetrahedra). Returns how many skin
// vertices that are.
int mi_limits_keep(mien_state *state, float *x);

#endif
