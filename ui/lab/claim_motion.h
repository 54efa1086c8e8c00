// The spinning cube of Dinev's chapter 3, shared by claims D2, D3 and D4.
#ifndef MIEN_LAB_CLAIM_MOTION_H
#define MIEN_LAB_CLAIM_MOTION_H

#include "block_scene.h"
#include "reproduce.h"

typedef struct spinning_cube {
  mien_integrator integrator;
  int projection;
  int nstep;
  double spin;              // 1 / s
  double *energy, *turning; // against the start's, after each step, or NULL             (nstep)
  double worst_energy, worst_turning, worst_momentum; // out: shares; of momentum: m / s of the body
  double steps;                                       // out: projections or blends a step
  double stillest; // out: how far vertices went in the stillest step, times the mean of all
  double swing; // out: share of the energy that goes into the elements or comes out of them, a step
  double left;  // out: of the angular momentum, in the end
  int code;     // out: of the command line
} spinning_cube;

// Each is run by one thread, which 125 vertices are not worth more than; as many at a time as there
// are threads (0: all). The first code that is not CLI_DONE.
int spinning_cubes_run(spinning_cube *runs, int count, int threads);

// Seconds of processor time that a frame of the sample face takes one thread with either options:
// the fastest of many, taken in turns.
typedef struct frame_times {
  double one, other;
} frame_times;
int compare_frames(const experiment *e, const mien_step_opts *one, const mien_step_opts *other,
                   frame_times *out);

#endif
