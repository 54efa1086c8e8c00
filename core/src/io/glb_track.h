// One animated thing of a .glb: keys in time, and the three ways glTF goes from one to the next.
#ifndef MI_GLB_TRACK_H
#define MI_GLB_TRACK_H

#include "io/glb.h"

typedef enum mi_interpolation { MI_STEP, MI_LINEAR, MI_CUBIC } mi_interpolation;

typedef struct mi_glb_track {
  const float *times;  // s, rising                                                        (nkey)
  const float *values; // (nkey x width), for MI_CUBIC (nkey x [in-tangent, value, out-tangent])
  int nkey, width;
  mi_interpolation interpolation;
} mi_glb_track;

// Sampler `index` of an animation, which must give `width` numbers per key.
mien_result mi_glb_read_track(mi_glb *glb, const json_t *animation, const json_t *channel,
                              int width, mi_glb_track *out);
// The track at a time; the first and last key hold before and after. `cursor` starts at 0 and makes
// rising times cheap. A rotation (width 4) is blended along the sphere and has unit length.
void mi_glb_track_at(const mi_glb_track *track, double time, bool is_rotation, int *cursor,
                     double *out);

#endif
