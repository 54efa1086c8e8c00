// Options of the commands that simulate, read the same way by all of them.
#ifndef MIEN_CLI_PHYSICS_H
#define MIEN_CLI_PHYSICS_H

#include "cli.h"

// clang-format off
#define PHYSICS_OPTIONS                                                                            \
  {"solver", 0, "NAME", "auto, kinematic, direct, gauss_seidel, gauss_seidel_offline, prefactored, newton"}, \
  {"iterations", 'i', "N", "iterations per frame at most (8)"},                                    \
  {"tolerance", 0, "T", "stop when the gradient falls to this share (0)"},                         \
  {"gravity", 0, "X,Y,Z", "m/s2; the artist's shapes hang already (0,0,0)"},                       \
  {"wind", 0, "X,Y,Z", "m/s (0,0,0)"},                                                             \
  {"stiffness", 0, "PA", "of the flesh against stretch and shear (8000)"},                         \
  {"volume-stiffness", 0, "PA", "against change of volume (24000)"},                               \
  {"attachment-rate", 0, "HZ", "how fast firmly held flesh follows its bone (50)"}
// clang-format on

// False (and a sentence) when one is wrong.
bool physics_options(const cli_args *args, mien_step_opts *opts);
bool physics_face(const cli_args *args, mien_face_def *def);
const char *physics_solver_name(mien_solver solver);

#endif
