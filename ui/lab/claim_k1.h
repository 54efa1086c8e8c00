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

typedef struct k1_hard {
  int nrig, nframe;
  int npressed;  // takes that press lips together: more pairs cross in a pose than in the neutral
  int nviolated; // clauses of the judge, over all takes
} k1_hard;

// Rigs that are hard on contact; an exit code. Notes each take.
int k1_on_hard_rigs(experiment *e, k1_hard *out);

#endif
