// The elder: a fantasy head with tentacles around the mouth that hang free.
//
// One connected skin, open at the neck and behind the eyelids; eyeballs, skull and jaw are parts of
// their own. Map "region" holds mien_region bits. Shapes carry ARKit names where those apply, plus
// "swell" and "shrink", which change the head's volume a lot.
#ifndef CREATURE_H
#define CREATURE_H

#include "../rig_store.h"

typedef struct creature_rig {
  rig_store store; // store.def is the rig's definition
} creature_rig;

// 0, or -1 when memory ran out (nothing to free then). Caller frees with creature_free.
int creature_create(creature_rig *out);
void creature_free(creature_rig *rig);

#endif
