// Poses of a host that evaluates its own deformers: a point cache, one frame of the rig after
// another.
#ifndef MIEN_CLI_POSE_FILE_H
#define MIEN_CLI_POSE_FILE_H

#include "cli.h"

typedef struct pose_file {
  mien_cache *cache; // NULL = there is none
  float *welded;     // of one frame, when the file has render vertices               (nvert x 3)
} pose_file;

// Reads the file named; CLI_DONE, or a sentence when it does not fit the rig. NULL path = none.
int pose_file_open(pose_file *file, const cli_args *args, const char *path, const mien_rig *rig);
int pose_file_count(const pose_file *file);
// A frame as mien_input wants it; valid until the next one.
mien_f32s pose_file_at(const pose_file *file, const mien_rig *rig, int frame);
void pose_file_close(pose_file *file);

#endif
