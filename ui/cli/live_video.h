// Pictures of the simulated face, for a video and for a page, drawn by a thread of its own: the
// newest pose counts, and what the drawing could not keep up with shows as a longer look at the
// pose before.
#ifndef MIEN_CLI_LIVE_VIDEO_H
#define MIEN_CLI_LIVE_VIDEO_H

#include "cli.h"

typedef struct live_video live_video;

typedef struct live_video_def {
  const char *path;       // NULL = no file
  struct live_view *view; // where pictures are shown, too; or NULL
  const mien_rig *rig;
  const mien_face *face;
  double fps; // of the simulation; the video has at most 30
  int size;   // pixels, width and height
} live_video_def;

// Prints the error.
int live_video_open(const live_video_def *def, live_video **out);
// At `time`, s; moments up to the next show it, too. With `wait` the pose is drawn before another
// is taken. Fails when drawing did.
int live_video_add(live_video *video, const mien_state_info *state, double time, bool wait);
int64_t live_video_ndropped(const live_video *video);
int live_video_close(live_video *video);

#endif
