// A frame of a take with the contacts and sticky springs that it has: pressed lips that begin to
// part on a head that is being shaken. What races on one frame run on.
#ifndef MIEN_LAB_CONTACT_FRAME_H
#define MIEN_LAB_CONTACT_FRAME_H

#include "contact_scene.h"
#include "race.h"

typedef struct contact_frame {
  contact_scene scene;
  double time;         // s, of the take
  int nspring, nplane; // sticky springs; contacts that can push
  mi_lowrank *row;     // springs, then contacts                          (nspring + nplane)
  float *target;       //                                        (nspring + nplane) x 3
  race_plane *plane;   // of the contacts                                           (nplane)
} contact_frame;

// Plays the take and stays after the frame that has most of both. The state's solver then has the
// frame's start and its rows. A CLI exit code; close it in any case.
int contact_frame_open(contact_frame *f, const cli_args *args, const char *rig);
void contact_frame_close(contact_frame *f);
textbook_frame contact_frame_frame(const contact_frame *f);

#endif
