// B10: the least drift that positive weights leave of one expression, by descent on the drift
// itself.
#ifndef MIEN_LAB_CLAIM_B10_LEAST_H
#define MIEN_LAB_CLAIM_B10_LEAST_H

#include "claim_b10_drift.h"

// m, rms over the flesh. Weights of strain, volume and attachment around every skin vertex, each of
// any size above zero, and any combination of all shapes' forces, for this expression alone: what
// balances all expressions has fewer to choose from and leaves more. From the fitted weights, by
// L-BFGS with the exact slope (an adjoint solve), so a minimum nearby.
mien_result least_find(drift_bench *b, int shape, int steps, double *out, mien_error *err);

#endif
