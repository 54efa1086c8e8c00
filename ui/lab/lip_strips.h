// Two curved strips that face each other like lips: what benches and tests of contact work on.
#ifndef MIEN_LAB_LIP_STRIPS_H
#define MIEN_LAB_LIP_STRIPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lip_strips_def {
  int nx, ny;           // vertices along and across a strip
  double length, width; // m
  double gap;           // between the strips where they are closest, m
} lip_strips_def;
extern const lip_strips_def lip_strips_usual; // 50 x 14 mm, 88 x 23 vertices each, 0.15 mm

typedef struct lip_strips {
  int nvert, ntri;
  float *position; // upper strip, then lower                      (nvert x 3)
  int32_t *tri;    // facing each other                            (ntri x 3)
} lip_strips;
// False when memory ends.
bool lip_strips_create(const lip_strips_def *def, lip_strips *strips);
void lip_strips_free(lip_strips *strips);
// position = that of `strips` with each strip moved `distance` towards the other.
void lip_strips_close(const lip_strips *strips, double distance, float *position);

#endif
