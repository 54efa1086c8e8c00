// Is the skin where a face can have it? Physics gives some answer to any input; a wrong one must
// not be delivered silently.
#ifndef MI_PLAUSIBLE_H
#define MI_PLAUSIBLE_H

#include "solve/step.h"

// After a step, whose result so far is given: fills nimplausible and what follows it in the info.
// MIEN_REMARK, and a sentence in run->err, when something is to be said.
mien_result mi_plausible(const mi_step_run *run, mien_result result);

#endif
