// Pixels in memory: rectangles, lines, images over images, smaller copies.
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SIDE 16384

mien_result render_image_create(int width, int height, uint32_t colour, render_image *out,
                                mien_error *err) {
  if (!out) return rd_fail(err, MIEN_ERR_ARGUMENT, "An image needs a place to be put.");
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "An image of %d x %d pixels cannot be made (1 to %d).",
                   width, height, MAX_SIDE);
  }
  unsigned char *rgb = rd_alloc((size_t)width * (size_t)height, 3);
  if (!rgb) return rd_fail_memory(err);
  *out = (render_image){width, height, rgb};
  render_image_fill(out, (render_rect){0, 0, width, height}, colour, 1.0f);
  return MIEN_OK;
}

void render_image_free(render_image *image) {
  if (!image) return;
  free(image->rgb);
  *image = (render_image){0};
}

static unsigned char *pixel_at(const render_image *image, int x, int y) {
  return image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
}

static void blend_pixel(unsigned char *pixel, const unsigned char colour[3], float opacity) {
  for (int c = 0; c < 3; c++) {
    float mixed = (float)pixel[c] + ((float)colour[c] - (float)pixel[c]) * opacity;
    pixel[c] = (unsigned char)(mixed + 0.5f);
  }
}

static render_rect visible_part(const render_image *image, render_rect rect) {
  int x1 = rect.x + rect.width, y1 = rect.y + rect.height;
  if (rect.x < 0) rect.x = 0;
  if (rect.y < 0) rect.y = 0;
  if (x1 > image->width) x1 = image->width;
  if (y1 > image->height) y1 = image->height;
  rect.width = x1 > rect.x ? x1 - rect.x : 0;
  rect.height = y1 > rect.y ? y1 - rect.y : 0;
  return rect;
}

static void split_colour(uint32_t colour, unsigned char rgb[3]) {
  for (int c = 0; c < 3; c++) rgb[c] = (unsigned char)(colour >> (16 - 8 * c) & 255u);
}

void render_image_fill(render_image *to, render_rect rect, uint32_t colour, float opacity) {
  unsigned char rgb[3];
  split_colour(colour, rgb);
  rect = visible_part(to, rect);
  for (int y = rect.y; y < rect.y + rect.height; y++) {
    for (int x = rect.x; x < rect.x + rect.width; x++) {
      blend_pixel(pixel_at(to, x, y), rgb, rd_clamp(opacity, 0.0f, 1.0f));
    }
  }
}

void render_image_blit(render_image *to, const render_image *from, int x, int y, float opacity) {
  opacity = rd_clamp(opacity, 0.0f, 1.0f);
  render_rect part = visible_part(to, (render_rect){x, y, from->width, from->height});
  for (int row = part.y; row < part.y + part.height; row++) {
    const unsigned char *source = pixel_at(from, part.x - x, row - y);
    unsigned char *pixel = pixel_at(to, part.x, row);
    if (opacity >= 1.0f) {
      memcpy(pixel, source, 3 * (size_t)part.width);
      continue;
    }
    for (int i = 0; i < part.width; i++) blend_pixel(pixel + 3 * i, source + 3 * i, opacity);
  }
}

// -- Lines ----------------------------------------------------------------------------------------

static float distance_to_piece(const float *a, const float *b, float x, float y) {
  float dx = b[0] - a[0], dy = b[1] - a[1];
  float square = dx * dx + dy * dy;
  float t = square > 0.0f ? ((x - a[0]) * dx + (y - a[1]) * dy) / square : 0.0f;
  t = rd_clamp(t, 0.0f, 1.0f);
  return hypotf(a[0] + t * dx - x, a[1] + t * dy - y);
}

// Lays one piece's coverage over the mask: the largest wins, so that pieces join without seams.
static void cover_piece(float *mask, render_rect area, const float *ends, float radius) {
  const float *a = ends, *b = ends + 2;
  float reach = radius + 1.0f;
  int x0 = (int)floorf(rd_min(a[0], b[0]) - reach), x1 = (int)ceilf(rd_max(a[0], b[0]) + reach);
  int y0 = (int)floorf(rd_min(a[1], b[1]) - reach), y1 = (int)ceilf(rd_max(a[1], b[1]) + reach);
  if (x0 < area.x) x0 = area.x;
  if (y0 < area.y) y0 = area.y;
  if (x1 > area.x + area.width) x1 = area.x + area.width;
  if (y1 > area.y + area.height) y1 = area.y + area.height;
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) {
      float far = distance_to_piece(a, b, (float)x + 0.5f, (float)y + 0.5f);
      float cover = rd_clamp(radius + 0.5f - far, 0.0f, 1.0f);
      float *cell = mask + (ptrdiff_t)(y - area.y) * area.width + (x - area.x);
      if (cover > *cell) *cell = cover;
    }
  }
}

static render_rect pieces_area(const render_image *to, const float *pieces, int ncomponent,
                               float reach) {
  float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
  for (ptrdiff_t i = 0; i < 4 * (ptrdiff_t)ncomponent; i++) {
    float value = rd_clamp(pieces[i], -1e6f, 1e6f);
    low[i & 1] = rd_min(low[i & 1], value);
    high[i & 1] = rd_max(high[i & 1], value);
  }
  int x = (int)floorf(low[0] - reach), y = (int)floorf(low[1] - reach);
  int right = (int)ceilf(high[0] + reach), bottom = (int)ceilf(high[1] + reach);
  return visible_part(to, (render_rect){x, y, right - x, bottom - y});
}

void rd_draw_pieces(render_image *to, const float *pieces, int ncomponent, render_pen pen) {
  // A hair line is drawn one pixel wide and fainter.
  float radius = 0.5f * rd_max(pen.width, 1.0f), opacity = pen.opacity * rd_min(pen.width, 1.0f);
  if (ncomponent < 1 || opacity <= 0.0f) return;
  render_rect area = pieces_area(to, pieces, ncomponent, radius + 1.0f);
  if (!area.width || !area.height) return;
  float *mask = rd_alloc((size_t)area.width * (size_t)area.height, sizeof *mask);
  if (!mask) return;
  for (int i = 0; i < ncomponent; i++) cover_piece(mask, area, pieces + 4 * (ptrdiff_t)i, radius);
  unsigned char rgb[3];
  split_colour(pen.colour, rgb);
  for (int y = 0; y < area.height; y++) {
    for (int x = 0; x < area.width; x++) {
      float cover = mask[(ptrdiff_t)y * area.width + x];
      if (cover > 0.0f) blend_pixel(pixel_at(to, area.x + x, area.y + y), rgb, cover * opacity);
    }
  }
  free(mask);
}

void render_image_line(render_image *to, const float *points, int npoint, render_pen pen) {
  if (npoint < 1) return;
  int ncomponent = npoint > 1 ? npoint - 1 : 1;
  float *pieces = RD_NEW(float, 4 * (size_t)ncomponent);
  if (!pieces) return;
  for (int i = 0; i < ncomponent; i++) {
    int end = i + 1 < npoint ? i + 1 : i;
    memcpy(pieces + 4 * (ptrdiff_t)i, points + 2 * (ptrdiff_t)i, 2 * sizeof *points);
    memcpy(pieces + 4 * (ptrdiff_t)i + 2, points + 2 * (ptrdiff_t)end, 2 * sizeof *points);
  }
  rd_draw_pieces(to, pieces, ncomponent, pen);
  free(pieces);
}

// -- Scaling --------------------------------------------------------------------------------------

// One output row: every input pixel counts by the area it shares with the output pixel.
static void scale_row(const render_image *from, const rd_gamma *gamma, render_image *to, int row) {
  double step_x = (double)from->width / to->width, step_y = (double)from->height / to->height;
  double top = row * step_y, bottom = top + step_y;
  for (int column = 0; column < to->width; column++) {
    double left = column * step_x, right = left + step_x, sum[3] = {0}, total = 0;
    for (int y = (int)top; y < from->height && y < bottom; y++) {
      double tall = fmin(bottom, y + 1.0) - fmax(top, y);
      for (int x = (int)left; x < from->width && x < right; x++) {
        double area = tall * (fmin(right, x + 1.0) - fmax(left, x));
        const unsigned char *pixel = pixel_at(from, x, y);
        for (int c = 0; c < 3; c++) sum[c] += area * (double)gamma->light[pixel[c]];
        total += area;
      }
    }
    unsigned char *pixel = pixel_at(to, column, row);
    for (int c = 0; c < 3; c++) pixel[c] = rd_gamma_byte(gamma, (float)(sum[c] / total));
  }
}

mien_result render_image_scale(const render_image *from, int width, int height, render_image *out,
                               mien_error *err) {
  if (!from || !from->rgb) return rd_fail(err, MIEN_ERR_ARGUMENT, "There is no image to scale.");
  render_image scaled;
  mien_result result = render_image_create(width, height, 0, &scaled, err);
  if (result < 0) return result;
  rd_gamma gamma;
  rd_gamma_init(&gamma);
  for (int row = 0; row < height; row++) scale_row(from, &gamma, &scaled, row);
  *out = scaled;
  return MIEN_OK;
}
