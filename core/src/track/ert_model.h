// Inside of an ensemble: ert_read.c fills it, ert.c evaluates it.
#ifndef MI_ERT_MODEL_H
#define MI_ERT_MODEL_H

#include "track/ert.h"

enum { MI_ERT_VALUES = 2 * MIEN_POINTS_ERT, MI_ERT_MOST_PIXEL = 2048 };

// left when pixel[a] - pixel[b] > threshold
typedef struct mi_ert_split {
  uint16_t a, b;
  float threshold;
} mi_ert_split;

struct mi_ert {
  mi_arena arena;
  int ncascade, ntree, nsplit, npixel; // nsplit of each tree, npixel read in each cascade
  float *mean;                         // the shape it starts from, in parts of the box
  mi_ert_split *split;                 // (ncascade x ntree x nsplit)
  float *leaf;                         // (ncascade x ntree x (nsplit + 1) x MI_ERT_VALUES)
  uint8_t *anchor;                     // (ncascade x npixel): the point a pixel goes with
  float *delta;                        // (ncascade x npixel x 2): where it lies from there
};

#endif
