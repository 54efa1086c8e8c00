// The small sample head and its flesh, made once a program: neither ever changes, and making them
// takes longer than many frames. A test must not free them.
#ifndef MIEN_TESTS_HEADS_H
#define MIEN_TESTS_HEADS_H

#include "scenes/scene.h"

mien_rig *head_rig(void);
mien_face *head_face(bool has_muscles);

#endif
