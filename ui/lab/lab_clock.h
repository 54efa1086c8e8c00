// The clock of experiments: of one thread its processor time, to which other programs add nothing;
// of several, the clock on the wall.
#ifndef MIEN_LAB_CLOCK_H
#define MIEN_LAB_CLOCK_H

#include "base/base.h"

#include <time.h>

static inline double lab_clock(int threads) { // s
  struct timespec now;
  if (threads != 1 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)) return mi_clock();
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
