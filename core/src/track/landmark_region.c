// Where to look in the next frame, from the points of this one.
#include "track/landmark.h"

#include <math.h>

static const mi_face_box nowhere = {0, 0, 0, 0, 0};

static void mean_of(const mien_points *points, int first, int end, float mean[2]) {
  mean[0] = mean[1] = 0;
  for (int i = first; i < end; i++) {
    mean[0] += points->point[i].x / (float)(end - first);
    mean[1] += points->point[i].y / (float)(end - first);
  }
}

// A face has some size, its middle is in the picture, and its mouth is below its eyes.
static mi_face_box checked(const mien_points *points, mi_face_box box, const float eyes[2],
                           const float mouth[2]) {
  float down = -sinf(box.turn) * (mouth[0] - eyes[0]) + cosf(box.turn) * (mouth[1] - eyes[1]);
  bool is_face = isfinite(box.x) && isfinite(box.y) && box.side >= 24 &&
                 box.side <= 4 * (float)(points->width + points->height) && box.x >= 0 &&
                 box.y >= 0 && box.x <= (float)points->width && box.y <= (float)points->height &&
                 down > 0.05f * box.side;
  return is_face ? box : nowhere;
}

mi_face_box mi_region_mesh(const mien_points *points) {
  if (points->count != MIEN_POINTS_MESH) return nowhere;
  const mien_point *p = points->point;
  float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < points->count; i++) {
    low[0] = fminf(low[0], p[i].x);
    low[1] = fminf(low[1], p[i].y);
    high[0] = fmaxf(high[0], p[i].x);
    high[1] = fmaxf(high[1], p[i].y);
  }
  mi_face_box box = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2,
                     1.5f * fmaxf(high[0] - low[0], high[1] - low[1]),
                     atan2f(p[263].y - p[33].y, p[263].x - p[33].x), 1};
  const float eyes[2] = {(p[33].x + p[263].x) / 2, (p[33].y + p[263].y) / 2};
  const float mouth[2] = {(p[61].x + p[291].x) / 2, (p[61].y + p[291].y) / 2};
  return checked(points, box, eyes, mouth);
}

// The boxes that the 68-point model was trained on, by its own points: upright, from the brows to
// the chin (constants fitted to dlib's detector on real faces).
mi_face_box mi_region_ert(const mien_points *points) {
  if (points->count != MIEN_POINTS_ERT) return nowhere;
  float right[2], left[2], mouth[2];
  mean_of(points, 36, 42, right);
  mean_of(points, 42, 48, left);
  mean_of(points, 48, 68, mouth);
  const float eyes[2] = {(right[0] + left[0]) / 2, (right[1] + left[1]) / 2};
  const mien_point *p = points->point;
  float height = hypotf(mouth[0] - eyes[0], mouth[1] - eyes[1]);
  float width = hypotf(p[45].x - p[36].x, p[45].y - p[36].y);
  float size = fmaxf(height, 0.72f * width);
  mi_face_box box = {(eyes[0] + mouth[0]) / 2 - 0.054f * size,
                     (eyes[1] + mouth[1]) / 2 - 0.073f * size, 2.033f * size, 0, 1};
  return checked(points, box, eyes, mouth);
}
