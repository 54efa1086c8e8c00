// Frames of pressed lips, each stepped from the same start with contact off and with the barrier's
// three global steps: what the claims and benches of the barrier measure.
#ifndef MIEN_CLI_BARRIER_RACE_H
#define MIEN_CLI_BARRIER_RACE_H

#include "contact_scene.h"

// Seconds of a frame by what they are spent on, in the columns of Li et al. 2023, table 1. A trial
// of the line search is also the local step and the constraint set of the next iterate; what is
// counted as line search are the trials that were turned down.
typedef struct barrier_times {
  double contact;     // constraint set, gradient, Hessian
  double global;      // global step
  double ccd;         // candidates and bound of the motion
  double line_search; //
  double rest;        // local step, pose, set-up, output
  double total;
  double iterations, searches, sweeps, ncontact; // counts; sweeps: of conjugate gradients
} barrier_times;

typedef struct barrier_runner {
  const char *name;
  mien_contact contact;
  mien_barrier_step step;
  double stiffness; // times the default
  int iterations;   // at most; 0 = as in mien_step_opts_init
  int most_frames;  // measured; 0 = all. The dense step of a large face takes minutes
  mien_state *state;
  barrier_times sum;
  double *total; // s, of each frame measured, NaN = not measured                  (race's nframe)
  int nframe;    // measured
} barrier_runner;

enum { BARRIER_RUNNERS = 6 };
typedef struct barrier_race {
  contact_scene scene; // its state leads: Woodbury, default stiffness
  barrier_runner runner[BARRIER_RUNNERS];
  int nrunner;
  int nframe;      // measured
  int *frame;      // their numbers                                                      (nframe)
  int *ncontact;   // of the leader                                                      (nframe)
  int64_t ncross;  // pairs that cross after any of the steps measured with contact on
  void *start;     // the leader before the frame
  double last_gap; // m
} barrier_race;

typedef struct barrier_race_def {
  const char *rig;  // sample
  int threads;      // 0 = as the command line says
  int every;        // frame is measured, from where lips meet to where they part
  int repeats;      // the fastest counts
  bool checks;      // count crossings after every step
  int nrunner;      //
  const barrier_runner *runner;
} barrier_race_def;

// Runs it all. A CLI exit code; close it in any case.
int barrier_race_run(barrier_race *race, const cli_args *args, const barrier_race_def *def);
void barrier_race_close(barrier_race *race);

// Of one frame, mean. `by_iteration`: what a frame of as many iterations as the others' would take,
// for a runner that stopped early or was not let go on.
barrier_times barrier_race_mean(const barrier_runner *runner);

#endif
