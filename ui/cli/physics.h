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
  {"integrator", 0, "NAME", "backward_euler, bdf2, implicit_midpoint, stabilised_midpoint, quasi_static"}, \
  {"substeps", 0, "N", "a frame; everything that moves in between (1)"},                           \
  {"damping", 0, "RATE", "1/s, of motion that is not rigid (0)"},                                  \
  {"drag", 0, "RATE", "1/s, of all motion against the head (0)"},                                  \
  {"contact", 0, "NAME", "off, plane, barrier (plane; off with a midpoint)"},                                           \
  {"barrier-step", 0, "NAME", "of the barrier's linear solve: woodbury, schur, pcg (woodbury)"},    \
  {"barrier-stiffness", 0, "K", "of the barrier, times the flesh's own (1)"},                      \
  {"thickness", 0, "MM", "kept between lips; 0 = a thousandth of the face's height (0)"},          \
  {"friction", 0, "MU", "of skin on skin and teeth (0.3)"},                                        \
  {"sticky", 0, "S", "how strongly lips stick, 0 = not at all (0)"},                               \
  {"sticky-length", 0, "MM", "where a spring breaks once in ten frames of 1/25 s; 0 = 2 mm (0)"},  \
  {"humidity", 0, "H", "2 = lips hold to twice the length (1)"},                                   \
  {"seed", 0, "N", "of the chance by which lips come apart (1)"},                                  \
  {"stiffness", 0, "PA", "of the flesh against stretch and shear (8000)"},                         \
  {"volume-stiffness", 0, "PA", "against change of volume (24000)"},                               \
  {"attachment-rate", 0, "HZ", "how fast firmly held flesh follows its bone (50)"}
// clang-format on

// False (and a sentence) when one is wrong.
bool physics_options(const cli_args *args, mien_step_opts *opts);
bool physics_face(const cli_args *args, mien_face_def *def);
const char *physics_solver_name(mien_solver solver);

#endif
