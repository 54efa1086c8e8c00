// mien bake --picture: the frame whose skin is farthest from the artist's pose.
#ifndef MIEN_CLI_BAKE_PICTURE_H
#define MIEN_CLI_BAKE_PICTURE_H

#include "cli.h"

typedef struct bake_picture {
  const char *path; // NULL = none is wanted
  float *points;    // of the worst frame so far                                     (nvert x 3)
  double offset;    // its, m; below 0 = there is no frame yet
  int frame;        // its number
} bake_picture;

// Remembers the frame when it is the worst. False = out of memory.
bool bake_picture_add(bake_picture *worst, int frame, const mien_state_info *state);
// Draws and writes it; prints the error. The rig is the one that was simulated.
int bake_picture_write(const bake_picture *worst, const mien_rig *rig);
void bake_picture_free(bake_picture *worst);

#endif
