// Which triangles cross: an exact judge of what the solver claims, written apart from it.
//
// Triangles are closed sets: touching in a point, lying in one plane and overlapping, or being the
// same counts as crossing. A triangle without area is the edge or point that is left of it. Pairs
// that share a vertex (by number) are skipped.
#ifndef MIEN_LAB_CROSSINGS_H
#define MIEN_LAB_CROSSINGS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct crossings_mesh { // borrowed for the call
  const float *position;        // (nvert x 3)
  const int32_t *tri;           // (ntri x 3)
  int ntri;
  const float *before; // or NULL: pairs that cross at these positions, too, are counted apart
} crossings_mesh;

typedef struct crossings {
  int64_t count;    // pairs of triangles; -1 = out of memory or a position that is not finite
  int32_t first[2]; // one of them, by number; -1 = none
  int64_t apart;    // pairs more that cross at `before` of both meshes already
} crossings;

crossings crossings_within(const crossings_mesh *mesh);
// a triangle of `a` with one of `b`; vertices are never shared
crossings crossings_between(const crossings_mesh *a, const crossings_mesh *b);
bool crossings_of_two(const float *const a[3], const float *const b[3]);

#endif
