// Parameters of the commands that simulate.
#ifndef MIEN_CLI_PHYSICS_H
#define MIEN_CLI_PHYSICS_H

#include "cli.h"

enum {
  PHYSICS_SETTINGS =
      1 << MIEN_PARAM_FACE | 1 << MIEN_PARAM_STEP | 1 << MIEN_PARAM_INPUT | 1 << MIEN_PARAM_PLAY
};

// Defaults, then what was given; `contact` is the default of this command. False (and a sentence)
// when something is wrong.
bool physics_settings(const cli_args *args, mien_contact contact, mien_settings *settings);
const char *physics_solver_name(mien_solver solver);

#endif
