// A camera in full perspective and the head before it.
//
// Camera space: +X to the right of the picture, +Y up, +Z towards the viewer, metres; a head that
// looks into the camera unturned has the camera's axes, which are the rig's.
#ifndef MI_POSE_H
#define MI_POSE_H

#include "base/base.h"

typedef struct mi_camera {
  double focal;  // pixels
  double cx, cy; // pixels, where the axis meets the picture
} mi_camera;

typedef struct mi_pose {
  double r[9]; // head to camera, row-major
  double t[3]; // m
} mi_pose;

// x = R p + t
void mi_pose_apply(const mi_pose *pose, const double p[3], double x[3]);
// Pixels (y downwards) of a point in camera space and, when `slope` is not NULL, their derivatives
// by it (2 x 3). False when the point is not before the camera.
bool mi_camera_project(const mi_camera *camera, const double x[3], double uv[2], double slope[6]);
// Turns by a small rotation (about camera axes, radians) and moves.
void mi_pose_move(mi_pose *pose, const double step[6]);
mien_rigid mi_pose_rigid(const mi_pose *pose);

// One thing that is seen: a place on the head and where it appears.
typedef struct mi_sight {
  double p[3], uv[2];
  double weight; // 1 / sigma^2, 0 = not seen
} mi_sight;

// The pose of the seen points, without a start: several starts, then Gauss-Newton with robust
// weights. False when there are fewer than six points or no pose fits; `rms` is in pixels.
bool mi_pose_find(const mi_camera *camera, const mi_sight *sights, int count, mi_pose *pose,
                  double *rms);

#endif
