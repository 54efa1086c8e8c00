// Where faces are in a picture: MediaPipe's short-range detector (BlazeFace), run by track/net.h.
#ifndef MI_DETECT_H
#define MI_DETECT_H

#include "track/net.h"

// A square that is turned with the head; pixels of the picture.
typedef struct mi_face_box {
  float x, y;  // centre
  float side;  // of the square
  float turn;  // radians: the direction from the right eye to the left one
  float score; // 0..1
} mi_face_box;

enum { MI_DETECT_MOST = 16 };

// MIEN_ERR_FORMAT when the network is not this detector.
mien_result mi_detect_check(const mi_net *net, mien_error *err);
// Up to MI_DETECT_MOST faces, surest first; returns how many.
int mi_detect_faces(mi_net *net, const mien_image *image, float least_score,
                    mi_face_box face[MI_DETECT_MOST]);

#endif
