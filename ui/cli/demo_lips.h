// The close-up of mien demo: lips close, press, stick and peel.
#ifndef MIEN_CLI_DEMO_LIPS_H
#define MIEN_CLI_DEMO_LIPS_H

#include "cli.h"

typedef struct demo_lips_def {
  const cli_args *args;
  const char *folder; // gets lips.mp4 and lips.png
  const mien_rig *rig;
  const mien_face *face;
  mien_step_opts opts;
  bool quick;
} demo_lips_def;

typedef struct demo_lips_result {
  int nframe, most_stuck;
  double ms; // a frame
} demo_lips_result;

// An exit code.
int demo_lips(const demo_lips_def *def, demo_lips_result *result);

#endif
