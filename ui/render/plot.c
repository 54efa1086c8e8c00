// Axes that fit the data, curves cut at the frame, names in the emptiest corner.
#include "plot.h"

#include "internal.h"

#include <stdlib.h>

#define INK 0x2B2B33u
#define GRID 0xE3E1DCu
#define PAPER 0xFFFFFFu

// Eight colours of even lightness that stay apart for colour-blind eyes.
static const uint32_t series_colours[] = {0x1F5FA8u, 0xD4572Au, 0x1B8A6Bu, 0x8A4FA3u,
                                          0xC79A1Eu, 0x3AA0C9u, 0xB03060u, 0x5C5F66u};

typedef struct axis {
  double min, max;
  bool is_log;
} axis;

typedef struct plot_frame {
  axis x, y;
  render_rect area; // where curves go
  float size;       // of the numbers
} plot_frame;

// -- Axes -----------------------------------------------------------------------------------------

static double axis_place(axis a, double value) { // 0 to 1
  if (a.is_log) return log(value / a.min) / log(a.max / a.min);
  return (value - a.min) / (a.max - a.min);
}

static bool can_show(axis a, double value) {
  return isfinite(value) && (!a.is_log || value > 0.0);
}

static double series_x(const plot_series *series, int i) {
  return series->x ? series->x[i] : i;
}

static axis data_range(const plot *p, bool vertical) {
  axis a = {INFINITY, -INFINITY, vertical ? p->log_y != 0 : p->log_x != 0};
  for (int s = 0; s < p->nseries; s++) {
    for (int i = 0; i < p->series[s].count; i++) {
      double value = vertical ? p->series[s].y[i] : series_x(&p->series[s], i);
      if (!can_show(a, value)) continue;
      a.min = fmin(a.min, value);
      a.max = fmax(a.max, value);
    }
  }
  return a;
}

// The data's range with a little air, or what the caller asked for; never empty.
static axis choose_axis(const plot *p, bool vertical) {
  double low = vertical ? p->y_min : p->x_min, high = vertical ? p->y_max : p->x_max;
  axis a = data_range(p, vertical);
  if (low < high && (!a.is_log || low > 0.0)) return (axis){low, high, a.is_log};
  if (!(a.min <= a.max)) return (axis){a.is_log ? 0.1 : 0.0, 1.0, a.is_log};
  if (a.is_log) {
    double air = vertical ? pow(a.max / a.min, 0.05) : 1.0;
    if (a.max / a.min < 1.0 + 1e-9) air = 2.0;
    return (axis){a.min / air, a.max * air, true};
  }
  double span = a.max - a.min;
  if (span <= 1e-12 * fmax(fabs(a.min), fabs(a.max))) span = fabs(a.max) > 0.0 ? fabs(a.max) : 1.0;
  double air = vertical || a.min == a.max ? 0.06 * span : 0.0;
  // A curve of amounts starts from 0 when 0 is near.
  bool from_zero = vertical && a.min >= 0.0 && a.min < 0.25 * a.max;
  return (axis){from_zero ? 0.0 : a.min - air, a.max + air, false};
}

static plot_frame choose_frame(const plot *p) {
  plot_frame f = {.x = choose_axis(p, false), .y = choose_axis(p, true)};
  int width = p->width > 0 ? p->width : 900, height = p->height > 0 ? p->height : 540;
  f.size = rd_clamp((float)height / 52.0f, 7.0f, 14.0f);
  int unit = (int)f.size;
  int left = (p->y_label ? 9 : 7) * unit, right = 3 * unit;
  int top = (p->title ? 5 : 2) * unit, bottom = (p->x_label ? 6 : 4) * unit;
  f.area = (render_rect){left, top, width - left - right, height - top - bottom};
  if (f.area.width < 8) f.area.width = 8;
  if (f.area.height < 8) f.area.height = 8;
  return f;
}

static void locate(const plot_frame *f, double x, double y, float pixel[2]) {
  pixel[0] = (float)(f->area.x + f->area.width * axis_place(f->x, x));
  pixel[1] = (float)(f->area.y + f->area.height * (1.0 - axis_place(f->y, y)));
}

void plot_locate(const plot *p, double x, double y, float pixel[2]) {
  plot_frame f = choose_frame(p);
  locate(&f, x, y, pixel);
}

static void draw_axes(const plot *p, const plot_frame *f, render_image *to) {
  float left = (float)f->area.x, right = left + (float)f->area.width;
  float top = (float)f->area.y, bottom = top + (float)f->area.height;
  render_pen grid = {GRID, 1.0f, 1.0f}, ink = {INK, 1.2f, 1.0f};
  render_type number = {f->size, INK, RENDER_MIDDLE, 0, 0};
  rd_ticks ticks = rd_ticks_between(f->x.min, f->x.max, f->x.is_log, f->area.width / 90);
  for (int i = 0; i < ticks.count; i++) {
    float x = floorf(left + (float)axis_place(f->x, ticks.at[i]) * (right - left)) + 0.5f;
    render_image_line(to, (float[4]){x, top, x, bottom}, 2, grid);
    render_text(to, x, bottom + 2.0f * f->size, number, ticks.text[i]);
  }
  number.align = RENDER_RIGHT;
  ticks = rd_ticks_between(f->y.min, f->y.max, f->y.is_log, f->area.height / 60);
  for (int i = 0; i < ticks.count; i++) {
    float y = floorf(bottom - (float)axis_place(f->y, ticks.at[i]) * (bottom - top)) + 0.5f;
    render_image_line(to, (float[4]){left, y, right, y}, 2, grid);
    render_text(to, left - 0.7f * f->size, y + 0.5f * f->size, number, ticks.text[i]);
  }
  render_image_line(to, (float[6]){left, top, left, bottom, right, bottom}, 3, ink);
  number.align = RENDER_MIDDLE;
  if (p->x_label) {
    render_text(to, 0.5f * (left + right), bottom + 4.4f * f->size, number, p->x_label);
  }
  if (p->y_label) {
    number.upwards = 1;
    render_text(to, 1.8f * f->size, 0.5f * (top + bottom), number, p->y_label);
  }
  render_type title = {1.4f * f->size, INK, RENDER_LEFT, 1, 0};
  if (p->title) render_text(to, left, 2.8f * f->size, title, p->title);
}

// -- Curves ---------------------------------------------------------------------------------------

// The part of a piece inside the frame, so that a curve that leaves it is cut at its edge. False
// when nothing is inside (Liang-Barsky).
static bool cut_to_area(render_rect area, float piece[4]) {
  float d[2] = {piece[2] - piece[0], piece[3] - piece[1]}, from = 0.0f, to = 1.0f;
  float low[2] = {(float)area.x, (float)area.y};
  float high[2] = {low[0] + (float)area.width, low[1] + (float)area.height};
  for (int k = 0; k < 2; k++) {
    float step[2] = {-d[k], d[k]}, room[2] = {piece[k] - low[k], high[k] - piece[k]};
    for (int side = 0; side < 2; side++) {
      if (step[side] == 0.0f && room[side] < 0.0f) return false;
      if (step[side] < 0.0f) from = fmaxf(from, room[side] / step[side]);
      if (step[side] > 0.0f) to = fminf(to, room[side] / step[side]);
    }
  }
  if (from > to) return false;
  float start[2] = {piece[0], piece[1]};
  for (int k = 0; k < 2; k++) {
    piece[k] = start[k] + from * d[k];
    piece[k + 2] = start[k] + to * d[k];
  }
  return true;
}

// Splits a piece into dashes; `travelled` goes on from piece to piece.
static int dash_piece(const float piece[4], float dash, float *travelled, float *out, int room) {
  float length = hypotf(piece[2] - piece[0], piece[3] - piece[1]), at = 0.0f;
  int count = 0;
  while (at < length && count < room) {
    float phase = fmodf(*travelled, 2.0f * dash);
    float end = fminf(length, at + fmaxf(0.05f, (phase < dash ? dash : 2.0f * dash) - phase));
    if (phase < dash) {
      for (int k = 0; k < 2; k++) {
        out[4 * count + k] = piece[k] + (piece[k + 2] - piece[k]) * at / length;
        out[4 * count + 2 + k] = piece[k] + (piece[k + 2] - piece[k]) * end / length;
      }
      count++;
    }
    *travelled += end - at;
    at = end;
  }
  return count;
}

static bool is_shown(const plot_frame *f, const plot_series *series, int i) {
  return can_show(f->x, series_x(series, i)) && can_show(f->y, series->y[i]);
}

static mien_result draw_series(const plot_frame *f, const plot_series *series, render_image *to,
                               render_pen pen, mien_error *err) {
  const int dashes = series->style == PLOT_DASHED ? 64 : 1;
  float *pieces = RD_NEW(float, 4 * (size_t)dashes * (size_t)(series->count + 1));
  if (!pieces) return rd_fail_memory(err);
  int ncomponent = 0;
  float travelled = 0.0f;
  for (int i = 0; i < series->count; i++) {
    int next = series->style == PLOT_DOTS ? i : i + 1;
    if (next >= series->count || !is_shown(f, series, i) || !is_shown(f, series, next)) continue;
    float piece[4], *out = pieces + 4 * (ptrdiff_t)ncomponent;
    locate(f, series_x(series, i), series->y[i], piece);
    locate(f, series_x(series, next), series->y[next], piece + 2);
    if (!cut_to_area(f->area, piece)) continue;
    if (series->style == PLOT_DASHED) {
      ncomponent += dash_piece(piece, 3.0f * pen.width, &travelled, out, dashes);
    } else {
      for (int k = 0; k < 4; k++) out[k] = piece[k];
      ncomponent++;
    }
  }
  if (series->style == PLOT_DOTS) pen.width *= 2.4f;
  rd_draw_pieces(to, pieces, ncomponent, pen);
  free(pieces);
  return MIEN_OK;
}

// -- Legend ---------------------------------------------------------------------------------------

static render_pen series_pen(const plot *p, const plot_frame *f, int s) {
  uint32_t colour = p->series[s].colour ? p->series[s].colour : series_colours[s % 8];
  return (render_pen){colour, fmaxf(1.5f, 0.21f * f->size), 1.0f};
}

// How many points of the curves fall into a rectangle.
static int crowd(const plot *p, const plot_frame *f, render_rect box) {
  int count = 0;
  for (int s = 0; s < p->nseries; s++) {
    for (int i = 0; i < p->series[s].count; i++) {
      if (!is_shown(f, &p->series[s], i)) continue;
      float at[2];
      locate(f, series_x(&p->series[s], i), p->series[s].y[i], at);
      count += at[0] >= (float)box.x && at[0] <= (float)(box.x + box.width) &&
               at[1] >= (float)box.y && at[1] <= (float)(box.y + box.height);
    }
  }
  return count;
}

static void draw_names(const plot *p, const plot_frame *f, render_image *to) {
  render_type type = {f->size, INK, RENDER_LEFT, 0, 0};
  float widest = 0.0f;
  int nname = 0, unit = (int)f->size, line = 2 * unit;
  for (int s = 0; s < p->nseries; s++) {
    if (!p->series[s].name) continue;
    widest = fmaxf(widest, render_text_width(type, p->series[s].name));
    nname++;
  }
  if (!nname) return;
  render_rect box = {0, 0, (int)widest + 5 * unit, nname * line + unit};
  // The emptiest corner, the upper right one first.
  render_rect best = box;
  for (int corner = 0, fewest = -1; corner < 4; corner++) {
    box.x = corner % 2 ? f->area.x + unit : f->area.x + f->area.width - box.width - unit;
    box.y = corner < 2 ? f->area.y + unit : f->area.y + f->area.height - box.height - unit;
    int points = crowd(p, f, box);
    if (fewest >= 0 && points >= fewest) continue;
    fewest = points;
    best = box;
  }
  render_image_fill(to, best, PAPER, 0.85f);
  float y = (float)best.y + 1.8f * f->size, x = (float)best.x + f->size;
  for (int s = 0; s < p->nseries; s++) {
    if (!p->series[s].name) continue;
    float middle = y - 0.5f * f->size, end = x + 2.4f * f->size, half = 0.5f * (x + end);
    render_pen pen = series_pen(p, f, s);
    if (p->series[s].style == PLOT_DOTS) {
      pen.width *= 2.4f;
      render_image_line(to, (float[2]){half, middle}, 1, pen);
    } else if (p->series[s].style == PLOT_DASHED) {
      render_image_line(to, (float[4]){x, middle, half - 0.4f * f->size, middle}, 2, pen);
      render_image_line(to, (float[4]){half + 0.4f * f->size, middle, end, middle}, 2, pen);
    } else {
      render_image_line(to, (float[4]){x, middle, end, middle}, 2, pen);
    }
    render_text(to, end + 0.6f * f->size, y, type, p->series[s].name);
    y += (float)line;
  }
}

mien_result plot_draw(const plot *p, render_image *out, mien_error *err) {
  if (!p || !out || p->nseries < 0 || (p->nseries && !p->series)) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A plot needs its series and a place for the image.");
  }
  for (int s = 0; s < p->nseries; s++) {
    if (p->series[s].count < 0 || (p->series[s].count && !p->series[s].y)) {
      return rd_fail(err, MIEN_ERR_ARGUMENT, "Series %d of the plot has no values.", s);
    }
  }
  render_image image;
  mien_result result = render_image_create(p->width > 0 ? p->width : 900,
                                           p->height > 0 ? p->height : 540, PAPER, &image, err);
  if (result < 0) return result;
  plot_frame f = choose_frame(p);
  draw_axes(p, &f, &image);
  for (int s = 0; s < p->nseries && result >= 0; s++) {
    result = draw_series(&f, &p->series[s], &image, series_pen(p, &f, s), err);
  }
  if (result < 0) {
    render_image_free(&image);
    return result;
  }
  draw_names(p, &f, &image);
  *out = image;
  return MIEN_OK;
}
