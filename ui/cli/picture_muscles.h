// Colours of muscles on skin.
#ifndef MIEN_CLI_PICTURE_MUSCLES_H
#define MIEN_CLI_PICTURE_MUSCLES_H

#include <mien/mien.h>

// One value of 0 to 1 for every rig vertex: which muscle has most of the flesh under it, 0 = it is
// passive. Muscles that lie beside each other differ; left and right of a name are alike. Caller
// frees; NULL = out of memory.
float *picture_muscle_colours(const mien_rig *rig, const mien_face *face);

#endif
