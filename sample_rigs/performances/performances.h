// Sample takes, made by rule at 60 frames a second: always the same bits.
#ifndef PERFORMANCES_H
#define PERFORMANCES_H

#include <mien/mien.h>

typedef enum performance_kind {
  PERFORMANCE_PHRASE, // two sentences full of p, b and m, with blinks, brows and a live head
  PERFORMANCE_REEL,   // every ARKit shape in turn, then expressions that combine them
  PERFORMANCE_PRESS,  // lips close, are pressed through each other, held, and open slowly
  PERFORMANCE_KISS,   // the same with lips pushed forward and rolled
  PERFORMANCE_SHAKE,  // head only: "no, no, no", fast
  PERFORMANCE_RUN,    // head only: a runner's bounce
  PERFORMANCE_JUMP,   // head only: crouch, flight, landing
  PERFORMANCE_STILL,  // head only: nothing moves
  PERFORMANCE_COUNT
} performance_kind;

// Must not be copied or moved: the definition points into it.
typedef struct performance {
  mien_take_def def;
  const char *channel[64];
  double *time;
  float *weight;
  mien_rigid *head;
} performance;

// 0, or -1 when memory ran out or the kind is unknown (nothing to free then). Caller frees with
// performance_free.
int performance_create(performance *out, performance_kind kind);
void performance_free(performance *take);

#endif
