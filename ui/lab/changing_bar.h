// A bar that is held by one end and hangs, while its rest shape or its stiffness changes: the scene
// of claims about rebalancing (Kozlov et al., figures 5 and 6).
#ifndef MIEN_LAB_CHANGING_BAR_H
#define MIEN_LAB_CHANGING_BAR_H

#include "cli.h"

enum { CHANGING_FRAMES = 72 }; // at 24 a second; it changes from the 12th to the 14th

typedef enum changing_what { CHANGING_SHAPE, CHANGING_STIFFNESS } changing_what;

// The free end's height minus where it would hang at rest with the shape and material of that
// frame, mm.                                                               (CHANGING_FRAMES)
int changing_bar_run(changing_what what, double rebalance, double *off);
// The most after the change.
double changing_bar_swing(const double *off);

#endif
