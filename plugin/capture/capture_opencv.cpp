// Cameras, videos and streams through OpenCV.
#include "capture_opencv.h"

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>

#include <cstdlib>
#include <new>
#include <string>

namespace {

struct Source {
  cv::VideoCapture capture;
  cv::Mat frame, rgb;
};

// OpenCV and FFmpeg talk on stderr; what a user must know is in our own errors.
void be_quiet() {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);
  cv::setNumThreads(1);
}

int read_frame(void *self, mien_image *image) {
  Source &s = *static_cast<Source *>(self);
  try {
    if (!s.capture.read(s.frame) || s.frame.empty() || s.frame.depth() != CV_8U) return 0;
    if (s.frame.channels() == 1)
      cv::cvtColor(s.frame, s.rgb, cv::COLOR_GRAY2RGB);
    else
      cv::cvtColor(s.frame, s.rgb,
                   s.frame.channels() == 4 ? cv::COLOR_BGRA2RGB : cv::COLOR_BGR2RGB);
  } catch (...) { // damaged data: as good as no frame
    return 0;
  }
  image->pixels = s.rgb.data;
  image->width = s.rgb.cols;
  image->height = s.rgb.rows;
  image->stride = static_cast<int>(s.rgb.step[0]);
  image->nchannel = 3;
  return 1;
}

void close_source(void *self) {
  delete static_cast<Source *>(self);
}

void open_camera(Source &s, const capture_def &def) {
  std::string what = def.what;
  bool is_path = what[0] == '/';
  if (is_path)
    s.capture.open(what, cv::CAP_V4L2);
  else
    s.capture.open(std::atoi(what.c_str()), cv::CAP_V4L2);
  if (!s.capture.isOpened()) return;
  if (def.width > 0) s.capture.set(cv::CAP_PROP_FRAME_WIDTH, def.width);
  if (def.height > 0) s.capture.set(cv::CAP_PROP_FRAME_HEIGHT, def.height);
  if (def.rate > 0) s.capture.set(cv::CAP_PROP_FPS, def.rate);
  s.capture.set(cv::CAP_PROP_BUFFERSIZE, 2); // the newest frame, not one of half a second ago
}

const char *reason(capture_kind kind) {
  switch (kind) {
  case CAPTURE_CAMERA:
    return "there is no such camera, or another program uses it";
  case CAPTURE_STREAM:
    return "nobody sends there";
  default:
    return "it is not there, or no video that can be read";
  }
}

} // namespace

mien_result opencv_open(const capture_def *def, capture_kind kind, capture_source *out,
                        mien_error *err) {
  Source *s = nullptr;
  try {
    be_quiet();
    s = new Source;
    if (kind == CAPTURE_CAMERA)
      open_camera(*s, *def);
    else if (std::string(def->what).find('%') != std::string::npos && kind == CAPTURE_FILE)
      s->capture.open(def->what, cv::CAP_IMAGES);
    else // the name of a file is not taken for an address ("http:host/", "concat:a|b")
      s->capture.open((kind == CAPTURE_FILE ? "file:" : "") + std::string(def->what),
                      cv::CAP_FFMPEG);
    if (s->capture.isOpened()) {
      double length = kind == CAPTURE_FILE ? s->capture.get(cv::CAP_PROP_FRAME_COUNT) : 0;
      double rate = s->capture.get(cv::CAP_PROP_FPS);
      *out = {s, read_frame, close_source, rate,
              length > 0 && length < 1e9 ? static_cast<int64_t>(length) : 0};
      return MIEN_OK;
    }
  } catch (...) { // OpenCV throws on sources it does not like
  }
  delete s;
  return capture_fail(err, MIEN_ERR_IO, "'%s' cannot be opened: %s", def->what, reason(kind));
}
