#include "bake_picture.h"

#include "picture.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS = 240 };

bool bake_picture_add(bake_picture *worst, int frame, const mien_state_info *state) {
  size_t count = 3 * (size_t)state->positions.count;
  if (!worst->path || (worst->points && state->max_offset <= worst->offset)) return true;
  if (!worst->points) worst->points = malloc((count + 1) * sizeof *worst->points);
  if (!worst->points) return false;
  memcpy(worst->points, state->positions.data, count * sizeof *worst->points);
  worst->offset = state->max_offset;
  worst->frame = frame;
  return true;
}

int bake_picture_write(const bake_picture *worst, const mien_rig *rig) {
  picture_def def = {.rig = rig, .npanel = 1, .width = PIXELS, .height = PIXELS, .plain = true};
  render_image image = {0};
  struct picture *drawing = NULL;
  mien_error err;
  if (!worst->path || !worst->points) return CLI_DONE;
  def.panels[0] = (picture_panel){.kind = PANEL_SKIN, .angle = {.yaw = 20, .pitch = 5, .zoom = 1}};
  def.subject = RIG_VIEW_HEAD;
  picture_pose pose = {.positions = {worst->points, mien_rig_get_info(rig)->nvert, 3},
                       .head = {.rotation = {0, 0, 0, 1}}};
  mien_result result = picture_create(&def, &drawing, &err);
  if (result >= 0) result = picture_draw(drawing, &pose, &image, &err);
  if (result >= 0) result = render_image_save(&image, worst->path, &err);
  render_image_free(&image);
  picture_free(drawing);
  return result < 0 ? cli_report(&err, worst->path) : CLI_DONE;
}

void bake_picture_free(bake_picture *worst) {
  free(worst->points);
}
