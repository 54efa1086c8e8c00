// Points of one face, frame after frame. Once found, a face is followed by its own points: the
// detector runs again only when it is lost.
#ifndef MI_LANDMARK_H
#define MI_LANDMARK_H

#include "track/detect.h"
#include "track/ert.h"

typedef struct mi_mesh mi_mesh;

// The 478 points by two networks (bytes of .tflite files, which are not kept).
typedef struct mi_bytes {
  const void *data;
  size_t size;
} mi_bytes;
mien_result mi_mesh_create(mi_bytes detector, mi_bytes mesh, const mien_host *host, mi_mesh **out,
                           mien_error *err);
void mi_mesh_free(mi_mesh *mesh);

// landmark_mesh.c: the points in a turned square of the picture, and how sure it is a face at all.
// Fills point, iris, count and presence.
void mi_mesh_locate(mi_mesh *mesh, const mien_image *image, const mi_face_box *box,
                    mien_points *points);
int mi_mesh_find(mi_mesh *mesh, const mien_image *image, mi_face_box face[MI_DETECT_MOST]);

// landmark_ert.c: the 68 points, with a detector of the host's.
typedef struct mi_ert_seer {
  mi_ert *ert;
  mien_find_fn *find;
  void *find_user;
  float belief; // that the points still lie on a face
  int wait;     // frames until the detector is asked
} mi_ert_seer;
int mi_ert_seer_find(mi_ert_seer *seer, const mien_image *image, mi_face_box face[MI_DETECT_MOST]);
void mi_ert_seer_locate(mi_ert_seer *seer, const mien_image *image, const mi_face_box *box,
                        mien_points *points);

// landmark_region.c: the square in which to look next, from points; side 0 = they are no face.
mi_face_box mi_region_mesh(const mien_points *points);
mi_face_box mi_region_ert(const mien_points *points);

// Which of several faces to take, and where it was. A finder fills boxes, a looker points.
typedef struct mi_follow {
  bool is_chosen;       // the face nearest to `near`, else the largest
  float near_x, near_y; // in parts of the picture's width and height
  mi_face_box box;      // where to look next; side 0 = nowhere
  mi_face_box seen;     // where it was last; side 0 = never
  int missed;
  float steadiness; // of the last frames, 0..1
} mi_follow;

typedef struct mi_seer {
  void *self;
  int (*find)(void *self, const mien_image *image, mi_face_box face[MI_DETECT_MOST]);
  void (*look)(void *self, const mien_image *image, const mi_face_box *box, mien_points *points);
  mi_face_box (*region)(const mien_points *points);
  float dead_band; // parts of the box's side (or radians) by which it may be off before it moves
} mi_seer;

// One frame. *points is filled whether or not there is a face.
void mi_follow_face(mi_follow *follow, const mi_seer *seer, const mien_image *image,
                    mien_points *points);

#endif
