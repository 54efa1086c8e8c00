// A bake reports at its end: in a few lines, or with --json everything, also when it failed.
#ifndef MIEN_CLI_BAKE_RESULT_H
#define MIEN_CLI_BAKE_RESULT_H

#include "bake_tally.h"
#include "frame_range.h"

typedef struct bake_result {
  const cli_args *args;
  const char *shot, *out, *picture; // files; NULL = none
  const mien_rig *rig;              // NULL = the bake did not come so far, and so on
  const mien_state *state;
  const mien_cache *cache;
  const bake_tally *tally;
  int code;          // how the bake ended
  const char *stage; // that it was in
  int first_frame;   // number of the take's first frame
  frame_range range;
  int resumed;    // frame that this run began with, likewise; -1 = it did not resume
  int done;       // frames in the cache
  double seconds; // of the take
  double setup;   // s until the first step
} bake_result;

void bake_result_print(const bake_result *result);

#endif
