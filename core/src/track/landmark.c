// Losing and finding a face. A followed face is searched where it was; when the points there are no
// face any more, the whole picture is searched in the same frame.
#include "track/landmark.h"

#include <math.h>

static const float least_presence = 0.5f;
enum { REMEMBER = 45 }; // frames during which a face that comes back is taken for the same

static float distance(const mi_face_box *a, float x, float y) {
  return hypotf(a->x - x, a->y - y);
}

// Which face: the one that was just lost, the one that was asked for, or the largest.
static int choose(const mi_follow *follow, const mien_image *image, const mi_face_box *face,
                  int count) {
  int best = 0;
  bool is_near = follow->seen.side > 0 && follow->missed < REMEMBER;
  float x = is_near ? follow->seen.x : follow->near_x * (float)image->width;
  float y = is_near ? follow->seen.y : follow->near_y * (float)image->height;
  for (int i = 1; i < count; i++) {
    bool is_better = is_near || follow->is_chosen
                         ? distance(&face[i], x, y) < distance(&face[best], x, y)
                         : face[i].side > face[best].side;
    if (is_better) best = i;
  }
  return best;
}

// A box that hardly changed stays, one that moved goes along: points depend a little on the box
// they were found in, and without this the two push each other about for ever on a still face.
static mi_face_box eased(const mi_face_box *old, const mi_face_box *next, float dead_band) {
  float turned = remainderf(next->turn - old->turn, 6.2831853f);
  float moved = fmaxf(distance(next, old->x, old->y), fabsf(next->side - old->side)) / next->side;
  float change = fmaxf(moved, fabsf(turned));
  float part = fminf(fmaxf(change / dead_band - 1, 0), 1);
  return (mi_face_box){old->x + part * (next->x - old->x), old->y + part * (next->y - old->y),
                       old->side + part * (next->side - old->side), old->turn + part * turned,
                       next->score};
}

// Looks into a box; true when there is a face, and then `follow` knows where to look next.
static bool look(mi_follow *follow, const mi_seer *seer, const mien_image *image,
                 const mi_face_box *box, mien_points *points) {
  seer->look(seer->self, image, box, points);
  mi_face_box next = seer->region(points);
  // points of a face far off the middle of its box are less good: look again where it has gone
  bool is_face = points->presence >= least_presence && next.side > 0;
  if (is_face && distance(&next, box->x, box->y) > 0.08f * next.side) {
    mi_face_box moved = next;
    seer->look(seer->self, image, &moved, points);
    next = seer->region(points);
  }
  if (!(points->presence >= least_presence) || next.side <= 0) return false;
  follow->box = follow->box.side > 0 ? eased(&follow->box, &next, seer->dead_band) : next;
  return true;
}

static bool search(mi_follow *follow, const mi_seer *seer, const mien_image *image,
                   mien_points *points) {
  mi_face_box face[MI_DETECT_MOST];
  int count = seer->find(seer->self, image, face);
  follow->box.side = 0;
  while (count > 0) {
    int i = choose(follow, image, face, count);
    mi_face_box box = face[i];
    bool is_same = follow->seen.side > 0 && follow->missed == 0 &&
                   distance(&box, follow->seen.x, follow->seen.y) < 0.5f * follow->seen.side;
    points->is_new = !is_same;
    if (look(follow, seer, image, &box, points)) return true;
    face[i] = face[--count]; // not one after all
  }
  return false;
}

void mi_follow_face(mi_follow *follow, const mi_seer *seer, const mien_image *image,
                    mien_points *points) {
  *points = (mien_points){.time = image->time, .width = image->width, .height = image->height};
  bool is_there = follow->box.side > 0 && look(follow, seer, image, &follow->box, points);
  if (!is_there) is_there = search(follow, seer, image, points);
  if (is_there) {
    follow->steadiness =
        points->is_new ? 0.5f : follow->steadiness + 0.2f * (1 - follow->steadiness);
    points->confidence = points->presence * follow->steadiness;
    follow->seen = follow->box;
    follow->missed = 0;
    return;
  }
  follow->box.side = 0;
  follow->steadiness *= 0.8f;
  points->confidence = follow->steadiness;
  points->count = points->is_new = 0;
  points->presence = 0;
  points->missed = ++follow->missed;
}
