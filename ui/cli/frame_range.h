// --frames A-B and --run-up N: which frames of a take are simulated, and which of them are kept.
#ifndef MIEN_CLI_FRAME_RANGE_H
#define MIEN_CLI_FRAME_RANGE_H

#include "cli.h"

typedef struct frame_range {
  int begin; // simulated from here on                        frames counted from the take's first
  int from, to; // kept: from, ..., to - 1
} frame_range;

// As the options say, of a take of `nframe` frames whose first has the number `first`. Without
// --run-up everything before A is simulated, so that the frames are those of the whole take. A
// sentence and CLI_USAGE when an option is wrong, CLI_FAILED when the take has no such frames.
int frame_range_read(const cli_args *args, int first, int nframe, frame_range *range);

// The frames of so many seconds, or of as many as the option --seconds asks for. Refused when they
// are more than a day of film and were not asked for: forty bytes may say that a take lasts for
// years.
int frame_count(const cli_args *args, double length, double seconds, double fps, int *nframe);

#endif
