// The 52 shapes as displacement fields over the skin. Millimetres.
//
// A field is written for the subject's left (or for the middle); the right side is its mirror
// image. Fields read where a vertex belongs (upper or lower lip, lid, depth in the mouth) and not
// only where it is, because the lips are less than a millimetre apart.
#ifndef SAMPLE_RIGS_HEAD_SHAPES_H
#define SAMPLE_RIGS_HEAD_SHAPES_H

#include "skin.h"

typedef struct shape_point {
  vec3 p;
  double mouth_ring;
  double eye_ring;
  double lid_side; // +1 upper lid, -1 lower lid; only for the eye on this vertex's own side
  double ear_ring;
  double upper; // 0-1 share of the upper lip and of what hangs on it; upper + lower = 1
  double lower;
  double deep; // 1 on the skin and the lips, falling to 0 towards the back of the mouth bag
  double jaw;  // share of the jaw
} shape_point;

shape_point shape_point_at(const skin_vertex *v);

typedef vec3 (*shape_field)(const shape_point *s);

typedef enum shape_side { SHAPE_AS_WRITTEN, SHAPE_MIRRORED } shape_side;

typedef struct shape_entry {
  const char *name;
  shape_field field;
  shape_side side;
} shape_entry;

// Tables in ARKit's spelling; each ends with a null name.
const shape_entry *eye_shapes(void);
const shape_entry *jaw_shapes(void);
const shape_entry *mouth_shapes(void);
const shape_entry *upper_face_shapes(void);

// How the ball turns for an eyeLook shape: yaw towards the subject's left and pitch downwards,
// radians. 0 when the name is no look of this eye.
int eye_shape_turn(const char *name, int left, double *yaw, double *pitch);
// How a point that belongs to the jaw moves for a jaw shape; zero for other names.
vec3 jaw_shape_rigid(const char *name, vec3 p);
vec3 tongue_shape(const char *name, vec3 p);

vec3 jaw_open_field(const shape_point *s);

// Open and closed margin of the lids, as elevation above the ball's middle at an azimuth.
double lid_margin_elevation(double azimuth, int upper);

#endif
