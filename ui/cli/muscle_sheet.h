// Expressions as muscles make them, found by activations alone: how far off they are, and a sheet
// of scan, muscles and distance for each, and of the atlas's muscles (Dinev, figs. 4.2 to 4.4).
#ifndef MIEN_CLI_MUSCLE_SHEET_H
#define MIEN_CLI_MUSCLE_SHEET_H

#include "cli.h"

typedef struct muscle_sheet muscle_sheet;

// Mean distances, m. Most of a head is still in most expressions: its share of `all` says little.
typedef struct muscle_distance {
  double all;    // of all skin that is seen of the expression
  double moving; // of the skin that the expression moves by 1 mm or more
  double motion; // of that skin from the neutral
} muscle_distance;

// Expressions will be found on this face and, for comparison, on `atlas` (or NULL), whose muscles
// are not fitted. With `path` they are drawn, too. A CLI exit code.
int muscle_sheet_open(const cli_args *args, const mien_face *face, const mien_face *atlas,
                      const char *path, muscle_sheet **out);
// Finds an expression, from rest, and measures how far from it the skin ends.
int muscle_sheet_add(muscle_sheet *s, const mien_muscle_target *expression, const char *group,
                     muscle_distance *distance);
// Writes the picture, if there is to be one.
int muscle_sheet_save(const muscle_sheet *s);
void muscle_sheet_close(muscle_sheet *s);

#endif
