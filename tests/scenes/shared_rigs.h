// Real face rigs that are not part of the repo, read where they are present. The folder is
// $MIEN_SHARED_DATA, or "shared/data" beside the source folder.
#ifndef MIEN_TESTS_SHARED_RIGS_H
#define MIEN_TESTS_SHARED_RIGS_H

#include "rig/rig.h"

typedef struct shared_options {
  bool leave_landmarks; // do not give the 68 landmarks to the rig
  bool leave_names;     // call the shapes "shape_000", "shape_001", ...
  bool one_part;        // one undecided part of everything instead of the rig's own parts
  double rest_open;     // this much of jawOpen becomes part of the neutral: parts the lips, or
                        // crosses them when negative
  bool keep_jaw;        // give the rig's stored jaw hinge
} shared_options;

// What the file knows and a test compares with.
typedef struct shared_truth {
  int landmark[68];       // vertices of the file, -1 = none
  double unit;            // metres per unit of the file
  mien_jaw jaw;           // is_known = 0: the file does not say
  int bag_first, bag_end; // vertices of the part "mouth_socket", 0 and 0 = there is none
  int sewn_end; // the connected skin, sockets included, ends before this vertex; 0 = unknown
} shared_truth;

// True when `folder` ("ict-facekit", "facecap-head") is there; says SKIPPED and why otherwise.
bool shared_rig_is_there(const char *folder);

// Reads it as a rig. Where it is absent the test is skipped, with the reason said; a rig that is
// there and cannot be read fails it. Vertices are not welded, so that the file's vertex numbers
// stay. Free with mi_rig_release.
mien_rig *shared_rig_load(const char *folder, const shared_options *options, shared_truth *truth);

#endif
