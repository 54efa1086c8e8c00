// Checks of what a step is given.
#ifndef MI_API_INPUT_H
#define MI_API_INPUT_H

#include "solve/state.h"

mien_result mi_input_check(const mien_state *state, const mien_input *input,
                           const mien_step_opts *opts, mien_error *err);

#endif
