// Finds what each part of the skin is and how it moves: the simulated skin itself, lips, mouth bag,
// lids, the part that the jaw carries and the part that bone holds. Painted maps win; the rest is
// found from the shapes and the geometry.
#ifndef MI_REGIONS_H
#define MI_REGIONS_H

#include "mesh/mesh.h"
#include "rig/rig.h"

// The simulated part of a rig as a mesh of its own.
typedef struct mi_skin {
  int nvert, ntri;
  int32_t *vert;   // skin vertex -> rig vertex, ascending                           (nvert)
  int32_t *of_rig; // rig vertex -> skin vertex, -1 = not skin                       (rig nvert)
  int32_t *tri;    // skin vertices                                                  (ntri x 3)
  float *position; // at rest, m                                                     (nvert x 3)
  float *normal;   // angle-weighted, unit                                           (nvert x 3)
  float size;      // m, about the height of the face: scales every length below
  mi_topology topo;
} mi_skin;
// skin.c: the parts marked as skin with all that is sewn to them, or, when none is marked, the
// connected piece that the shapes move most. Pieces left out of a marked part (teeth modelled into
// the head) and pieces added to it are named in a remark.
mien_result mi_skin_build(const mien_rig *rig, mi_arena *arena, mi_skin *skin, mi_remarks *remarks,
                          mien_error *err);

bool mi_skin_has(const mi_skin *skin, const mien_rig *rig, int triangle); // of the rig

// Attachment of lips, lids and cheeks: no bone is close by, but muscles and ligaments hold them.
#define MI_BY_MUSCLE 0.15f

typedef struct mi_regions {
  int32_t *bits;     // mien_region                                                   (nvert)
  float *jaw;        // 0-1, how far the jaw carries a vertex                         (nvert)
  float *attachment; // 0-1, how firmly bone holds the flesh under a vertex           (nvert)
  bool has_mouth;
  // Skin vertices where the lips meet, a closed walk along edges: from the subject's right corner
  // along the upper lip to the left corner (the first nslit_upper, both corners included), then
  // back along the lower lip (corners not repeated). A vertex can be in both halves near a corner.
  int nslit, nslit_upper;
  int32_t *slit;
  int jaw_shape;      // the shape that opens the jaw, -1 = none found
  mien_jaw jaw_hinge; // is_known = 0 when neither the rig nor a shape tells
  uint8_t *kind;      // mien_part_kind of a vertex                                  (rig nvert)
} mi_regions;
// regions.c and the files beside it. Never fails for want of a mouth: then has_mouth is false and a
// remark says why and what to paint. Negative only when memory ends.
mien_result mi_regions_find(const mien_rig *rig, const mi_skin *skin, mi_arena *arena,
                            mi_regions *regions, mi_remarks *remarks, mien_error *err);

#endif
