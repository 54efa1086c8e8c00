// The 68 points, frame after frame. The trees give points for any box, face or not, so a detector
// of the host's checks now and then that there still is one.
#include "track/landmark.h"

#include <math.h>

// Boxes of OpenCV's frontal face cascade and those the trees know differ by this (medians on real
// faces).
static const float wider = 1 / 0.917f, higher = 0.066f;
enum { CHECK_EVERY = 30, CHECK_AGAIN = 5 };

int mi_ert_seer_find(mi_ert_seer *seer, const mien_image *image, mi_face_box face[MI_DETECT_MOST]) {
  mien_box box[MI_DETECT_MOST];
  int count = seer->find(seer->find_user, image, box, MI_DETECT_MOST), kept = 0;
  for (int i = 0; i < count && i < MI_DETECT_MOST; i++) {
    float side = fmaxf(box[i].width, box[i].height) * wider;
    mi_face_box f = {box[i].x + box[i].width / 2, box[i].y + box[i].height / 2 - higher * side,
                     side, 0, 1};
    if (isfinite(f.x) && isfinite(f.y) && side >= 16) face[kept++] = f;
  }
  seer->belief = 1;
  seer->wait = CHECK_EVERY;
  return kept;
}

// Sinks each time the detector sees no face where the points are; a face turned away is missed for
// a while, so one detection is not enough.
static void check(mi_ert_seer *seer, const mien_image *image, const mi_face_box *box) {
  if (--seer->wait > 0) return;
  mi_face_box face[MI_DETECT_MOST];
  float belief = seer->belief;
  int count = mi_ert_seer_find(seer, image, face);
  for (int i = 0; i < count; i++)
    if (hypotf(face[i].x - box->x, face[i].y - box->y) < 0.4f * box->side) return;
  seer->belief = 0.8f * belief;
  seer->wait = CHECK_AGAIN;
}

// The mean over boxes that differ a little: a fifth of the work would do, at twice the jitter.
void mi_ert_seer_locate(mi_ert_seer *seer, const mien_image *image, const mi_face_box *box,
                        mien_points *points) {
  static const float shift[5][2] = {{0, 0}, {0.02f, 0}, {-0.02f, 0}, {0, 0.02f}, {0, -0.02f}};
  enum { NBOX = 5 };
  float sum[2 * MIEN_POINTS_ERT] = {0}, xy[2 * MIEN_POINTS_ERT];
  for (int b = 0; b < NBOX; b++) {
    mien_box one = {box->x + (shift[b][0] - 0.5f) * box->side,
                    box->y + (shift[b][1] - 0.5f) * box->side, box->side, box->side};
    mi_ert_evaluate(seer->ert, image, &one, xy);
    for (int i = 0; i < 2 * MIEN_POINTS_ERT; i++) sum[i] += xy[i] / NBOX;
  }
  points->count = MIEN_POINTS_ERT;
  for (int i = 0; i < MIEN_POINTS_ERT; i++)
    points->point[i] =
        (mien_point){sum[2 * i], sum[2 * i + 1], 0, (i < 17 ? 0.025f : 0.012f) * box->side, 1};
  check(seer, image, box);
  points->presence = seer->belief;
}
