// Places the camera: before the head, the face or the mouth.
#include "rig_parts.h"

static void widen(float low[3], float high[3], const float *p) {
  for (int k = 0; k < 3; k++) {
    low[k] = rd_min(low[k], p[k]);
    high[k] = rd_max(high[k], p[k]);
  }
}

// The box of vertices that are one of `bits`; false when there are too few.
static bool region_box(const rig_view *view, int bits, float low[3], float high[3]) {
  int found = 0;
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  for (int i = 0; i < view->rig->nvert; i++) {
    if (!(view->regions[i] & bits)) continue;
    widen(low, high, rd_element(view->rig->positions, 3, i));
    found++;
  }
  return found >= 4;
}

// The box of the landmarks from `first` on, or of the lips, or of lips and lids with the brows
// above and the chin below them; false when none of these is known.
static bool subject_box(const rig_view *view, int first, float low[3], float high[3]) {
  const mien_rig_info *rig = view->rig;
  for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
  int found = 0, lips = MIEN_REGION_LIP_UPPER | MIEN_REGION_LIP_LOWER;
  for (int i = first; i < rig->landmarks.count && i < 68; i++) {
    int vertex = rig->landmarks.data[i];
    if (vertex < 0 || vertex >= rig->nvert) continue;
    widen(low, high, rd_element(rig->positions, 3, vertex));
    found++;
  }
  if (found >= 4) return true;
  if (first == 48) return region_box(view, lips, low, high);
  if (!region_box(view, lips, low, high)) return false;
  region_box(view, lips | MIEN_REGION_EYELID, low, high);
  float height = high[1] - low[1];
  low[0] -= 0.15f * height, high[0] += 0.15f * height;
  low[1] -= 0.45f * height, high[1] += 0.35f * height;
  return true;
}

// The whole rig, or, of a character with a body, the skull and the neck around its face.
static void head_box(const rig_view *view, float low[3], float high[3]) {
  const mien_rig_info *rig = view->rig;
  bool is_part = subject_box(view, 0, low, high);
  float height = high[1] - low[1];
  is_part = is_part && 3.5f * height < rig->box_max[1] - rig->box_min[1];
  low[0] -= 0.3f * height, high[0] += 0.3f * height;
  low[1] -= 0.4f * height, high[1] += 0.5f * height;
  low[2] -= 0.8f * height;
  for (int k = 0; k < 3 && !is_part; k++) low[k] = rig->box_min[k], high[k] = rig->box_max[k];
}

render_camera rig_view_camera(const rig_view *view, rig_view_subject subject, render_angle angle) {
  float low[3], high[3], head_low[3], head_high[3];
  head_box(view, head_low, head_high);
  if (angle.aspect <= 0.0f) {
    angle.aspect = (float)view->target->width / (float)view->target->height;
  }
  bool close =
      subject != RIG_VIEW_HEAD && subject_box(view, subject == RIG_VIEW_MOUTH ? 48 : 0, low, high);
  if (!close) return render_camera_frame(head_low, head_high, angle);
  // Room around: for brows and forehead, or for a mouth that opens.
  float air = subject == RIG_VIEW_MOUTH ? 0.35f : 0.12f;
  for (int k = 0; k < 3; k++) {
    float more = air * (high[k] - low[k]);
    if (k == 1 && subject == RIG_VIEW_MOUTH) more = air * (high[0] - low[0]);
    low[k] -= more;
    high[k] += more;
  }
  // From as far as a picture of the head: the same perspective, a longer lens.
  render_camera whole = render_camera_frame(head_low, head_high, angle);
  render_camera camera = render_camera_frame(low, high, angle);
  rd_vec back = rd_sub(rd_at(camera.eye), rd_at(camera.at));
  float ratio = rd_length(rd_sub(rd_at(whole.eye), rd_at(whole.at))) / rd_length(back);
  if (ratio < 1.0f || camera.height > 0.0f) return camera;
  camera.eye[0] = camera.at[0] + ratio * back.x;
  camera.eye[1] = camera.at[1] + ratio * back.y;
  camera.eye[2] = camera.at[2] + ratio * back.z;
  float slope = tanf(0.5f * camera.field_of_view * RD_PI / 180.0f) / ratio;
  camera.field_of_view = 2.0f * atanf(slope) * 180.0f / RD_PI;
  return camera;
}
