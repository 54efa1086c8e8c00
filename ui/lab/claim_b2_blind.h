// Part of B2: control that knows the markers alone, as the paper runs it: from the neutral, and in
// every frame some rounds on from where it is.
#ifndef MIEN_LAB_CLAIM_B2_BLIND_H
#define MIEN_LAB_CLAIM_B2_BLIND_H

#include "reproduce.h"

enum { BLIND_WAYS = 3 };
extern const int blind_rounds[BLIND_WAYS]; // a frame: 1, 2, 20
extern const double blind_noise;           // m, rms of a marker's coordinate

typedef struct blind {
  float *x[BLIND_WAYS]; // m, where the flesh is thought to be; made by the first frame  (nvert x 4)
  float *before[BLIND_WAYS]; // x of the frame before                               (nvert x 4)
  float *truth, *pose; // work space                                          (nvert x 4, rig x 3)
  float *weights;      // that u stands for                                             (nshape)
  double off2[BLIND_WAYS];  // m^2, of markers from where they truly are, summed over frames
  double skin2[BLIND_WAYS]; // m^2, of the pose of the recovered weights from the true one
  double moved2, posed2;    // of the truth from the neutral: markers, skin
  int count;
} blind;

// After a step of BLENDFORCE with these weights: the same markers with noise. The weights are not
// told. False when memory ends; free it in any case.
bool blind_control(blind *b, mien_state *state, const float *weights, int frame);
void blind_free(blind *b);

#endif
