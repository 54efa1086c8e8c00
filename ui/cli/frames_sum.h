// A sum of the frames that a snapshot vouches for, as they are in the file: others in their place
// (of another bake, of a disk that lost them) are not gone on with.
#ifndef MIEN_CLI_FRAMES_SUM_H
#define MIEN_CLI_FRAMES_SUM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct frames_sum {
  uint64_t value;
  int nframe;
} frames_sum;

// Adds the frames up to `nframe` that were begun of a cache with so many points; false when they
// cannot be read.
bool frames_sum_extend(frames_sum *sum, const char *cache, int npoint, int nframe);

#endif
