// libpng's simplified interface: it keeps its own setjmp and never jumps through our frames.
#include "io/png.h"
#include "io/io.h"

#include <png.h>
#include <string.h>

enum { MOST_SIDE = 16384 };

mien_result mi_png_write(const char *path, const mi_image *image, const mien_host *host,
                         mien_error *err) {
  if (image->width < 1 || image->height < 1 || image->width > MOST_SIDE ||
      image->height > MOST_SIDE || (image->nchannel != 3 && image->nchannel != 4))
    return mi_fail(err, MIEN_ERR_ARGUMENT, "an image of %d x %d with %d channels", image->width,
                   image->height, image->nchannel);
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = (png_uint_32)image->width,
                   .height = (png_uint_32)image->height,
                   .format = image->nchannel == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA};
  mi_arena arena;
  mi_arena_init(&arena, host);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  void *bytes = mi_arena_push(&arena, size, 1);
  mien_result result = bytes ? MIEN_OK : mi_fail_memory(err);
  if (result >= 0 && !png_image_write_to_memory(&png, bytes, &size, 0, image->pixels, 0, NULL))
    result = mi_fail(err, MIEN_ERR_IO, "cannot make %.120s: %s", path, png.message);
  mi_file *file;
  if (result >= 0) result = mi_file_create(path, host, &file, err);
  if (result >= 0) {
    mi_file_write(file, bytes, size);
    result = mi_file_commit(file, err);
  }
  png_image_free(&png);
  mi_arena_free(&arena);
  return result;
}

mien_result mi_png_read(const void *bytes, size_t size, mi_arena *arena, mi_image *out,
                        mien_error *err) {
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_memory(&png, bytes, size)) {
    mi_fail(err, MIEN_ERR_FORMAT, "this is not a PNG image: %s", png.message);
    png_image_free(&png);
    return MIEN_ERR_FORMAT;
  }
  if (png.width < 1 || png.height < 1 || png.width > MOST_SIDE || png.height > MOST_SIDE) {
    mi_fail(err, MIEN_ERR_FORMAT, "a PNG image of %u x %u is more than mien reads", png.width,
            png.height);
    png_image_free(&png);
    return MIEN_ERR_FORMAT;
  }
  png.format = png.format & PNG_FORMAT_FLAG_ALPHA ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  *out = (mi_image){.width = (int)png.width,
                    .height = (int)png.height,
                    .nchannel = (int)PNG_IMAGE_SAMPLE_CHANNELS(png.format)};
  out->pixels = mi_arena_push(arena, PNG_IMAGE_SIZE(png), 1);
  mien_result result = out->pixels ? MIEN_OK : mi_fail_memory(err);
  if (result >= 0 && !png_image_finish_read(&png, NULL, out->pixels, 0, NULL))
    result = mi_fail(err, MIEN_ERR_FORMAT, "the PNG image is damaged: %s", png.message);
  png_image_free(&png);
  return result;
}
