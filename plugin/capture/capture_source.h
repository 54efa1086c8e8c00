// One kind of source: OpenCV (capture_opencv.cpp) or raw frames (capture_pipe.c).
#ifndef MIEN_CAPTURE_SOURCE_H
#define MIEN_CAPTURE_SOURCE_H

#include "capture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct capture_source {
  void *self;
  // 1 = a frame (RGB, packed, valid until the next call), 0 = no more, or broken off
  int (*read)(void *self, mien_image *image);
  void (*close)(void *self);
  double rate;    // as the source says, 0 = unknown
  int64_t length; // frames, 0 = unknown
} capture_source;

// Both fill err->text (a sentence) and return < 0 when it cannot be opened.
mien_result capture_open_pipe(const capture_def *def, int file, capture_source *out,
                              mien_error *err);
mien_result capture_open_opencv(const capture_def *def, capture_kind kind, capture_source *out,
                                mien_error *err);

// Fills err (NULL is fine) and returns the code.
mien_result capture_fail(mien_error *err, mien_result code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif

#endif
