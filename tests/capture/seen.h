// What the tracking tests share: is there a tracker here, pictures from files, overlays to look at.
#ifndef TESTS_CAPTURE_SEEN_H
#define TESTS_CAPTURE_SEEN_H

#include "capture.h"
#include "render.h"
#include "scenes/scene.h"

// NULL, and a printed reason, when the models are not installed.
mien_tracker *seen_tracker(mien_tracker_kind kind, capture_finder *finder);
// The first picture of a file in ../shared; NULL pixels, and a printed reason, when it is not here.
render_image seen_picture(const char *name);
mien_image seen_view(const render_image *image);
// Dots where points are, lips and eyes in other colours; written beside the test.
void seen_overlay(const render_image *image, const mien_points *points, const char *name);
// Distance of the outer corners of the eyes, pixels.
double seen_eye_distance(const mien_points *points);
// Which of the 478 points is one of the 68.
extern const int16_t seen_68_of_478[68];

#endif
