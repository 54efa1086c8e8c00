// A build without OpenCV: only raw frames can be read.
#include "capture_source.h"

static mien_result not_built(mien_error *err) {
  return capture_fail(err, MIEN_ERR_IO,
                      "this build has no cameras and videos: run './run live', or install "
                      "libopencv-dev and build with -DMIEN_CAPTURE=ON");
}

int capture_is_built(void) {
  return 0;
}

mien_result capture_open_opencv(const capture_def *def, capture_kind kind, capture_source *out,
                                mien_error *err) {
  (void)def, (void)kind, (void)out;
  return not_built(err);
}

mien_result capture_finder_open(const char *file, capture_finder **out, mien_error *err) {
  (void)file, (void)out;
  return not_built(err);
}

int capture_find(void *finder, const mien_image *image, mien_box *box, int most) {
  (void)finder, (void)image, (void)box, (void)most;
  return 0;
}

void capture_finder_close(capture_finder *finder) {
  (void)finder;
}
