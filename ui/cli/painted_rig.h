// A sample rig with materials painted where a shape moves the skin: the scenes of claims about
// blendmaterials.
#ifndef MIEN_CLI_PAINTED_RIG_H
#define MIEN_CLI_PAINTED_RIG_H

#include "cli.h"

typedef struct painted_map {
  const char *material; // "stiffness", "volume_stiffness", "density", "damping"
  const char *shape;    // for which it is painted
  double factor;        // where the shape moves most; 1 where it moves nothing
} painted_map;

// The same rig with these maps added; NULL, and a sentence, when that fails.
mien_rig *painted_rig_create(const mien_rig *rig, const painted_map *maps, int nmap);

// A copy of the rig with this map instead of its own. NULL, and a sentence on stderr, when it
// fails.
mien_rig *painted_rig_add(const mien_rig *rig, const mien_map *map);

#endif
