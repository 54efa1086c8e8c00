// The table of the module.
#include "capture_opencv.h"

extern "C" {
extern const capture_module mien_capture_module __attribute__((visibility("default")));
const capture_module mien_capture_module = {CAPTURE_MODULE_VERSION, opencv_open, opencv_finder_open,
                                            opencv_find, opencv_finder_close};
}
