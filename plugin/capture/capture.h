// Pictures from cameras, videos, image sequences, pipes and streams, and a detector of frontal
// faces. A C interface over OpenCV (C++); a build without OpenCV has the same functions and says
// so.
//
// What to open:
//   0, 1, ... or /dev/video0     a camera (V4L2)
//   clip.mp4                     a video
//   frames/%03d.png              an image sequence
//   -                            raw RGB frames on the standard input; width and height must be
//   given udp:// tcp:// http:// rtsp://   a stream, from this machine unless `anywhere` is set
//
// One capture must be used by one thread at a time. Nothing here throws, aborts or prints.
#ifndef MIEN_CAPTURE_H
#define MIEN_CAPTURE_H

#include <mien/mien.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct capture capture;

typedef struct capture_def {
  const char *what;
  int width, height; // asked of a camera; those of raw frames; 0 = whatever comes
  double rate;       // frames in a second: asked of a camera; of raw frames and images; 0 = 30
  int anywhere;      // 1 = streams may come from other machines
} capture_def;

typedef enum capture_kind {
  CAPTURE_CAMERA = 0,
  CAPTURE_FILE = 1,
  CAPTURE_PIPE = 2,
  CAPTURE_STREAM = 3
} capture_kind;

typedef struct capture_info {
  capture_kind kind;
  int is_live;       // frames come when they come; reading late loses some
  int width, height; // of the last frame
  double rate;       // frames in a second, as the source says
  int64_t nframe;    // frames read so far
  int64_t length;    // of a file as it says itself, 0 = unknown
  int nlost;         // times a camera or stream broke off and was opened again
} capture_info;

// 1 when this build has OpenCV.
int capture_is_built(void);

mien_result capture_open(const capture_def *def, capture **out, mien_error *err);
// The next frame; its pixels (RGB) are valid until the next call. image->time runs from 0 at the
// first frame: a file's own clock, or the machine's for what is live.
//   MIEN_OK        there is one
//   MIEN_NO_FRAME  none now: *ended = 1 when there will be none any more, and then err says why if
//                  that came too early (a truncated video). A camera or stream that broke off is
//                  opened again by later calls, twice a second; meanwhile err says what is missing
mien_result capture_read(capture *capture, mien_image *image, int *ended, mien_error *err);
const capture_info *capture_get_info(const capture *capture);
void capture_close(capture *capture);

// OpenCV's cascade of frontal faces (Debian: opencv-data). file NULL = where Debian puts it.
typedef struct capture_finder capture_finder;
mien_result capture_finder_open(const char *file, capture_finder **out, mien_error *err);
// A mien_find_fn; `finder` is a capture_finder.
int capture_find(void *finder, const mien_image *image, mien_box *box, int most);
void capture_finder_close(capture_finder *finder);

#ifdef __cplusplus
}
#endif

#endif
