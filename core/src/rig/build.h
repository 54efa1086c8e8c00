// Passed along while a rig is made.
#ifndef MI_RIG_BUILD_H
#define MI_RIG_BUILD_H

#include "math/vec.h"
#include "rig/rig.h"

#include <math.h>

typedef struct mi_rig_build {
  const mien_rig_def *def; // the caller's; after mi_rig_place `placed`
  mien_rig_def placed;     // in our axes, its unit decided
  int chosen; // the part that is the face where another is one, too, or the user says; -1 = all are
  double face_height; // m, by the shapes; 0 = they do not tell
  mien_rig *rig;
  mien_error *err;
  mi_arena scratch;
  int32_t *weld; // render vertex -> welded vertex
  int nvert, nface;
  bool *is_back; // a face has the corners of one before it                           (nface)
  int nback;
  bool is_inside_out;      // every face is wound the other way round
  int32_t *face_first_tri; // face -> its first triangle                              (nface + 1)
} mi_rig_build;

// winding.c: which faces are backs, and whether all are inside out
mien_result mi_rig_orient(mi_rig_build *b);
int mi_face_size(const mien_rig_def *def, int face);
// Twice the area along the normal that points out; zero for a back.
mi_vec3 mi_face_area(const mi_rig_build *b, int face, const int32_t *corner);

mien_result mi_rig_place(mi_rig_build *b);                         // placement.c: axes, unit, pivot
mien_result mi_rig_place_pivot(mi_rig_build *b);                   // after the face is chosen
mien_result mi_rig_triangulate(mi_rig_build *b);                   // triangulate.c
mien_result mi_rig_build_shapes(mi_rig_build *b);                  // shapes.c
mien_result mi_rig_choose_face(mi_rig_build *b, mien_part *parts); // face_part.c
mien_result mi_rig_describe(mi_rig_build *b);                      // describe.c: hash and remarks

#endif
