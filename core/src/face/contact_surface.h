// The part of a face that can touch. It is made once and read by all of its states.
//
// Vertices are soft ones (skin that can touch), then those of colliders.
#ifndef MI_CONTACT_SURFACE_H
#define MI_CONTACT_SURFACE_H

#include "contact/inset.h"
#include "contact/sticky.h"

typedef struct mi_contact_surface {
  int nsoft, nvert;   // 0: no skin can touch, and nothing else is set
  int32_t *soft;      // skin vertex -> soft vertex, -1 = cannot touch                   (nskin)
  int32_t *flesh;     // soft vertex -> flesh vertex                                     (nsoft)
  float *rest;        // m, the neutral; NAN = a user's collider                         (nvert x 3)
  mi_surface *mesh;   // its triangles
  mi_inset inset;     // how deep it lies under the skin
  double slack;       // m: gaps are kept above this
  int ncomponent;     // connected components
  int32_t *component; //                                                                 (nvert)
  float *strength;    // 0-1, of sticking                                                (nsoft)
  float *along;       // 0 at a corner of the mouth, 1 in its middle; + left, - right; NAN = no lip
  mi_stick *partner;  // seal partner of a lip vertex                                (nsoft)
} mi_contact_surface;

#endif
