// The front of a face reduced to what matters for a mouth: a curved sheet of 20 cm with a slit in
// it, rounded lips, and a mouth bag behind them or none. Made of rings around the slit, so that
// the truth about every vertex is known.
#ifndef MIEN_TESTS_MOUTH_PATCH_H
#define MIEN_TESTS_MOUTH_PATCH_H

#include "rig/rig.h"

typedef struct mouth_patch_options {
  int nround;         // vertices around a ring, a multiple of 4
  int noutside;       // rings in front of the slit
  int ninside;        // rings behind it, 0 = the skin ends at the slit
  bool is_open;       // the innermost ring is an open edge, not a closed bag
  double gap;         // m between the lips at rest; negative = they cross
  bool is_shuffled;   // vertices in a scrambled order, moved a little along the surface
  bool leave_shapes;  // no shapes at all
  const char *opener; // name of the jaw-open shape, NULL = "jawOpen"
  const mien_map *maps;
  int nmap;
  const int32_t *landmarks; // 68 or NULL
} mouth_patch_options;

typedef struct mouth_patch {
  mien_rig *rig;
  int nvert;
  // of each vertex of the rig:
  float *along; // m over the surface from the slit, positive in front, negative behind
  float *round; // sine of the place on the ring: 1 middle of the upper lip, -1 of the lower
  float hinge[3];
  float open_angle;
  float half_width; // m, the corners lie at x = -half_width and +half_width
} mouth_patch;

// False when memory ends or the library refuses the rig (then a sentence is printed).
bool mouth_patch_create(const mouth_patch_options *options, mouth_patch *patch);
void mouth_patch_free(mouth_patch *patch);

#endif
