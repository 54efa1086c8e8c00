// The same rig, larger or smaller, for simulation at another size.
#ifndef MIEN_CLI_SCALED_RIG_H
#define MIEN_CLI_SCALED_RIG_H

#include <mien/mien.h>

// Vertices, shapes and maps keep their numbers and order. Caller frees with mien_rig_free.
mien_result scaled_rig(const mien_rig *rig, double scale, const mien_host *host, mien_rig **out,
                       mien_error *err);
// points[i] * scale in `room` (count x 3), or the points themselves at scale 1.
mien_f32s scaled_points(mien_f32s points, double scale, float *room);

// Points where a rigid motion takes them, in room[count x 3].
mien_f32s moved_points(mien_f32s points, const mien_rigid *by, float *room);

#endif
