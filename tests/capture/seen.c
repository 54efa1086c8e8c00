#include "seen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const int16_t seen_68_of_478[68] = {
    162, 234, 93,  58,  172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 389,
    71,  63,  105, 66,  107, 336, 296, 334, 293, 301, 168, 197, 5,   4,   75,  97,  2,
    326, 305, 33,  160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380, 61,  39,  37,
    0,   267, 269, 291, 405, 314, 17,  84,  181, 78,  82,  13,  312, 308, 317, 14,  87};

mien_tracker *seen_tracker(mien_tracker_kind kind, capture_finder *finder) {
  mien_tracker_def opts;
  mien_tracker *tracker = NULL;
  mien_error err;
  mien_tracker_def_init(&opts);
  opts.kind = kind;
  opts.find = finder ? capture_find : NULL;
  opts.find_user = finder;
  mien_result result = mien_tracker_create(&opts, NULL, &tracker, &err);
  if (result == MIEN_ERR_IO)
    printf("skipped: %s\n", err.text);
  else if (result < 0)
    fail_msg("%s", err.text);
  return tracker;
}

render_image seen_picture(const char *name) {
  render_image image = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/../shared/data/faces-gold/%s", MIEN_SOURCE_DIR, name);
  if (access(path, R_OK)) {
    printf("skipped: %s is not here\n", name);
    return image;
  }
  capture *c = NULL;
  mien_error err;
  mien_image frame;
  int ended;
  if (capture_open(&(capture_def){.what = path}, &c, &err) < 0) fail_msg("%s", err.text);
  assert_int_equal(capture_read(c, &frame, &ended, &err), MIEN_OK);
  assert_int_equal(render_image_create(frame.width, frame.height, 0, &image, NULL), MIEN_OK);
  for (int y = 0; y < frame.height; y++)
    memcpy(image.rgb + 3 * (size_t)(y * frame.width),
           frame.pixels + (size_t)y * (size_t)frame.stride, 3 * (size_t)frame.width);
  capture_close(c);
  return image;
}

mien_image seen_view(const render_image *image) {
  return (mien_image){
      .pixels = image->rgb, .width = image->width, .height = image->height, .nchannel = 3};
}

void seen_overlay(const render_image *image, const mien_points *points, const char *name) {
  render_image copy = {0};
  mien_error err;
  assert_int_equal(render_image_create(image->width, image->height, 0, &copy, NULL), MIEN_OK);
  memcpy(copy.rgb, image->rgb, 3 * (size_t)image->width * (size_t)image->height);
  float size = (float)seen_eye_distance(points) / 60;
  for (int i = 0; i < points->count; i++) {
    const mien_point *p = &points->point[i];
    const float line[4] = {p->x, p->y, p->x, p->y};
    uint32_t colour = i >= 468 ? 0x40ff40 : p->visibility < 0.5f ? 0xff4040 : 0x40d0ff;
    render_image_line(&copy, line, 2, (render_pen){colour, size < 1 ? 1 : size, 0.9f});
  }
  if (render_image_save(&copy, name, &err) < 0) fail_msg("%s", err.text);
  render_image_free(&copy);
}

double seen_eye_distance(const mien_points *points) {
  const mien_point *p = points->point;
  int right = points->count == MIEN_POINTS_ERT ? 36 : 33,
      left = points->count == MIEN_POINTS_ERT ? 45 : 263;
  return hypot((double)(p[left].x - p[right].x), (double)(p[left].y - p[right].y));
}
