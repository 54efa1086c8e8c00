// Frames of pressed lips on a head that is being shaken, each stepped from the same start with
// contact off and with the barrier's global steps: what claims and benches of the barrier measure.
// A runner of another stiffness starts where lips of that stiffness have come to: where a softer
// barrier balances the flesh, a stiffer one would push with many times the force.
#ifndef MIEN_LAB_BARRIER_RACE_H
#define MIEN_LAB_BARRIER_RACE_H

#include "contact_scene.h"

// Seconds of a frame by what they are spent on, in the columns of Li et al. 2023, table 1. A trial
// of the line search is also the local step and the constraint set of the next iterate: what counts
// as line search are the trials that were turned down.
typedef struct barrier_times {
  double contact;                      // constraint set, gradient, Hessian
  double global;                       // global step
  double ccd;                          // candidates, and how far they may move
  double line_search;                  //
  double rest;                         // local step, pose, set-up, output
  double total;                        //
  double iterations, searches, sweeps; // counts; sweeps: of conjugate gradients
  double push;                         // N, by the barrier
  double energy;                       // J, at the end, without the barrier's part
  double rows;                         // of the barrier in the last global step
} barrier_times;

typedef struct barrier_runner {
  const char *name;
  mien_contact contact;
  mien_barrier_step step;
  double stiffness;   // times the default
  int most_frames;    // 0 = all
  int iterations;     // at most, 0 = the default
  bool is_as_low;     // does as many as bring its energy as low as the runner before it that is not
  mien_state *state;  // from here on: filled
  barrier_times *run; // of each frame, the fastest; total NaN = not measured            (nframe)
} barrier_runner;

enum { BARRIER_RUNNERS = 4, BARRIER_LEADERS = 2 };

// Plays the whole take by Woodbury.
typedef struct barrier_leader {
  double stiffness; // times the default
  mien_state *state;
  unsigned char *start; // before the frame
} barrier_leader;

typedef struct barrier_race_def {
  const char *rig; // sample
  int threads;     // 0 = as the command line says
  int every;       // so many frames one is measured, from where lips meet to where they part
  int repeats;     // the fastest counts
  int pcg_repeats; // of conjugate gradients, which take ten times as long; 0 = as many
} barrier_race_def;

typedef struct barrier_race {
  contact_scene scene;
  barrier_leader leader[BARRIER_LEADERS]; // the first has the scene's state and the default
  int nleader;
  barrier_runner runner[BARRIER_RUNNERS];
  int nrunner;
  int nframe;     // measured
  int *number;    // of those frames                                                     (nframe)
  int *ncontact;  // of the first leader in them                                         (nframe)
  int64_t ncross; // pairs that cross after any measured step of the barrier
} barrier_race;

// Runs them all. A CLI exit code; close it in any case.
int barrier_race_run(barrier_race *race, const cli_args *args, const barrier_race_def *def,
                     const barrier_runner *runner, int nrunner);
void barrier_race_close(barrier_race *race);

// Mean of the frames measured, for as many iterations as are the default: who stopped early or was
// let do fewer is not thought faster for it.
barrier_times barrier_race_mean(const barrier_race *race, int runner);

// Sums of two runners over the frames in which both were measured, as they were run; whether the
// second came as low as the first in all of them.
typedef struct barrier_pair {
  barrier_times first, second;
  int nframe;
  bool is_as_low;
} barrier_pair;
barrier_pair barrier_race_compare(const barrier_race *race, int first, int second);

// Whether the barrier pushed in half of the frames measured or more. (Contact by planes would cross
// nothing, too.)
bool barrier_race_pushes(const barrier_race *race, int runner);

// The table of all runners into the experiment's notes, milliseconds by frame into ID.csv and
// ID.png. A CLI exit code.
int barrier_race_report(experiment *e, const barrier_race *race, const char *id, const char *title);

#endif
