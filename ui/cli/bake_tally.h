// Totals over the frames of a bake. They are kept with the snapshot, so that a bake that was
// resumed tells about all of its frames.
#ifndef MIEN_CLI_BAKE_TALLY_H
#define MIEN_CLI_BAKE_TALLY_H

#include "bake_remarks.h"
#include "frames_sum.h"

typedef struct bake_tally {
  bake_remarks remarks;
  int inverted;                     // frames with inverted tetrahedra
  double largest_offset;            // m, of the skin from the artist's pose
  double slowest, bake, cpu;        // s: of one step, of all frames, of all processors
  int largest_frame, slowest_frame; // their numbers
  int runs;                         // processes that baked at it, this one included
  frames_sum frames;                // in the cache, as far as a snapshot vouches for them
} bake_tally;

// A frame came out of the step: `result` and `err` are what it returned; the face was simulated
// `scale` times as large.
void bake_tally_add(bake_tally *tally, int frame, const mien_state_info *state, double scale,
                    mien_result result, const mien_error *err);
json_t *bake_tally_json(const bake_tally *tally);
// From what bake_tally_json made; what is not there is 0.
void bake_tally_read(bake_tally *tally, const json_t *json);
double bake_cpu_clock(void); // s of all processors that this process has used
void bake_tally_free(bake_tally *tally);

#endif
