// What the module with OpenCV in it offers. It is loaded when a camera, a video or the face cascade
// is first asked for: OpenCV brings two hundred libraries, which no other command should wait for.
#ifndef MIEN_CAPTURE_MODULE_H
#define MIEN_CAPTURE_MODULE_H

#include "capture_source.h"

typedef struct capture_module {
  int version; // CAPTURE_MODULE_VERSION of the one who built it
  mien_result (*open)(const capture_def *def, capture_kind kind, capture_source *out,
                      mien_error *err);
  mien_result (*finder_open)(const char *file, capture_finder **out, mien_error *err);
  int (*find)(void *finder, const mien_image *image, mien_box *box, int most);
  void (*finder_close)(capture_finder *finder);
} capture_module;

enum { CAPTURE_MODULE_VERSION = 1 };
#define CAPTURE_MODULE_FILE "capture_opencv.so"
#define CAPTURE_MODULE_SYMBOL "mien_capture_module"

#endif
