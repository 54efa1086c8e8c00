// Expressions as muscles make them, found by activations alone: how far off they are, and a sheet
// of scan, muscles and distance for each (Dinev, figs. 4.2 and 4.3).
#ifndef MIEN_CLI_MUSCLE_SHEET_H
#define MIEN_CLI_MUSCLE_SHEET_H

#include "cli.h"

typedef struct muscle_sheet muscle_sheet;

// Expressions will be found on this face. With `path` they are drawn, too. A CLI exit code.
int muscle_sheet_open(const cli_args *args, const mien_face *face, const char *path,
                      muscle_sheet **out);
// Finds an expression, from rest, and gives the mean distance (m) of all that is seen of it.
int muscle_sheet_add(muscle_sheet *s, const mien_muscle_target *expression, const char *group,
                     double *error);
// Writes the picture, if there is to be one.
int muscle_sheet_save(const muscle_sheet *s);
void muscle_sheet_close(muscle_sheet *s);

#endif
