// Inside the module: what its table leads to.
#ifndef MIEN_CAPTURE_OPENCV_H
#define MIEN_CAPTURE_OPENCV_H

#include "capture_module.h"

// capture_opencv.cpp
mien_result opencv_open(const capture_def *def, capture_kind kind, capture_source *out,
                        mien_error *err);
// capture_finder.cpp
mien_result opencv_finder_open(const char *file, capture_finder **out, mien_error *err);
int opencv_find(void *finder, const mien_image *image, mien_box *box, int most);
void opencv_finder_close(capture_finder *finder);

#endif
