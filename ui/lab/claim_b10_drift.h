// Part of B10: simulates where flesh goes that starts at an expression, under its own forces.
#ifndef MIEN_LAB_CLAIM_B10_DRIFT_H
#define MIEN_LAB_CLAIM_B10_DRIFT_H

#include "reproduce.h"

#include "drive/blendforce.h"

typedef struct drift {
  double flesh, skin; // m, rms: from the expression to where it rests
  double moved;       // m, rms of the flesh: the expression against its bones
  double still;       // m, rms of the last iteration's step: whether it rests
} drift;

typedef struct drift_bench {
  const mien_face *face;
  mien_state *state;
  mi_solver *solver;
  mi_blendforce *d;
  float *weights, *rig, *posed, *move; // work space; (nshape), (rig x 3), (nvert x 4) both
} drift_bench;

// Close it even when this fails.
mien_result drift_open(drift_bench *b, mien_face *face, mien_error *err);
void drift_close(drift_bench *b);
// An expression, its bones and its force in x, anchor and force of `d`.
void drift_pose(drift_bench *b, int shape);

// One a shape. Flesh has the neutral's shape and the face's own stiffnesses, and hangs on its
// bones; muscles pull at its inner surface along the shape's motion, as hard as holds the shape
// best. A CLI exit code; prints what is wrong.
int drift_simulate(mien_face *face, drift *out);

#endif
