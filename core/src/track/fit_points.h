// Which point of a tracker is which place of a face: the 68 landmarks of iBUG among the 478 points
// of MediaPipe's mesh, the rings around eyes and lips, and pairs that open and close.
#ifndef MI_FIT_POINTS_H
#define MI_FIT_POINTS_H

#include <stdbool.h>

enum { MI_LANDMARKS = 68, MI_MESH_SKIN = 468 };

typedef enum mi_place {
  MI_PLACE_SKIN = 0, // cheeks, forehead, nose: follow whatever moves them
  MI_PLACE_OUTLINE,  // jaw and face oval: slide along the outline as the head turns
  MI_PLACE_BROW,
  MI_PLACE_LID,
  MI_PLACE_LIP
} mi_place;

// The mesh point nearest to a landmark.
int mi_mesh_of_landmark(int landmark);
mi_place mi_place_of(bool is_mesh, int point);

// A mesh point on a ring (lids, lips) lies between two landmarks: (1 - share) a + share b. False
// when the point is on no ring.
bool mi_ring_of(int point, int *a, int *b, double *share);

// Points that face each other across a slit.
typedef struct mi_slit {
  int upper, lower; // landmarks
  int mesh_upper, mesh_lower;
  int side; // lids: 0 = the subject's right, 1 = left; lips: -1
} mi_slit;
enum { MI_SLITS = 7 };
extern const mi_slit mi_slits[MI_SLITS];

// Corners of an eye in the mesh: outer, inner.
extern const int mi_eye_corners[2][2];

#endif
