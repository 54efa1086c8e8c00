// What the tests of the picture maker share.
#ifndef TEST_PICTURE_H
#define TEST_PICTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline uint32_t pixel(const render_image *image, int x, int y) {
  const unsigned char *p = image->rgb + 3 * ((ptrdiff_t)y * image->width + x);
  return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

static inline int channel_gap(uint32_t a, uint32_t b) {
  int most = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    int gap = abs((int)(a >> shift & 255u) - (int)(b >> shift & 255u));
    if (gap > most) most = gap;
  }
  return most;
}

#define assert_pixel(image, x, y, wanted) assert_true(channel_gap(pixel(image, x, y), wanted) <= 2)

// A target with one background colour, no shadows, and a camera that shows x and y from -1 to 1.
static inline render_target *flat_target(int size) {
  render_target_def def;
  render_target_def_init(&def);
  def.width = def.height = size;
  def.top = def.bottom = 0x204060;
  def.vignette = 0.0f;
  def.shadows = 0;
  render_target *target = NULL;
  mien_error err = {0};
  if (render_target_create(&def, &target, &err) < 0) fail_msg("%s", err.text);
  return target;
}

static inline render_camera square_camera(void) {
  return (render_camera){.eye = {0, 0, 5}, .up = {0, 1, 0}, .height = 2.0f};
}

static inline render_mesh *make_mesh(render_target *target, const float *positions, int nvert,
                                     const int32_t *triangles, int ntri) {
  render_mesh_def def = {.positions = {positions, nvert, 3}, .triangles = {triangles, 3 * ntri}};
  render_mesh *mesh = NULL;
  mien_error err = {0};
  if (render_mesh_create(target, &def, &mesh, &err) < 0) fail_msg("%s", err.text);
  return mesh;
}

static inline render_item flat_item(const render_mesh *mesh, uint32_t colour) {
  render_item item;
  render_item_init(&item);
  item.mesh = mesh;
  item.material = RENDER_FLAT;
  render_linear_colour(colour, item.colour);
  return item;
}

#endif
