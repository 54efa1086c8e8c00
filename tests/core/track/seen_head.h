// Points of a head whose truth is known: the sample head in poses of its own takes or of single
// shapes, seen by a camera with noise, as 68 landmarks or as a mesh of 478 points.
#ifndef TESTS_TRACK_SEEN_HEAD_H
#define TESTS_TRACK_SEEN_HEAD_H

#include "scenes/scene.h"
#include "track/face_fit.h"

enum { WIDTH = 640, HEIGHT = 480, FPS = 30, REST = 40, NFRAME = 500 };

typedef struct seen_head {
  mien_rig *rig;
  mien_take *take;
  int nshape;
  bool is_mesh;
  int vert[MIEN_POINTS_MOST][2]; // rig vertices of a point, and the share of the second
  double share[MIEN_POINTS_MOST];
  float *weights, *pose;
  double wide; // the performer's face is that much wider than the rig's
  double noise;
  double yaw;   // rad, the head turns by so much either way
  double speed; // of the take
  double rate;  // frames per second once the face does not rest any more
  bool has_iris;
  double look, look_up;      // irises to the subject's left and up, in widths of the eye
  double flat;               // the tracker's depths are so much too small
  const char *const *shapes; // instead of the take: these, NULL at the end, all of `size`
  double size;
} seen_head;

void open_head(seen_head *s, bool is_mesh);
void close_head(seen_head *s);
mi_pose true_pose(const seen_head *s, int frame);
// What a tracker would say of frame `frame`; the face rests in the first ones.
void see(seen_head *s, int frame, mien_points *out);
// A fit that has seen the first `nframe` frames.
mien_fit *calibrated_fit(seen_head *h, int nframe);

#endif
