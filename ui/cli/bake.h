// A bake while it runs: what was loaded, which frames are wanted, how far it is.
#ifndef MIEN_CLI_BAKE_H
#define MIEN_CLI_BAKE_H

#include "bake_picture.h"
#include "bake_tally.h"
#include "cli.h"
#include "frame_range.h"
#include "muscle_meshes.h"
#include "muscle_take.h"
#include "param_keys.h"
#include "pose_file.h"
#include "snapshot_file.h"

typedef struct bake {
  const cli_args *args;
  mien_rig *rig, *sized; // the artist's, and what is simulated: the same at another size
  mien_face *face;
  mien_take *take, *head, *jaw;
  mien_state *state;
  mien_cache *cache;
  pose_file poses;
  float *weights, *points, *world;
  bool in_world;
  muscle_take muscles;
  muscle_meshes meshes;
  FILE *info;
  bake_picture picture;
  bake_tally tally;
  param_keys keys;
  snapshot_signature signature;
  const char *stage; // for --json: "open", "load", "bake", "judge", "done"
  const char *out;   // the cache; NULL = none
  mien_settings settings;
  double fps;
  double tolerance; // mm, of a cache that is the rig's own file
  int first_frame;  // number of the take's first
  // frames, counted from the take's first
  frame_range range; // simulated and kept
  int first;         // that this run begins with: above range.begin when it resumes another
  int start;         // physics begins there
  int done;          // in the cache
  bool is_kept;      // a snapshot of some of the way is on the disk
} bake;

// bake_frames.c. Simulates all frames and appends those wanted to the cache; prints the error.
int bake_all(bake *b);
// s since the first frame
double bake_time_of(const bake *b, int frame);

#endif
