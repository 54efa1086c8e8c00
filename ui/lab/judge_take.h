// The judge plays a take by any spelling of the shapes' names, or one made here, with or
// without motion of the head about a pivot.
#ifndef MIEN_LAB_JUDGE_TAKE_H
#define MIEN_LAB_JUDGE_TAKE_H

#include <mien/mien.h>

#include <stdbool.h>

typedef struct judge_take {
  const mien_rig *rig;
  mien_take *take, *head; // or NULL: the jaw's take; the take's own head, or still
  int *shape;             // of each channel of the take, -1 = the rig has none
  float *channel;         // weights by channel
  float *weights;         // by shape of the rig
  mien_rigid at;          // the head now
  double pivot[3];        // m, the head turns about it
  double seconds;
  int nunmatched, njaw; // channels without a shape; the jaw-open shape
  bool is_still;        // no motion of the head
} judge_take;

// Paths may be NULL: without `anim` the jaw opens and closes in 2 s. The pivot is the origin, or
// for a body, whose face is far from it, the middle of what shapes move.
bool judge_take_open(judge_take *t, const mien_rig *rig, const char *anim, const char *head,
                     char why[240]);
void judge_take_close(judge_take *t);
// Fills weights and `at`; true when the head moves in this take at all.
void judge_take_sample(judge_take *t, double time);
bool judge_take_moves_head(const judge_take *t);
// The rig's shape by ARKit's name, in any common spelling, "AK_NN_" before it or not; -1 = none.
int judge_find_shape(const mien_rig *rig, const char *name);

#endif
