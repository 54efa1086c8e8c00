// Moments kept while an experiment steps, drawn side by side in the end: how the face looks above,
// how far its skin is off the artist's pose below.
#ifndef MIEN_LAB_MOMENTS_H
#define MIEN_LAB_MOMENTS_H

#include "cli.h"

#include <stdbool.h>

enum { MOMENTS_MOST = 4 };

typedef struct moments {
  float *now[MOMENTS_MOST], *artist[MOMENTS_MOST]; // positions of the rig, in the head's space
  char label[MOMENTS_MOST][64];
  int nvert;
} moments;

// Keeps the positions of a state and of the artist's pose at a place, instead of what was there.
// False when memory ends.
bool moments_keep(moments *m, int place, const mien_state_info *state, const float *artist,
                  const char *label);
typedef struct moments_style {
  const char *title;
  double most; // mm: the end of the colours
  float yaw, pitch, zoom;
  int size; // pixels of a panel
} moments_style;
// Every place must have been kept up to the last that was. Prints what is wrong.
int moments_save(const moments *m, const mien_rig *rig, const moments_style *style,
                 const char *path);
void moments_free(moments *m);

#endif
