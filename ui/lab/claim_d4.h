// D4: linearised backward Euler on the spinning cube, with projection or without.
#ifndef MIEN_LAB_CLAIM_D4_H
#define MIEN_LAB_CLAIM_D4_H

#include "cli.h"

// One undamped Newton step a time step from the start of it, the true Hessian (Baraff and Witkin's
// way). energy[k] = times the start's after step k; where it is no number any more, infinity.
int linear_cube_run(bool projection, double spin, double stretch, int nstep, double *energy);

#endif
