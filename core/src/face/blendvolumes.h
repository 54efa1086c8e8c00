// Blendvolumes (Kozlov et al. 6.1): the inside of the flesh in every shape, so that no tetrahedron
// is inverted by the artist's pose alone.
//
// Flesh that skin and bone carry (carry.c) is right nearly everywhere. Where it would turn a
// tetrahedron inside out, the vertices around it are moved until none is (mesh/untangle.h), and the
// skin is held. A shape keeps the few vertices that moved; the weights of each frame blend them.
//
// The paper draws the volume into each shape by springs that stiffen, then projects what touches
// bone onto it and solves once more. Flesh here hangs on bone from the start (its inner surface is
// carried by skull and jaw), the skin is met exactly because it is never solved for, and an energy
// that turns tetrahedra back leaves none inverted, which stiffening springs only make unlikely.
#ifndef MI_BLENDVOLUMES_H
#define MI_BLENDVOLUMES_H

#include "base/base.h"

typedef struct mi_blendvolumes {
  int nshape;           // 0 = none
  int nmended;          // shapes that needed it
  int ninverted;        // tetrahedra that skin and bone alone would invert, in all shapes
  int nleft_out;        // tetrahedra left out of the flesh, because the skin itself folds over
  uint64_t inputs_hash; // of their sources
  int32_t *first;       // entries of shape s are first[s] .. first[s + 1]             (nshape + 1)
  int32_t *vert;        // flesh vertices
  float *delta;         // m, at weight 1                                              (x 3)
} mi_blendvolumes;

struct mi_face_build;
mien_result mi_blendvolumes_build(struct mi_face_build *b);
uint64_t mi_blendvolumes_hash(const mi_blendvolumes *volumes, uint64_t seed);
// posed += sum of weight x delta
void mi_blendvolumes_add(const mi_blendvolumes *volumes, const float *weights, float *posed);

#endif
