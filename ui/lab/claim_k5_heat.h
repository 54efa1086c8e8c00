// Part of K5: paint goes into the flesh by the heat equation (Kozlov et al., 6.2).
#ifndef MIEN_LAB_CLAIM_K5_HEAT_H
#define MIEN_LAB_CLAIM_K5_HEAT_H

#include "reproduce.h"

// A map that changes from vertex to vertex is painted on a rig, and the flow of heat into every
// vertex inside is measured by a Laplacian of its own: 0 where the heat equation rests. rms, of the
// flesh as the library makes it and of flesh that only copies its skin.
typedef struct heat_figures {
  double left, copied;
  int ninside;
} heat_figures;
int heat_measure(const mien_rig *rig, heat_figures *out);

#endif
