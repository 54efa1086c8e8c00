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
// Up to MI_DETECT_MOST faces in a square of the picture (side, centre), surest first; returns how
// many. A face must be at least a seventh of the square wide to be seen.
typedef struct mi_detect_square {
  float x, y, side;
} mi_detect_square;
mi_detect_square mi_detect_whole(const mien_image *image);
// One of MI_DETECT_PARTS squares of a third of the size that cover the picture between them.
enum { MI_DETECT_PARTS = 15 };
mi_detect_square mi_detect_part(const mien_image *image, int part);
int mi_detect_faces(mi_net *net, const mien_image *image, mi_detect_square square,
                    float least_score, mi_face_box face[MI_DETECT_MOST]);

#endif
