// K1 with contact on.
#ifndef MIEN_LAB_CLAIM_K1_H
#define MIEN_LAB_CLAIM_K1_H

#include "reproduce.h"

typedef struct k1_contact {
  int nframe, nfree;  // frames; those whose pose crosses nothing and has not for a while
  double free, other; // m off the artist's pose, at most: in those frames, in the others
} k1_contact;

// The same speech with contact on; an exit code.
int k1_with_contact(const experiment *e, k1_contact *out);

#endif
