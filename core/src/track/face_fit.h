// From points in a picture to weights of the rig's shapes and a head before a camera (Barrielle &
// Stoiber, eq. 7-9), for one performer.
//
// The expression space is the rig's own shapes. Identity is where the performer's points are while
// the face rests: measured over many frames, then frozen. It stands in for the identity modes of
// eq. 7, which an artist's rig does not have.
#ifndef MI_FACE_FIT_H
#define MI_FACE_FIT_H

#include "rig/rig.h"
#include "track/filter.h"
#include "track/fit_points.h"
#include "track/pose.h"

// How a shape moves one point.
typedef struct mi_fit_pull {
  int free; // number among the shapes that are solved for
  double d[3];
} mi_fit_pull;

typedef struct mi_fit_point {
  int source; // in mien_points
  mi_place place;
  int32_t vert[3]; // of the rig, and their shares
  double share[3];
  double p[3]; // on the performer's resting face, in the rig's space, m
  int first, nlowrank;
} mi_fit_point;

// Two points across a slit, and how it opens.
typedef struct mi_fit_gap {
  int upper, lower; // fit points
  int side;         // as in mi_slit
  double rig_open;  // m, of the rig at rest
} mi_fit_gap;

typedef struct mi_fit_shape {
  int shape;      // of the rig
  double typical; // size of the weight that is expected: the prior's deviation
} mi_fit_shape;

typedef struct mi_gaze {
  int look[2][4];    // shapes of right and left eye: in, out, up, down; -1 = none
  double rest[2][2]; // across and up, while the face rests, in widths of the eye
  double value[2];   // gaze of both eyes, last seen: to the subject's left and up, 1 = the limit
} mi_gaze;

// Statistics gathered while the face rests.
typedef struct mi_rest_sums {
  int nframe;
  double since; // s, time of the first frame
  double p[MIEN_POINTS_MOST][3];
  double iris[2][2];
} mi_rest_sums;

struct mien_fit {
  mien_fit_info info;
  mien_fit_def def;
  mien_host host;
  mi_arena arena;
  const mien_rig *rig;
  int nshape;
  float *weights; // what info shows                                 (nshape)
  int nfree;
  mi_fit_shape *free; //                                                 (nfree)
  int32_t *free_of;   // shape -> free, -1 = not solved for              (nshape)
  double *w;          // solved for, unfiltered                          (nfree)
  double *before;     // of the frame before                             (nfree)
  int npoint, nlowrank, ngap;
  mi_fit_point point[MI_MESH_SKIN];
  mi_fit_pull *pull; //                             (MI_MESH_SKIN x nfree)
  mi_fit_gap gap[MI_SLITS];
  int source;    // 68 or 478: the layout of the points; 0 = none yet
  bool is_whole; // the points are all of the source's, on the performer's face
  mi_rest_sums rest;
  mi_gaze gaze;
  mi_camera camera;
  mi_pose pose, reference;
  bool has_pose, has_reference;
  double last_time, last_seen;
  bool has_time;
  mi_adaptive across, away, turn; // filters of the head
  mi_one_euro euro_head[7];
  mi_adaptive *window;           // of weights                                      (nshape)
  mi_one_euro *euro;             //                                                 (nshape)
  double *h, *g, *step, *factor; // of a frame's solve            ((6 + nfree)^2, 6 + nfree)
  float *flat;                   // points as the fit sees them, pixels        (MI_MESH_SKIN x 2)
};

// fit_points_build.c: points on the rig, from the 68 landmarks alone or with every mesh point
// placed as on the performer. False when memory ends.
bool mi_fit_place_landmarks(mien_fit *fit, int source);
bool mi_fit_place_mesh(mien_fit *fit, const double (*resting)[3]);
// Points that are known already (from a file).
void mi_fit_take_points(mien_fit *fit, int source, const mi_fit_point *points, int count);

// fit_solve.c: one frame's weights and pose; false without points
bool mi_fit_solve(mien_fit *fit, const mien_points *points, int iterations);

// box_qp.c: minimises 1/2 d'H d - g'd with low <= d <= high; H is symmetric positive definite (side
// x side), `factor` as large. False when it is not.
bool mi_box_qp(int side, const double *h, const double *g, const double *low, const double *high,
               double *factor, double *d);

// fit_rest.c: the performer's resting face
void mi_fit_rest_begin(mien_fit *fit);
bool mi_fit_rest_add(mien_fit *fit, const mien_points *points);
void mi_fit_gaze(mien_fit *fit, const mien_points *points);

// face_fit.c
mien_result mi_fit_create(const mien_rig *rig, const mien_fit_def *def, const mien_host *host,
                          mien_fit **out, mien_error *err);
mien_result mi_fit_frame(mien_fit *fit, const mien_points *points, mien_error *err);
void mi_fit_free(mien_fit *fit);

// fit_file.c
mien_result mi_fit_save(const mien_fit *fit, const char *path, mien_error *err);
mien_result mi_fit_load(mien_fit *fit, const char *path, mien_error *err);
mien_result mi_fit_read(mien_fit *fit, const void *bytes, size_t size, mien_error *err);

#endif
