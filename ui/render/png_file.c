// PNG in and out through libpng's simplified interface.
#include "internal.h"
#include "io/output.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

mien_result render_image_save(const render_image *image, const char *path, mien_error *err) {
  if (!image || !image->rgb || !path) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Saving a picture needs an image and a file name.");
  }
  char why[MI_OUTPUT_WHY];
  int fd = mi_output_open(path, MI_OUTPUT_NEW, why);
  if (fd < 0) return rd_fail(err, MIEN_ERR_IO, "The picture: %s.", why);
  FILE *file = fdopen(fd, "wb");
  png_image png = {.version = PNG_IMAGE_VERSION,
                   .width = (png_uint_32)image->width,
                   .height = (png_uint_32)image->height,
                   .format = PNG_FORMAT_RGB};
  mien_result result = MIEN_OK;
  errno = 0;
  if (!file || !png_image_write_to_stdio(&png, file, 0, image->rgb, 0, NULL) || fflush(file)) {
    result = rd_fail(err, MIEN_ERR_IO, "The picture %s could not be written: %s.", path,
                     errno ? strerror(errno) : png.message);
  } else if (!mi_output_commit(fd, path, why)) {
    result = rd_fail(err, MIEN_ERR_IO, "The picture: %s.", why);
  }
  if (result < 0) mi_output_discard(fd, path);
  if (file)
    fclose(file);
  else
    close(fd);
  return result;
}

mien_result render_image_load(const char *path, render_image *out, mien_error *err) {
  if (!path || !out) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "Loading a picture needs a file name and a place.");
  }
  png_image png = {.version = PNG_IMAGE_VERSION};
  if (!png_image_begin_read_from_file(&png, path)) {
    return rd_fail(err, MIEN_ERR_IO, "The picture %s could not be read: %s.", path, png.message);
  }
  png.format = PNG_FORMAT_RGB;
  render_image image;
  mien_result result = png.width > 16384 || png.height > 16384
                           ? rd_fail(err, MIEN_ERR_FORMAT, "The picture %s is too large.", path)
                           : render_image_create((int)png.width, (int)png.height, 0, &image, err);
  if (result < 0) {
    png_image_free(&png);
    return result;
  }
  png_color black = {0, 0, 0};
  if (!png_image_finish_read(&png, &black, image.rgb, 0, NULL)) {
    render_image_free(&image);
    return rd_fail(err, MIEN_ERR_FORMAT, "The picture %s is damaged: %s.", path, png.message);
  }
  *out = image;
  return MIEN_OK;
}
