// A mask with 68 landmarks and two shapes, and a camera that sees it: small enough that what is
// kept of its calibration is a short input.
#ifndef MIEN_FUZZ_SMALL_PERFORMER_H
#define MIEN_FUZZ_SMALL_PERFORMER_H

#include <mien/mien.h>

mien_rig *small_performer_rig(void); // NULL when it cannot be made
// The 68 points of frame k, 30 in a second: at rest for a second and a half, then it nods.
void small_performer_see(const mien_rig *rig, int k, mien_points *points);

#endif
