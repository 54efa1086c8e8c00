// The state of an unfinished bake beside its cache, so that a bake that was stopped or killed goes
// on where it was instead of from the start.
#ifndef MIEN_CLI_SNAPSHOT_FILE_H
#define MIEN_CLI_SNAPSHOT_FILE_H

#include "bake_tally.h"

// Everything that the frames of a bake depend on, as the digits of a hash.
typedef struct snapshot_signature {
  char digits[72];
} snapshot_signature;

// Adds to it; every byte and their order count.
void snapshot_sign(snapshot_signature *signature, const void *bytes, size_t size);
void snapshot_sign_take(snapshot_signature *signature, const mien_take *take); // NULL = none
// Adds this very program, the libraries it needs and the SIMD body: another build makes other bits.
bool snapshot_sign_build(snapshot_signature *signature);

// "<cache>.state" holds the frame that comes next, the tally and the state before it and whose they
// are. The frames before it must be on the disk when it is written: it vouches for them. Prints the
// error.
int snapshot_write(const char *cache, int next_frame, const snapshot_signature *signature,
                   const bake_tally *tally, const mien_state *state);
// The frame to go on with, the tally of those before it and the state.
enum {
  SNAPSHOT_NONE = -1,   // there is none, or it is damaged
  SNAPSHOT_FOREIGN = -2 // made with other settings, another face or take, or another build
};
int snapshot_read(const char *cache, const snapshot_signature *signature, bake_tally *tally,
                  mien_state *state);
void snapshot_remove(const char *cache);

#endif
