// Shared by the files of `mien inspect`. Everything is gathered into one JSON object first; the
// plain words are printed from it, so the two cannot differ.
#ifndef MIEN_INSPECT_H
#define MIEN_INSPECT_H

#include "cli.h"

// inspect_mesh.c: what the surface of one part is like
typedef struct inspect_surface {
  int nopen;        // edges with one triangle
  int nborder;      // loops or strings of them
  int nnonmanifold; // edges with more than two triangles
  int nflipped;     // edges whose two triangles face opposite ways
  int nflat;        // triangles with next to no area
  int nisolated;    // vertices in no triangle
} inspect_surface;
// False when memory ran out.
bool inspect_surface_of(const mien_rig_info *rig, const mien_part *part, inspect_surface *out);

// inspect_rig.c, inspect_take.c: NULL after an error that was printed. The animation of a .glb may
// be NULL.
json_t *inspect_rig(const mien_rig *rig, const mien_take *animation, const mien_host *host);
json_t *inspect_take(const mien_take *take);
json_t *inspect_matching(const mien_rig *rig, const mien_take *bound);
json_t *inspect_cache(const mien_cache *cache);

// inspect_text.c
void inspect_print(const json_t *report);

// Arrays of numbers, scaled.
json_t *inspect_numbers(const float *values, int count, double scale);

#endif
