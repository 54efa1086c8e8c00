// Plain bodies for physics scenes: surfaces on a regular grid, centred on the origin.
//
// The map "attachment" says what is held: the bar's end at -X, the sheet's upper edge, nothing of
// the cube.
#ifndef BLOCKS_H
#define BLOCKS_H

#include "../rig_store.h"

// Must not be copied or moved: store.def points into it.
typedef struct block_rig {
  rig_store store; // store.def is the rig's definition
} block_rig;

// 0, or -1 when `cells` is below 1 or memory ran out (nothing to free then).
// A bar 0.2 m long in X and 0.04 m square, `cells` cells across; shapes "bend" (a quarter turn, up)
// and "stretch" (to 1.5 times its length at the same volume).
int block_bar_create(block_rig *out, int cells);
// A cube of 0.1 m, `cells` cells along an edge; shape "squash" (to 0.6 of its height, same volume).
int block_cube_create(block_rig *out, int cells);
// A sheet of 0.2 m facing +Z, `cells` cells along an edge, open all around; shape "wave".
int block_sheet_create(block_rig *out, int cells);
void block_free(block_rig *rig);

#endif
