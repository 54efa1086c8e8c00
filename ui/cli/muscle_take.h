// Activations over time as a take: channels "zygomaticus_major_left.ff" and so on, six a muscle,
// and "jaw.qx" ... "jaw.z"; a channel with the muscle's name alone is its contraction.
#ifndef MIEN_CLI_MUSCLE_TAKE_H
#define MIEN_CLI_MUSCLE_TAKE_H

#include "cli.h"

enum { MUSCLE_NUMBERS = 6, MUSCLE_JAW = 7 };

typedef struct muscle_take {
  mien_take *take; // NULL = there is none
  int nmuscle;
  int *of_activation;  // channel, -1 = none                                     (nmuscle x 6)
  int *of_contraction; // channel, -1 = none                                     (nmuscle)
  int of_jaw[MUSCLE_JAW];
  float *values, *activations, *contractions;
} muscle_take;

// Reads the file named; a sentence when it knows no muscle of the face, or a muscle cannot contract
// so far. NULL path = none.
int muscle_take_open(muscle_take *m, const cli_args *args, const char *path, const mien_face *face);
// Puts the moment's activations, and for muscles that drive the jaw, into an input; valid until the
// next call.
void muscle_take_at(const muscle_take *m, double time, mien_drive drive, mien_input *input);
void muscle_take_close(muscle_take *m);
// A jaw as such a take says it (quaternion, then m), so that what is live bakes to the same bits.
void muscle_jaw_put(const float jaw[MUSCLE_JAW], mien_input *input);
// A take of the rig's shapes as long as the one named, in which none moves; prints the error.
mien_take *muscle_take_still(const cli_args *args, const char *path, const mien_rig *rig);

// Writes frames of activations (nframe x (6 nmuscle + 7)) as such a take.
int muscle_take_save(const mien_face *face, const double *times, const float *frames, int nframe,
                     const char *path);

#endif
