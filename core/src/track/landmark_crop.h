// A part of a picture as a network's input: sampled bilinearly, averaged where it gets smaller.
#ifndef MI_LANDMARK_CROP_H
#define MI_LANDMARK_CROP_H

#include "base/base.h"

// From the crop's pixels to the picture's: x = a u + b v + c, y = d u + e v + f.
typedef struct mi_crop {
  float a, b, c, d, e, f;
  int width, height;    // of the crop
  float scale, offset;  // of the values: 0..255 becomes scale * value + offset
  bool is_black_around; // else the edge of the picture goes on
  int most_samples;     // per side of a pixel, where the picture is finer than the crop
} mi_crop;

// A turned square of the picture as width x height pixels.
mi_crop mi_crop_square(float x, float y, float side, float turn, int size);
void mi_crop_sample(const mi_crop *crop, const mien_image *image, float *rgb);

#endif
