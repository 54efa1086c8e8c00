// One blendvolume: the inside of the flesh in one shape (face/blendvolumes.h), found on its own, so
// that several threads can work on several shapes.
#ifndef MI_BLENDVOLUME_H
#define MI_BLENDVOLUME_H

#include "face/face.h"

typedef struct mi_blendvolume_def {
  const mi_face_build *b;
  const double *inverse;         // of the rest edges                                (ntet x 9)
  const float *const *thickness; // m, painted for a shape; NULL = not               (nshape, nskin)
  const mien_map **stored;       // kept in the rig's file; NULL = there are none    (nshape)
} mi_blendvolume_def;

// The result for one shape. The owner frees the arena.
typedef struct mi_blendvolume {
  mi_arena arena;
  int nvert; // vertices that differ from where skin and bone carry them
  int32_t *vert;
  float *delta;         // m, at weight 1                                            (nvert x 3)
  int ninverted, nleft; // tetrahedra: before it was uninverted, for good
  unsigned char *left;  // those that stay inverted, or NULL                         (ntet)
  bool is_out_of_memory;
} mi_blendvolume;

// `out` is zero. False when memory ends.
bool mi_blendvolume_find(const mi_blendvolume_def *def, int s, mi_blendvolume *out);

#endif
