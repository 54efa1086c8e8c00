// The reel of mien demo: a head that runs, one that speaks, one in the wind.
#ifndef MIEN_CLI_DEMO_REEL_H
#define MIEN_CLI_DEMO_REEL_H

#include "cli.h"

typedef struct demo_reel_def {
  const cli_args *args;
  const char *folder; // gets reel.mp4 and reel.png
  mien_settings settings;
  bool quick;
} demo_reel_def;

// An exit code.
int demo_reel(const demo_reel_def *def);

#endif
