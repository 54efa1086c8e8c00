#include "moments.h"

#include "picture.h"

#include <stdlib.h>
#include <string.h>

bool moments_keep(moments *m, int place, const mien_state_info *state, const float *artist,
                  const char *label) {
  size_t size = 3 * (size_t)state->positions.count * sizeof(float);
  m->nvert = state->positions.count;
  if (!m->now[place]) m->now[place] = malloc(size);
  if (!m->artist[place]) m->artist[place] = malloc(size);
  if (!m->now[place] || !m->artist[place]) return false;
  memcpy(m->now[place], state->positions.data, size);
  memcpy(m->artist[place], artist, size);
  snprintf(m->label[place], sizeof m->label[place], "%s", label);
  return true;
}

// One over the other: a picture's panels are side by side.
static mien_result draw_one(const moments *m, int place, picture *const pictures[2],
                            render_image *out, mien_error *err) {
  picture_pose pose = {.positions = {m->now[place], m->nvert, 3},
                       .reference = {m->artist[place], m->nvert, 3},
                       .head = {.rotation = {0, 0, 0, 1}}};
  render_image part = {0};
  mien_result result = MIEN_OK;
  for (int k = 0; result >= 0 && k < 2; k++) {
    result = picture_draw(pictures[k], &pose, &part, err);
    if (result >= 0 && !k)
      result = render_image_create(part.width, 2 * part.height, 0xffffff, out, err);
    if (result >= 0) render_image_blit(out, &part, 0, k * part.height, 1);
  }
  render_image_free(&part);
  return result;
}

static mien_result draw_all(const moments *m, picture *const pictures[2],
                            const moments_style *style, const char *path, mien_error *err) {
  render_image images[MOMENTS_MOST] = {{0}}, sheet = {0};
  render_cell cells[MOMENTS_MOST];
  mien_result result = MIEN_OK;
  int count = 0;
  for (; result >= 0 && count < MOMENTS_MOST && m->now[count]; count++) {
    result = draw_one(m, count, pictures, images + count, err);
    cells[count] = (render_cell){images + count, m->label[count]};
  }
  render_sheet def = {.title = style->title, .cells = cells, .ncell = count, .gap = -1};
  if (result >= 0) result = render_sheet_draw(&def, &sheet, err);
  if (result >= 0) result = render_image_save(&sheet, path, err);
  for (int k = 0; k < MOMENTS_MOST; k++) render_image_free(images + k);
  render_image_free(&sheet);
  return result;
}

int moments_save(const moments *m, const mien_rig *rig, const moments_style *style,
                 const char *path) {
  const render_angle angle = {.yaw = style->yaw, .pitch = style->pitch, .zoom = style->zoom};
  picture_def def = {.rig = rig,
                     .panels = {{PANEL_SKIN, NULL, angle, false}},
                     .npanel = 1,
                     .width = style->size,
                     .height = style->size,
                     .field = "difference",
                     .field_max = style->most};
  picture *pictures[2] = {NULL, NULL};
  mien_error err;
  mien_result result = m->now[0] ? MIEN_OK : MIEN_REMARK;
  for (int k = 0; result == MIEN_OK && k < 2; k++) {
    def.panels[0].kind = k ? PANEL_HEAT : PANEL_SKIN;
    result = picture_create(&def, pictures + k, &err);
  }
  if (result == MIEN_OK) result = draw_all(m, pictures, style, path, &err);
  for (int k = 0; k < 2; k++) picture_free(pictures[k]);
  return result < 0 ? cli_report(&err, path) : CLI_DONE;
}

void moments_free(moments *m) {
  for (int k = 0; k < MOMENTS_MOST; k++) {
    free(m->now[k]);
    free(m->artist[k]);
  }
  *m = (moments){0};
}
