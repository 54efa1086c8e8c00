#ifndef SAMPLE_RIGS_HEAD_LANDMARKS_H
#define SAMPLE_RIGS_HEAD_LANDMARKS_H

#include "skin.h"

// Fills 68 skin vertices in iBUG order.
void find_landmarks(const cage *c, const skin *s, int *landmark);

#endif
