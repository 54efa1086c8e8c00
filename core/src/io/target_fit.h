// Few morph targets in place of many frames.
#ifndef MI_TARGET_FIT_H
#define MI_TARGET_FIT_H

#include "base/base.h"

// Offsets of points over frames as a sum of targets times weights. The frame with the point that is
// farthest off becomes the next target, what it explains is taken out of every frame, and so on
// until no point is off by more than the tolerance: few targets where frames are alike, and never
// more than there are frames.
typedef struct mi_target_fit {
  int npoint, nframe;
  float *offset;    // m; what remains when the fit is done              (nframe x npoint x 3)
  double tolerance; // m
  int ntarget;
  float **target; //                                                  (ntarget)(npoint x 3)
  float *weight;  // frame after frame, of `nframe` targets at most      (nframe x nframe)
  double error;   // m, the farthest point that remains
} mi_target_fit;

mien_result mi_target_fit_run(mi_target_fit *fit, mi_arena *arena, mien_error *err);

#endif
