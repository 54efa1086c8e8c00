// mien bake --info: a row of a CSV file per frame.
#ifndef MIEN_BAKE_INFO_H
#define MIEN_BAKE_INFO_H

#include <mien/mien.h>

#include <stdio.h>

// *out stays NULL without a path.
int bake_info_open(const char *path, FILE **out);
void bake_info_write(FILE *file, int frame, double time, const mien_state_info *state);
// `code` is how the bake ended. The rows of a bake that was not finished stay in PATH.part.
int bake_info_close(FILE *file, const char *path, int code);

#endif
