// The state of an unfinished bake beside its cache, so that a bake that was stopped or killed goes
// on where it was instead of from the start.
#ifndef MIEN_CLI_SNAPSHOT_FILE_H
#define MIEN_CLI_SNAPSHOT_FILE_H

#include "cli.h"

// "<cache>.state" holds the frame that comes next and the state before it.
bool snapshot_write(const char *cache, int next_frame, const mien_state *state); // prints the error
// The frame to go on with: 0 when there is no snapshot, or it belongs to another face.
int snapshot_read(const char *cache, mien_state *state);
void snapshot_remove(const char *cache);

#endif
