// Skin that is likely to touch, those first that are nearest to what they meet.
#ifndef MI_LIP_ORDER_H
#define MI_LIP_ORDER_H

#include "face/face.h"

typedef struct mi_lip_vert {
  float gap2;  // m^2, from the other lip at rest, or of the bag from both
  bool is_bag; // behind the lips
  int vert;
} mi_lip_vert;

// Vertices that can touch, except lids. When there are too many, those nearest to the other lip at
// rest come first, and the mouth bag after all lips; at most `most_lips` lips are taken, and the
// bag while there are fewer than `most_with_bag`. Returns how many.         (lips: nskin)
int mi_lip_order(const mien_face *face, int most_lips, int most_with_bag, mi_lip_vert *lips);

#endif
