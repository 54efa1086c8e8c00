// Tracking: from pictures or packets to what the fit reads.
//
//   picture -> landmarks (mesh478: landmark.h, ert68: ert.h) -> mien_points -> fit -> weights, head
//   packet  -> protocol -----------------------------------------------------> weights, head
//
// mien_image and mien_points are public (mien.h); a source gives mi_seen, whatever it is.
#ifndef MI_TRACK_H
#define MI_TRACK_H

#include "base/base.h"

enum { MI_ARKIT_COUNT = 52 };

// What one frame of a source says: points, or weights, or both.
typedef struct mi_seen {
  double time;                  // s
  mien_points points;           // points.count 0 = none
  int nweight;                  // 0 or MI_ARKIT_COUNT
  float weight[MI_ARKIT_COUNT]; // in the order of Live Link Face's wire: EyeBlinkLeft first
  bool has_head;
  mien_rigid head;
} mi_seen;

// Whatever can be asked for the next frame: a camera with a tracker, a socket, a file.
typedef struct mi_source {
  const char *name; // "mesh478", "livelink", ...
  void *self;
  // Waits up to `patience` seconds. MIEN_OK: *seen is filled; MIEN_REMARK: nothing yet, or nothing
  // more when *ended; < 0: it broke, with a sentence, and may be asked again.
  mien_result (*next)(void *self, double patience, mi_seen *seen, bool *ended, mien_error *err);
  void (*close)(void *self);
} mi_source;

#endif
