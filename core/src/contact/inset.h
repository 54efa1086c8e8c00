// A contact surface that crosses nowhere in the neutral.
//
// Artists model lips that overlap, lids inside eyes and gums through cheeks. Contact then runs on
// the skin pulled in a little where that neutral needs it: along its normals, and lips away from
// each other. Skin may overlap as deep as it was modelled to, and no deeper. The depth is found
// once for a face. Where no depth helps, there is no contact.
//
// The neutral's overlap belongs to the neutral. A pose that moves its two sides against each other
// by no more than `spare` is as free as the neutral; beyond that they are pulled in less, and from
// `gone` on it is the skin itself that touches: lips that overlap as deep along another line would
// cross in more places than in the neutral. The depth is a continuous function of the pose.
#ifndef MI_INSET_H
#define MI_INSET_H

#include "contact/contact.h"

typedef struct mi_inset {
  float *depth;        // m, 0 = the skin itself                                     (nvert)
  bool *is_masked;     // meets nothing                                              (nvert)
  int ninset, nmasked; // vertices
  const float *rest;   // m, the neutral                                             (nvert x 3)
  int32_t *partner;    // a vertex of the other side; itself where there is none     (nvert)
  float spare, gone;   // m: sides that moved so far against each other overlap as in the neutral,
                       // and no more at all
  const float *hint;   // unit, the way that parts it, NULL or zero = along the normal (nsoft x 3)
  float *shifted;      // m, the neutral pulled in                                   (nvert x 3)
  float *normal;       // work space; every user of a shared inset sets its own          (nvert x 3)
} mi_inset;

// `size`, m, of the face; `slack`, m: gaps of the surface pulled in are
// above four times that. Of a soft and a rigid side the rigid one is pulled in. False when memory
// ends.
bool mi_inset_find(mi_inset *inset, const mi_surface *surface, mi_broad *broad, mi_active *active,
                   const float *rest, double size, double slack, mi_arena *arena);
// shift = what pulls the surface at `position` (a pose) in.
void mi_inset_shift(const mi_inset *inset, const mi_surface *surface, const float *position,
                    float *shift);

#endif
