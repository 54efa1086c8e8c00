// The state of an unfinished bake beside its cache, so that a bake that was stopped or killed goes
// on where it was instead of from the start.
#ifndef MIEN_CLI_SNAPSHOT_FILE_H
#define MIEN_CLI_SNAPSHOT_FILE_H

#include "cli.h"

// Everything that the frames of a bake depend on, as the digits of a hash.
typedef struct snapshot_signature {
  char digits[72];
} snapshot_signature;

// "<cache>.state" holds the frame that comes next, the state before it and whose it is.
bool snapshot_write(const char *cache, int next_frame, const snapshot_signature *signature,
                    const mien_state *state); // prints the error
// The frame to go on with: 0 when there is no snapshot, or it is damaged; -1 when it was made with
// other settings, another face or another take.
int snapshot_read(const char *cache, const snapshot_signature *signature, mien_state *state);
void snapshot_remove(const char *cache);

#endif
