// Whole takes on a face, timed frame by frame, and how far from the converged motion they are.
#ifndef MIEN_LAB_TAKE_PLAY_H
#define MIEN_LAB_TAKE_PLAY_H

#include "cli.h"

// A rig and its face, for any number of plays.
typedef struct take_stage {
  const cli_args *args;
  mien_rig *rig;
  mien_face *face;
} take_stage;

int take_stage_open(take_stage *stage, const cli_args *args, const char *sample);
void take_stage_close(take_stage *stage);

// One take as a user bakes it.
typedef struct take_def {
  const char *take, *head; // samples, or paths with a '/'; head NULL = the take's own, or still
  double fps, begin;       // s, where in the take it begins
  double seconds;          // of it at most; 0 = all
  int threads;
  mien_step_opts opts; // all but dt
} take_def;

typedef enum take_phase {
  TAKE_POSE,
  TAKE_REBALANCE,
  TAKE_CONTACT,
  TAKE_LOCAL,
  TAKE_GLOBAL,
  TAKE_VECTORS, // what is left: L-BFGS, prediction, set-up
  TAKE_OUTPUT,
  TAKE_PHASES
} take_phase;
extern const char *const take_phase_names[TAKE_PHASES];

typedef struct take_frame {
  double seconds, phase[TAKE_PHASES]; // of the fastest repeat
  bool moves;                         // something was minimised
} take_frame;

typedef struct take_times {
  take_frame *frames; // without the first two: the state is made and the pose taken there
  int nframe;
  double mean, p99, worst;   // s
  double phase[TAKE_PHASES]; // s, means
  double set_up, kinematic;  // s: the first step; plain blendshapes, the mean of a frame
} take_times;

// Plays it `repeats` times and keeps the fastest of every frame. A CLI exit code; free the times in
// any case.
int take_play(const take_stage *stage, const take_def *def, int repeats, take_times *out);
void take_times_free(take_times *times);
// Mean seconds of the frames in which `reference` moves.
double take_mean_moving(const take_times *times, const take_times *reference);

typedef struct take_error {
  double rms, worst; // m, skin of all frames; of the worst vertex
  double motion;     // m, rms of what physics adds to the pose
} take_error;
// The take beside itself with `iterations` a frame (and rebalancing to the end): both go their own
// way from the first frame on.
int take_compare(const take_stage *stage, const take_def *def, int iterations, take_error *out);

#endif
