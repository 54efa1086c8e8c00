// PNG images of 8 bits a channel.
#ifndef MI_PNG_H
#define MI_PNG_H

#include "base/base.h"

typedef struct mi_image {
  int width, height;
  int nchannel;          // 3 = RGB, 4 = RGBA, sRGB, rows from the top
  unsigned char *pixels; // (height x width x nchannel)
} mi_image;

mien_result mi_png_write(const char *path, const mi_image *image, const mien_host *host,
                         mien_error *err);
// The pixels lie in the arena. Grey and palette images become RGB, those with transparency RGBA.
mien_result mi_png_read(const void *bytes, size_t size, mi_arena *arena, mi_image *out,
                        mien_error *err);

#endif
