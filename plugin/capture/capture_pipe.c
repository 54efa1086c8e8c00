// Raw frames from a file descriptor: width x height x RGB, one after the other.
#include "capture_source.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct pipe_source {
  int file, width, height;
  unsigned char *pixels;
} pipe_source;

static int read_frame(void *self, mien_image *image) {
  pipe_source *p = self;
  size_t size = 3 * (size_t)p->width * (size_t)p->height, got = 0;
  while (got < size) {
    ssize_t n = read(p->file, p->pixels + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0; // part of a frame is no frame
    got += (size_t)n;
  }
  *image = (mien_image){.pixels = p->pixels, .width = p->width, .height = p->height, .nchannel = 3};
  return 1;
}

static void close_pipe(void *self) {
  pipe_source *p = self;
  free(p->pixels);
  free(p);
}

mien_result capture_open_pipe(const capture_def *def, int file, capture_source *out,
                              mien_error *err) {
  if (def->width < 1 || def->height < 1)
    return capture_fail(err, MIEN_ERR_ARGUMENT,
                        "raw frames need their width and height to be said");
  pipe_source *p = calloc(1, sizeof *p);
  if (p) p->pixels = malloc(3 * (size_t)def->width * (size_t)def->height);
  if (!p || !p->pixels) {
    free(p);
    return capture_fail(err, MIEN_ERR_MEMORY, "out of memory");
  }
  p->file = file;
  p->width = def->width;
  p->height = def->height;
  *out = (capture_source){p, read_frame, close_pipe, def->rate, 0};
  return MIEN_OK;
}
