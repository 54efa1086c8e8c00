// Is the skin where a face can have it? Physics gives some answer to any input; a wrong one must
// not be delivered silently.
#ifndef MI_PLAUSIBLE_H
#define MI_PLAUSIBLE_H

#include "solve/step.h"

// Checks a step with this result: fills nimplausible and the fields after it in the info. Returns
// MIEN_REMARK and a sentence in run->err when a vertex is implausible.
mien_result mi_plausible(const mi_step_run *run, mien_result result);

#endif
