// Frontal faces by OpenCV's Haar cascade.
#include "capture_opencv.h"

#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <vector>

struct capture_finder {
  cv::CascadeClassifier cascade;
  cv::Mat grey, small;
  std::vector<cv::Rect> found;
};

mien_result opencv_finder_open(const char *file, capture_finder **out, mien_error *err) {
  const char *path =
      file ? file : "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml";
  capture_finder *f = nullptr;
  try {
    f = new capture_finder;
    if (f->cascade.load(path)) {
      *out = f;
      return MIEN_OK;
    }
  } catch (...) { // a file that is no cascade
  }
  delete f;
  return capture_fail(err, MIEN_ERR_IO,
                      "the face cascade '%s' cannot be read: it comes with the package opencv-data",
                      path);
}

int opencv_find(void *finder, const mien_image *image, mien_box *box, int most) {
  capture_finder &f = *static_cast<capture_finder *>(finder);
  try {
    size_t stride = static_cast<size_t>(image->stride); // 0 = packed, for OpenCV too
    cv::Mat view(image->height, image->width, CV_8UC(image->nchannel),
                 const_cast<uint8_t *>(image->pixels), stride);
    if (image->nchannel == 1)
      f.grey = view;
    else
      cv::cvtColor(view, f.grey, image->nchannel == 4 ? cv::COLOR_RGBA2GRAY : cv::COLOR_RGB2GRAY);
    // a face in a large picture is large: half the size is a quarter of the work
    double scale = std::max(1.0, image->height / 480.0);
    cv::resize(f.grey, f.small, cv::Size(), 1 / scale, 1 / scale, cv::INTER_AREA);
    int least = std::max(24, f.small.rows / 6);
    f.cascade.detectMultiScale(f.small, f.found, 1.15, 3, 0, cv::Size(least, least));
    std::sort(f.found.begin(), f.found.end(),
              [](const cv::Rect &a, const cv::Rect &b) { return a.area() > b.area(); });
    int count = std::min(most, static_cast<int>(f.found.size()));
    for (int i = 0; i < count; i++) {
      const cv::Rect &r = f.found[static_cast<size_t>(i)];
      box[i] = {static_cast<float>(r.x * scale), static_cast<float>(r.y * scale),
                static_cast<float>(r.width * scale), static_cast<float>(r.height * scale)};
    }
    return count;
  } catch (...) { // no face then
    return 0;
  }
}

void opencv_finder_close(capture_finder *finder) {
  delete finder;
}
