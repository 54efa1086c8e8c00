// Triangles that go through each other.
#ifndef MI_CROSS_H
#define MI_CROSS_H

#include "base/base.h"
#include "math/vec.h"

// Does each have corners on both sides of the other, and do they meet? Triangles that touch without
// that, or lie in one plane, do not cross. The order of triangles and corners makes no difference.
bool mi_triangles_cross(const mi_vec3 a[3], const mi_vec3 b[3]);

typedef struct mi_cross_mesh { // borrowed
  const float *position;       //                                                     (nvert x 3)
  const int32_t *tri;          //                                                     (ntri x 3)
  int ntri;
} mi_cross_mesh;

// Calls `fn` with every pair of triangles that crosses, within `a`, or with `b` not NULL between
// the two. Triangles of one mesh that share a vertex are no pair. False when memory ends.
bool mi_cross_each(const mi_cross_mesh *a, const mi_cross_mesh *b, mi_arena *scratch,
                   void (*fn)(void *task, int a, int b), void *task);

typedef struct mi_crossings {
  int count;      // pairs; -1 = memory ended
  double near[3]; // m, about where the first of them is
} mi_crossings;
mi_crossings mi_cross_find(const mi_cross_mesh *a, const mi_cross_mesh *b, mi_arena *scratch);

#endif
