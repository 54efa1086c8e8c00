// The sample head with lips that overlap in the neutral, as game avatars are modelled.
#ifndef MIEN_LAB_OVERLAP_SCENE_H
#define MIEN_LAB_OVERLAP_SCENE_H

#include "contact_scene.h"

// As contact_scene_open, with each lip moved by `overlap` (m) towards the other in the neutral and
// all shapes as they were.
int overlap_scene_open(contact_scene *s, const cli_args *args, const char *take, double overlap);

typedef struct overlap_result {
  int64_t neutral, without, with; // pairs that cross: in the neutral; at most in a frame
  int64_t free_crossing;          // with contact, in frames whose pose crosses nothing
  int nframe, nfree;              // frames; those whose pose has crossed nothing for 0.1 s
  double off;                     // m, skin from the artist's pose in the latter
  int nrest;                      // frames whose pose has been the neutral since the start
  double rest_off;                // m, skin from the neutral in those
} overlap_result;
// Plays the take with contact at 60 frames a second, the head still; without contact the output is
// the artist's pose, which is what `without` counts.
int overlap_scene_measure(contact_scene *s, double seconds, overlap_result *out);

#endif
