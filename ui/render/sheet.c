// Images side by side with captions, and the legend of a colour map.
#include "internal.h"

#include <string.h>

// -- Legend ---------------------------------------------------------------------------------------

static void draw_upright(render_image *to, render_rect rect, const render_legend *legend,
                         float size) {
  int head = legend->label ? (int)(2.2f * size) : 0;
  int wide = rect.width / 3 < 3 * (int)size ? rect.width / 3 : 3 * (int)size;
  render_rect bar = {rect.x, rect.y + head, wide, rect.height - head - (int)size};
  for (int y = 0; y < bar.height; y++) {
    float t = 1.0f - ((float)y + 0.5f) / (float)bar.height;
    render_image_fill(to, (render_rect){bar.x, bar.y + y, bar.width, 1},
                      render_map_colour(legend->map, t), 1.0f);
  }
  render_type type = {size, legend->colour, RENDER_LEFT, 0, 0};
  rd_ticks ticks = rd_ticks_between(legend->min, legend->max, false, 4);
  for (int i = 0; i < ticks.count; i++) {
    double t = (ticks.at[i] - legend->min) / (legend->max - legend->min);
    float y = (float)bar.y + (float)bar.height * (float)(1.0 - t);
    float mark[4] = {(float)(bar.x + bar.width), y, (float)(bar.x + bar.width) + 0.5f * size, y};
    render_image_line(to, mark, 2, (render_pen){legend->colour, 1.0f, 1.0f});
    render_text(to, mark[2] + 0.4f * size, y + 0.5f * size, type, ticks.text[i]);
  }
  if (legend->label) render_text(to, (float)rect.x, (float)rect.y + size, type, legend->label);
}

static void draw_lying(render_image *to, render_rect rect, const render_legend *legend,
                       float size) {
  int head = legend->label ? (int)(1.8f * size) : 0;
  int foot = (int)(2.2f * size), least = head + foot + (int)size;
  if (rect.height < least) { // a small picture: upwards, there is nothing below
    rect.y -= least - rect.height;
    rect.height = least;
  }
  render_rect bar = {rect.x, rect.y + head, rect.width, rect.height - head - foot};
  for (int x = 0; x < bar.width; x++) {
    float t = ((float)x + 0.5f) / (float)bar.width;
    render_image_fill(to, (render_rect){bar.x + x, bar.y, 1, bar.height},
                      render_map_colour(legend->map, t), 1.0f);
  }
  render_type type = {size, legend->colour, RENDER_MIDDLE, 0, 0};
  int wanted = (int)((float)bar.width / (6 * size));
  if (wanted > 4) wanted = 4;
  rd_ticks ticks = rd_ticks_between(legend->min, legend->max, false, wanted);
  for (int i = 0; i < ticks.count; i++) {
    double t = (ticks.at[i] - legend->min) / (legend->max - legend->min);
    float x = (float)bar.x + (float)bar.width * (float)t, y = (float)(bar.y + bar.height);
    float mark[4] = {x, y, x, y + 0.4f * size};
    render_image_line(to, mark, 2, (render_pen){legend->colour, 1.0f, 1.0f});
    render_text(to, x, y + 1.8f * size, type, ticks.text[i]);
  }
  type.align = RENDER_LEFT;
  if (legend->label) render_text(to, (float)rect.x, (float)rect.y + size, type, legend->label);
}

void render_image_legend(render_image *to, render_rect rect, const render_legend *legend) {
  bool upright = rect.height > rect.width;
  float size = upright ? rd_clamp((float)rect.height / 26.0f, 7.0f, 16.0f)
                       : rd_clamp((float)rect.height / 5.0f, 7.0f, 16.0f);
  if (upright) {
    draw_upright(to, rect, legend, size);
  } else {
    draw_lying(to, rect, legend, size);
  }
}

// -- Sheet ----------------------------------------------------------------------------------------

typedef struct sheet_layout {
  int columns, rows, width, height, gap; // of a cell's image
  int title, label;                      // pixels of a title line, of a label line
  float title_size, label_size;
} sheet_layout;

static sheet_layout lay_out(const render_sheet *sheet) {
  sheet_layout at = {.columns = sheet->ncolumn > 0 ? sheet->ncolumn : sheet->ncell,
                     .width = sheet->cell_width,
                     .height = sheet->cell_height,
                     .gap = sheet->gap < 0 ? 12 : sheet->gap};
  if (at.columns > sheet->ncell) at.columns = sheet->ncell;
  if (at.columns < 1) at.columns = 1;
  at.rows = (sheet->ncell + at.columns - 1) / at.columns;
  bool labelled = false;
  for (int i = 0; i < sheet->ncell; i++) {
    const render_image *image = sheet->cells[i].image;
    labelled = labelled || sheet->cells[i].label;
    if (!image) continue;
    if (!sheet->cell_width && image->width > at.width) at.width = image->width;
    if (!sheet->cell_height && image->height > at.height) at.height = image->height;
  }
  at.label_size = rd_clamp((float)at.width / 40.0f, 8.0f, 14.0f);
  at.title_size = rd_clamp((float)(at.width * at.columns) / 60.0f, 11.0f, 20.0f);
  at.label = labelled ? (int)(2.6f * at.label_size) : 0;
  at.title = sheet->title ? (int)(2.8f * at.title_size) : 0;
  return at;
}

render_rect render_sheet_cell(const render_sheet *sheet, int i) {
  sheet_layout at = lay_out(sheet);
  int column = i % at.columns, row = i / at.columns;
  return (render_rect){at.gap + column * (at.width + at.gap),
                       at.gap + at.title + row * (at.height + at.label + at.gap), at.width,
                       at.height};
}

// In the middle of its cell, smaller when it does not fit.
static mien_result place_image(render_image *to, const render_image *image, render_rect cell,
                               mien_error *err) {
  double scale =
      fmin(1.0, fmin((double)cell.width / image->width, (double)cell.height / image->height));
  int width = (int)(image->width * scale + 0.5), height = (int)(image->height * scale + 0.5);
  if (width < 1) width = 1;
  if (height < 1) height = 1;
  int x = cell.x + (cell.width - width) / 2, y = cell.y + (cell.height - height) / 2;
  if (scale >= 1.0) {
    render_image_blit(to, image, x, y, 1.0f);
    return MIEN_OK;
  }
  render_image scaled = {0};
  mien_result result = render_image_scale(image, width, height, &scaled, err);
  if (result < 0) return result;
  render_image_blit(to, &scaled, x, y, 1.0f);
  render_image_free(&scaled);
  return MIEN_OK;
}

mien_result render_sheet_draw(const render_sheet *sheet, render_image *out, mien_error *err) {
  if (!sheet || !out || sheet->ncell < 1 || !sheet->cells) {
    return rd_fail(err, MIEN_ERR_ARGUMENT, "A sheet needs at least one image.");
  }
  sheet_layout at = lay_out(sheet);
  bool plain = !sheet->background && !sheet->text;
  uint32_t background = plain ? 0xF4F2EEu : sheet->background;
  uint32_t ink = plain ? 0x26262Bu : sheet->text;
  render_image image;
  mien_result result = render_image_create(
      at.gap + at.columns * (at.width + at.gap),
      at.gap + at.title + at.rows * (at.height + at.label + at.gap), background, &image, err);
  if (result < 0) return result;
  render_type type = {at.label_size, ink, RENDER_MIDDLE, 0, 0};
  for (int i = 0; i < sheet->ncell && result >= 0; i++) {
    render_rect cell = render_sheet_cell(sheet, i);
    const render_cell *given = &sheet->cells[i];
    if (given->image && given->image->rgb) result = place_image(&image, given->image, cell, err);
    if (!given->label) continue;
    float baseline = (float)(cell.y + cell.height) + 1.9f * at.label_size;
    render_text(&image, (float)cell.x + 0.5f * (float)cell.width, baseline, type, given->label);
  }
  if (result < 0) {
    render_image_free(&image);
    return result;
  }
  render_type title = {at.title_size, ink, RENDER_LEFT, 1, 0};
  if (sheet->title) {
    render_text(&image, (float)at.gap, (float)at.gap + 1.5f * at.title_size, title, sheet->title);
  }
  *out = image;
  return MIEN_OK;
}
