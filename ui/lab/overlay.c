#include "overlay.h"

#include <math.h>

render_rect overlay_rect(const mien_points *points) {
  float low[2] = {1e9f, 1e9f}, high[2] = {-1e9f, -1e9f};
  for (int i = 0; i < points->count; i++) {
    const float at[2] = {points->point[i].x, points->point[i].y};
    for (int c = 0; c < 2; c++) {
      low[c] = fminf(low[c], at[c]);
      high[c] = fmaxf(high[c], at[c]);
    }
  }
  float side = 1.25f * fmaxf(high[0] - low[0], high[1] - low[1]);
  if (!(side >= 16)) return (render_rect){0, 0, points->width, points->height};
  return (render_rect){(int)(0.5f * (low[0] + high[0] - side)),
                       (int)(0.5f * (low[1] + high[1] - side)), (int)side, (int)side};
}

mien_result overlay_crop(const render_image *from, render_rect rect, int side, render_image *out,
                         mien_error *err) {
  render_image part = {0};
  mien_result result = render_image_create(rect.width, rect.height, 0, &part, err);
  if (result < 0) return result;
  render_image_blit(&part, from, -rect.x, -rect.y, 1);
  result = render_image_scale(&part, side, side, out, err);
  render_image_free(&part);
  return result;
}

// A net between points: each with its nearest three. Long threads would cross lips and eyes.
static void draw_net(render_image *to, const float *xy, int count, float longest, render_pen pen) {
  enum { NEAREST = 3 };
  for (int i = 0; i < count; i++) {
    int best[NEAREST];
    float off[NEAREST];
    for (int k = 0; k < NEAREST; k++) best[k] = -1, off[k] = longest;
    for (int j = 0; j < count; j++) {
      int at = j;
      float d = hypotf(xy[2 * j] - xy[2 * i], xy[2 * j + 1] - xy[2 * i + 1]);
      for (int k = 0; k < NEAREST && j != i; k++) {
        if (d >= off[k]) continue;
        float d_before = off[k];
        int before = best[k];
        off[k] = d, best[k] = at;
        d = d_before, at = before;
      }
    }
    for (int k = 0; k < NEAREST; k++) {
      if (best[k] < 0) continue;
      float line[4] = {xy[2 * i], xy[2 * i + 1], xy[2 * best[k]], xy[2 * best[k] + 1]};
      render_image_line(to, line, 2, pen);
    }
  }
}

mien_result overlay_draw(const render_image *picture, const mien_points *points,
                         const mien_fit_info *fit, int side, render_image *out, mien_error *err) {
  render_rect rect = overlay_rect(points);
  mien_result result = overlay_crop(picture, rect, side, out, err);
  if (result < 0) return result;
  float scale = (float)side / (float)rect.width, xy[2 * MIEN_POINTS_MOST];
  int count = fit->npoint < MIEN_POINTS_MOST ? fit->npoint : MIEN_POINTS_MOST;
  for (int i = 0; i < count; i++) {
    xy[2 * i] = scale * (fit->points.data[2 * i] - (float)rect.x);
    xy[2 * i + 1] = scale * (fit->points.data[2 * i + 1] - (float)rect.y);
  }
  draw_net(out, xy, count, 0.06f * (float)side, (render_pen){0xff7030, 1, 0.8f});
  for (int i = 0; i < points->count; i++) {
    float x = scale * (points->point[i].x - (float)rect.x);
    float y = scale * (points->point[i].y - (float)rect.y);
    render_image_line(out, (float[]){x, y, x, y}, 2, (render_pen){0x30c0ff, 2.5f, 1});
  }
  return MIEN_OK;
}
