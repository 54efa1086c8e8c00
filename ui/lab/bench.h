// Measurements of `mien bench`: each a ratio of two times taken in one run, minimum of repeats.
#ifndef MIEN_LAB_BENCH_H
#define MIEN_LAB_BENCH_H

#include "cli.h"

typedef struct bench bench;
typedef int bench_fn(void *user); // 0, or not 0 to give up

// Seconds of the fastest of several runs; negative when fn gave up.
double bench_time(const bench *b, bench_fn *fn, void *user);

typedef struct bench_row {
  const char *id; // of shared targets ("P18"), or "" for a figure that only informs
  const char *what;
  double seconds;   // ours
  double reference; // what it is compared with, seconds; 0 = nothing
  const char *against;
  double target; // on seconds / reference, or on seconds itself when reference is 0; 0 = none
} bench_row;
#define BENCH_NONE 1e-9 // the target of a figure that must be 0
void bench_add(bench *b, bench_row row);
// A figure that is no time: in `seconds` and `reference`, in this unit.
void bench_add_figure(bench *b, bench_row row, const char *unit);
bool bench_is_quick(const bench *b);
const cli_args *bench_args(const bench *b);

// One file per subject; each returns a CLI exit code.
int bench_rig(bench *b);     // reading and posing rigs
int bench_face(bench *b);    // building flesh
int bench_frame(bench *b);   // whole frames against the textbook
int bench_race(bench *b);    // against the solvers built in for comparison
int bench_motion(bench *b);  // keeping energy, rebalancing
int bench_growth(bench *b);  // time a frame by size
int bench_svd(bench *b);     // 3x3 singular values
int bench_sparse(bench *b);  // the global step alone
int bench_local(bench *b);   // the local step alone
int bench_contact(bench *b); // finding contacts and what they push
int bench_pressed(bench *b); // what contact costs in a take; part of bench_contact
int bench_barrier(bench *b); // whole frames with the barrier
int bench_live(bench *b);    // from picture to simulated face
int bench_takes(bench *b);   // whole takes, frame by frame
int bench_skin(bench *b);    // from a coarser rig back to the artist's

#endif
