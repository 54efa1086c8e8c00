// Blendshapes that come live, as muscles: each moment's pose becomes activations and a jaw.
#ifndef MIEN_CLI_MUSCLE_DRIVE_H
#define MIEN_CLI_MUSCLE_DRIVE_H

#include "cli.h"

typedef struct muscle_drive {
  mien_activations *solver; // NULL = muscles do not drive
  const mien_rig *rig;
  float *points;
  double error, seconds; // sums over the moments: m, s
  int count;
} muscle_drive;

// Prints the error. The face must have muscles.
int muscle_drive_open(muscle_drive *m, const cli_args *args, const mien_rig *rig,
                      const mien_face *face);
// Weights of the rig's shapes -> activations and jaw of an input, valid until the next call.
// Nothing without a solver.
int muscle_drive_at(muscle_drive *m, const float *weights, mien_input *input);
void muscle_drive_close(muscle_drive *m);

#endif
