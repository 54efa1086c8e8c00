// The planes of limits.h in a pose: they turn and go with the jaw.
#include "face/limits.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 4 };

static void axes_of(const float *position, const int32_t frame[3], mi_vec3 axis[3]) {
  mi_vec3 a = mi_vec3_load(position + 3 * (size_t)frame[0]);
  mi_vec3 b = mi_sub(mi_vec3_load(position + 3 * (size_t)frame[1]), a);
  axis[0] = mi_unit(b);
  axis[2] = mi_unit(mi_cross(b, mi_sub(mi_vec3_load(position + 3 * (size_t)frame[2]), a)));
  axis[1] = mi_cross(axis[2], axis[0]);
}

void mi_limits_find_turn(const mi_limits *limits, const float *rest, const float *rig,
                         float turn[9]) {
  mi_vec3 from[3], to[3];
  memset(turn, 0, 9 * sizeof *turn);
  if (limits->frame[0] < 0) return;
  axes_of(rest, limits->frame, from);
  axes_of(rig, limits->frame, to);
  for (int k = 0; k < 3; k++) {
    const double f[3] = {from[k].x, from[k].y, from[k].z}, t[3] = {to[k].x, to[k].y, to[k].z};
    for (int i = 0; i < 9; i++) turn[i] += (float)(t[i / 3] * f[i % 3]);
  }
}

mi_posed_limit mi_limit_in_pose(const mi_limit *limit, const float turn[9], const float *rig,
                                const float *pose) {
  mi_posed_limit posed = {.room = 0};
  float height = limit->height;
  memcpy(posed.normal, limit->normal, sizeof posed.normal);
  if (limit->on >= 0) {
    const float *n = limit->normal, *on = rig + 3 * (size_t)limit->on;
    height = limit->keep;
    for (int i = 0; i < 3; i++) {
      const float *row = turn + 3 * i;
      posed.normal[i] = row[0] * n[0] + row[1] * n[1] + row[2] * n[2];
      height += posed.normal[i] * on[i];
    }
  }
  for (int i = 0; i < 3; i++) posed.room += posed.normal[i] * pose[i];
  posed.room = fmaxf(0, posed.room - height);
  return posed;
}

static float over(const mi_posed_limit *limit, const float off[3]) {
  const float *n = limit->normal;
  return limit->room + (n[0] * off[0] + n[1] * off[1] + n[2] * off[2]);
}

// It goes out of one plane after the other. In a corner it then goes back towards the pose, which
// is beyond none.
void mi_limits_put_back(const mi_posed_limit *limit, int count, float off[3]) {
  for (int round = 0; round < ROUNDS; round++) {
    bool is_kept = true;
    for (int k = 0; k < count; k++) {
      float above = over(limit + k, off);
      if (!(above < 0)) continue;
      for (int c = 0; c < 3; c++) off[c] -= above * limit[k].normal[c];
      is_kept = false;
    }
    if (is_kept) return;
  }
  float share = 1;
  for (int k = 0; k < count; k++) {
    float above = over(limit + k, off);
    if (above < 0) share = fminf(share, limit[k].room / (limit[k].room - above));
  }
  for (int c = 0; c < 3; c++) off[c] *= share;
}
